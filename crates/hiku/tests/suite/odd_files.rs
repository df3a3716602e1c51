//! Files that are odd for what they hold: images written out, drawings, text cut in awkward places.
//! What is odd for its place or state is in `faults`.

use hiku::scrub::Scrubber;
use hiku::vault::Folder;
use hiku::{Grouping, SearchRequest, Selection, read_note};
use testkit::TestVault;

use crate::harness::{ask, by_word, found, indexed, open, paths, update, ways};

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

const BOARD: &str = r##"
//- board.canvas
{
	"nodes":[
		{"id":"g","type":"group","x":400,"y":0,"width":400,"height":300,"label":"Watering plan"},
		{"id":"a","type":"text","text":"# Tomatoes\n\nEvery 朝 with 雨水.","x":0,"y":0,"width":250,"height":60},
		{"id":"b","type":"file","file":"notes/garden.md","x":0,"y":100,"width":250,"height":60},
		{"id":"c","type":"link","url":"https://example.com/hoses","x":410,"y":10,"width":250,"height":60},
		{"id":"d","type":"text","text":"ghp_7wQmZ2kTfR9vLx4NbY1cHsJ8pDgE5uWaKt3o","x":410,"y":90,"width":250,"height":60}
	],
	"edges":[{"id":"e","fromNode":"a","toNode":"b","label":"grown in"}]
}
//- books.base
views:
  - type: table
    name: Unread shelf
formulas:
  weeks: (pages / 70).round()
//- board.md
A note that is called as the canvas.
//- notes/garden.md
The garden, see [[board.canvas]] and [[board]].
"##;

#[test]
fn canvases_and_bases_are_notes() {
    let vault = TestVault::new(BOARD);
    let report = update(&vault, &by_word());
    assert_eq!((report.notes, report.skipped.len(), report.redactions.len()), (4, 0, 1));
    let index = open(&vault, &by_word());
    for query in ["tomatoes", "雨水", "\"watering plan\"", "hoses", "\"grown in\"", "[[garden]]"]
    {
        assert_eq!(found(&index, query), ["board.canvas"], "{query}");
    }
    for query in ["\"unread shelf\"", "weeks", "pages"] {
        assert_eq!(found(&index, query), ["books.base"], "{query}");
    }
    assert_eq!(found(&index, "fromNode"), [""; 0]);
    let hit = &ask(&index, "tomatoes").hits[0];
    assert_eq!((hit.title.as_str(), hit.passages[0].line_start), ("board", 1));
    let links = |name: &str| {
        let links = index.links(name).expect("links");
        let paths = |links: &[hiku::NoteLink]| -> Vec<String> {
            links.iter().filter_map(|link| link.path.clone()).collect()
        };
        (paths(&links.links), paths(&links.backlinks))
    };
    assert_eq!(
        links("board.canvas"),
        (vec!["notes/garden.md".into(), "notes/garden.md".into()], vec!["notes/garden.md".into()])
    );
    let both = vec!["board.canvas".into(), "board.md".into()];
    assert_eq!(links("garden"), (both, vec!["board.canvas".into()]));
    let canvas = read(&vault, "board.canvas", &Selection::Heading("watering plan".to_owned()));
    assert!(
        canvas.text.starts_with("## Watering plan\n\n<https://example.com/hoses>\n\n[REDACTED:")
    );
    assert_eq!((canvas.title.as_str(), canvas.redactions), ("board", 1));
    assert_eq!(read(&vault, "board", &Selection::Whole).path, "board.md");
}

#[test]
fn a_canvas_that_is_none_is_skipped_with_its_line_and_costs_no_publication() {
    let vault = TestVault::new(BOARD);
    update(&vault, &by_word());
    let whole = std::fs::read_to_string(vault.root().join("board.canvas")).expect("the canvas");
    vault.write("board.canvas", &whole[..whole.len() / 2]);
    vault.write("broken.base", "views:\n  - name: [\n");
    vault.write("new.md", "A new note.\n");
    let report = update(&vault, &by_word());
    let skipped: Vec<_> =
        report.skipped.iter().map(|skip| (skip.path.as_str(), skip.reason.describe())).collect();
    let expected = [
        ("board.canvas", "not a readable JSON Canvas: line 5".to_owned()),
        ("broken.base", "not a readable base (YAML): line 2".to_owned()),
    ];
    assert_eq!((skipped.as_slice(), report.notes), (&expected[..], 5));
    let status = open(&vault, &by_word()).status().expect("a status");
    assert_eq!(status.skipped.len(), 2);
    // What the canvas said before is kept, as of any note that cannot be read now.
    assert_eq!(found(&open(&vault, &by_word()), "tomatoes"), ["board.canvas"]);
    let again = update(&vault, &by_word());
    assert_eq!((again.generation, again.skipped.len()), (report.generation, 2));
    vault.write("board.canvas", "{}");
    vault.remove("broken.base");
    let mended = update(&vault, &by_word());
    assert_eq!((mended.skipped.len(), mended.notes), (0, 5));
    assert_eq!(found(&open(&vault, &by_word()), "tomatoes"), [""; 0]);
}

