//! Files that are odd for what they hold: images written out, drawings, text cut in awkward places.
//! What is odd for its place or state is in `faults`.

use hiku::scrub::Scrubber;
use hiku::vault::Folder;
use hiku::{Selection, read_note};
use testkit::TestVault;

use crate::harness::{ask, by_word, found, indexed, open, update};

/// Base64 as an image has it.
fn image(bytes: usize) -> String {
    "iVBORw0KGgoAAAANSUhEUgAA+/8".chars().cycle().take(bytes).collect()
}

/// A note as it is on disk now.
fn read(vault: &TestVault, name: &str, selection: &Selection) -> hiku::ReadNote {
    let folder = Folder::open(&vault.root(), &by_word().vault).expect("the vault");
    read_note(&folder, name, selection, &Scrubber::default()).expect("the note")
}

#[test]
fn images_written_out_are_neither_stored_nor_shown_and_lines_stay() {
    let token = format!("ghp_{}", "7wQmZ2kTfR9vLx4NbY1cHsJ8pDgE5uWaKt3o");
    let (png, wrapped) = (image(300_000), [image(76), image(76), image(20)].join("\n"));
    let vault = TestVault::new(&format!(
        "//- pictures.md\n# Pictures\n\nBefore ![an onion](data:image/png;base64,{png}) and after.\n\n\
         <img alt=\"leek\" src=\"data:image/jpeg;base64,{wrapped}\">\n\nThe token is {token} here.\n\n\
         ## Garlic\n\nSee [the bulb][bulb].\n\n[bulb]: data:image/gif;base64,{png}\n"
    ));
    let report = update(&vault, &by_word());
    assert_eq!(report.redactions.len(), 1, "{:?}", report.redactions);
    let index = open(&vault, &by_word());
    assert!(index.status().expect("a status").bytes < 300_000);
    let stored = index.stored("pictures").expect("the note");
    assert!(stored.terms.iter().all(|(_, term, _)| term.len() < 40), "{:?}", stored.terms);
    let text: String = stored.chunks.iter().map(|chunk| chunk.text.as_str()).collect();
    assert!(text.contains("![an onion]() and after") && text.contains("alt=\"leek\" src=\"\n"));
    assert!(!text.contains("iVBOR") && text.contains("[REDACTED:"), "{text}");
    for (query, line) in [("onion", 3), ("leek", 5), ("garlic bulb", 11)] {
        let passage = &ask(&index, query).hits[0].passages[0];
        assert!((passage.line_start..=passage.line_end).contains(&line), "{query}: {passage:?}");
    }
    let garlic = read(&vault, "pictures", &Selection::Heading("Garlic".to_owned()));
    assert_eq!((garlic.line_start, garlic.line_end, garlic.lines), (11, 15, 15));
    assert_eq!(garlic.text, "## Garlic\n\nSee [the bulb][bulb].\n\n[bulb]: data:\n");
    assert_eq!(read(&vault, "pictures", &Selection::Lines(9, 9)).redactions, 1);
}

#[test]
fn of_a_drawing_the_text_is_found_and_its_data_is_not() {
    let rows = vec![image(256); 40].join("\n\n");
    let (vault, index) = indexed(
        &format!(
            "//- plan.excalidraw.md\n---\nexcalidraw-plugin: parsed\ntags: [excalidraw]\n---\n\
             # Excalidraw Data\n\n## Text Elements\nGateway server ^a1b2\n\n認証 ^c3d4\n\n%%\n## Drawing\n\
             ```compressed-json\n{rows}\n```\n%%\n//- other.md\nA drawing of nothing.\n"
        ),
        &by_word(),
    );
    for query in ["gateway", "認証", "tag:excalidraw"] {
        assert_eq!(found(&index, query), ["plan.excalidraw.md"], "{query}");
    }
    assert_eq!(found(&index, "iVBORw0KGgoAAAANSUhEUgAA"), [""; 0]);
    let passage = &ask(&index, "gateway").hits[0].passages[0];
    assert!(passage.text.trim_end().ends_with("認証 ^c3d4"), "{passage:?}");
    assert_eq!(read(&vault, "plan.excalidraw", &Selection::Whole).lines, 95);
}