/// A vault with a note that every sync program has copied, and with notes that are no copies.
fn with_conflicts() -> TestVault {
    let plan = "# Plan\n\nBuy seeds in March, at the market.\n\nSow tomatoes in April, under glass, \
        as soon as the nights are mild.\n\n番号をつけた鉢に植える。\n\nPlant out in May.\n";
    let vault = TestVault::new(
        "//- Chapter.md\nThe first chapter: a boat leaves the harbour.\n\
         //- Chapter 2.md\nThe second chapter: a storm takes the mast away.\n\
         //- plan-Summary.md\nA chapter about something else.\n",
    );
    vault.write("a/Plan.md", plan);
    vault.write("a/Plan.sync-conflict-20240102-030405-ABCDEFG.md", plan);
    vault.write(
        "a/Plan (Conflicted copy iPhone 202401020304).md",
        plan.replace("in May", "in June"),
    );
    vault.write("a/Plan (太郎 の競合コピー 2024-01-02).md", plan.replace("at the market", ""));
    vault.write("a/Plan 2.md", plan.replace("March", "February"));
    vault.write("a/Plan-DESKTOP-AB12CD3.md", plan.replace("in May", "in the greenhouse, in May"));
    vault.write("Lost (Anna's conflicted copy 2024-01-02).md", "A copy whose note is gone.\n");
    vault
}

#[test]
fn conflict_copies_are_shown_with_their_note_and_take_no_place() {
    let vault = with_conflicts();
    update(&vault, &hiku::Settings::default());
    let index = open(&vault, &hiku::Settings::default());
    for (mode, fusion, by) in ways() {
        let request = SearchRequest {
            mode,
            fusion,
            by,
            limit: 3,
            ..SearchRequest::new("sow tomatoes in april")
        };
        let response = index.search(&request).expect("an answer");
        let plans: Vec<_> = response.hits.iter().filter(|hit| hit.path.starts_with("a/")).collect();
        assert!(
            plans.iter().all(|hit| hit.path == "a/Plan.md"),
            "{mode:?} {fusion:?} {by:?}: {plans:?}"
        );
        assert!(by == Grouping::Chunk || plans.len() == 1, "{mode:?} {fusion:?}");
        assert_eq!(plans[0].conflict_copies.len(), 5, "{mode:?} {fusion:?}: {plans:?}");
    }
    let index = open(&vault, &by_word());
    let response = ask(&index, "\"sow tomatoes\"");
    assert_eq!((paths(&response), response.omitted.count), (vec!["a/Plan.md"], 0));
    assert_eq!(
        response.hits[0].conflict_copies,
        [
            "a/Plan (Conflicted copy iPhone 202401020304).md",
            "a/Plan (太郎 の競合コピー 2024-01-02).md",
            "a/Plan 2.md",
            "a/Plan-DESKTOP-AB12CD3.md",
            "a/Plan.sync-conflict-20240102-030405-ABCDEFG.md",
        ]
    );
    // Listed, and not ranked.
    assert_eq!(paths(&ask(&index, "path:a")), ["a/Plan.md"]);
}

#[test]
fn a_conflict_copy_that_says_more_is_a_hit_and_says_whose_copy_it_is() {
    let vault = with_conflicts();
    update(&vault, &by_word());
    let index = open(&vault, &by_word());
    for (query, path, original) in [
        ("greenhouse", "a/Plan-DESKTOP-AB12CD3.md", "a/Plan.md"),
        ("june", "a/Plan (Conflicted copy iPhone 202401020304).md", "a/Plan.md"),
        ("\"note is gone\"", "Lost (Anna's conflicted copy 2024-01-02).md", "Lost.md"),
    ] {
        let response = ask(&index, query);
        let hit = response.hits.first().unwrap_or_else(|| panic!("nothing for {query}"));
        assert_eq!((hit.path.as_str(), hit.conflict_of.as_deref()), (path, Some(original)));
    }
    let mut chapters = found(&index, "chapter");
    chapters.sort();
    assert_eq!(chapters, ["Chapter 2.md", "Chapter.md", "plan-Summary.md"]);
    assert!(ask(&index, "chapter").hits.iter().all(|hit| hit.conflict_of.is_none()));
    // Without the note, one of the copies that only its text tells is a note of its own.
    vault.remove("a/Plan.md");
    update(&vault, &by_word());
    let response = ask(&open(&vault, &by_word()), "february");
    assert_eq!(response.hits[0].conflict_of, None);
}

#[test]
fn emoji_are_whole_at_every_cut() {
    let family = "👨\u{200D}👩\u{200D}👧\u{200D}👦🇯🇵🧑🏽\u{200D}🚀𠮷が";
    let text = format!("# {family}\n\n{}\n\nThe needle {family} here.\n", family.repeat(700));
    let json = "```json\n{\"pair\": \"\\ud83d\\ude00\", \"lone\": \"\\ud83d\", \"low\": \"\\ude00 x\"}\n```\n";
    let vault = TestVault::new("");
    vault.write("emoji.md", format!("{text}\n{json}"));
    vault.write(&format!("{family}.md"), "Named by emoji.\n");
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
    vault.write("utf16.md", utf16);
    update(&vault, &hiku::Settings::default());
    let index = open(&vault, &hiku::Settings::default());
    let stored = index.stored("emoji").expect("the note");
    assert!(
        stored.chunks.len() > 5
            && stored
                .chunks
                .iter()
                .all(|chunk| text.contains(&chunk.text) || chunk.text.contains("needle"))
    );
    for max_tokens in (1..120).map(Some).chain([None]) {
        let request = SearchRequest { max_tokens, ..SearchRequest::new("needle 👩 𠮷") };
        for hit in index.search(&request).expect("an answer").hits {
            for passage in hit.passages {
                let own = text.contains(&passage.text) || passage.text.contains("json");
                assert!(own || hit.path.starts_with('👨'), "{max_tokens:?} {:?}", passage.text);
                assert!(
                    !passage.snippet.contains('\u{FFFD}') && passage.snippet.chars().count() <= 160
                );
            }
        }
    }
    assert_eq!(found(&index, "\"named by emoji\""), [format!("{family}.md")]);
    assert_eq!(
        read(&vault, "utf16", &Selection::Lines(5, 5)).text,
        format!("The needle {family} here.\n")
    );
}
