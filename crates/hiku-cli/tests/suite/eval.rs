//! `hiku eval`: figures of judged sets and golden files, comparison, gate and labelling.

use std::fs;
use std::io::Write;
use std::process::{Output, Stdio};

use testkit::TestVault;

use crate::harness::{code, command, json, notes, run, shown, shown_as};

/// Three documents and three queries, one of which has no judgement.
fn judged_set(vault: &TestVault) {
    let set = vault.outer().join("set");
    fs::create_dir(&set).expect("the folder");
    for (file, text) in [
        (
            "corpus.jsonl",
            "{\"_id\": \"d 1\", \"title\": \"Onions\", \"text\": \"Cut them.\"}\n\
             {\"_id\": \"d2\", \"text\": \"Feed the sourdough.\"}\n\
             {\"_id\": \"d3\", \"text\": \"Oil the chain.\"}\n",
        ),
        (
            "queries.jsonl",
            "{\"_id\": \"q1\", \"text\": \"onions\", \"metadata\": {\"category\": \"food\"}}\n\
             {\"_id\": \"q2\", \"text\": \"sourdough\", \"metadata\": {\"category\": \"food\"}}\n\
             {\"_id\": \"q3\", \"text\": \"chain\"}\n",
        ),
        ("qrels.tsv", "query-id\tcorpus-id\tscore\nq1\td 1\t2\nq2\td2\t1\n"),
    ] {
        fs::write(set.join(file), text).expect("a file of the set");
    }
}

/// Eight queries, each labelled with `note`.
fn golden_file(vault: &TestVault, name: &str, note: &str) {
    let words = ["onions", "butter", "soup", "onion soup", "cook", "slowly", "cut", "in butter"];
    let lines = words.iter().enumerate().map(|(number, word)| {
        format!("{{\"id\": \"g{number}\", \"query\": \"{word}\", \"relevant\": [\"{note}\"]}}\n")
    });
    fs::write(vault.outer().join(name), lines.collect::<String>()).expect("the golden file");
}

/// Runs the binary with `line` as its stdin.
fn told(vault: &TestVault, arguments: &[&str], line: &str) -> Output {
    let mut command = command(vault);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary runs");
    // A run that fails early closes its end.
    let _ = child.stdin.take().expect("a pipe").write_all(line.as_bytes());
    child.wait_with_output().expect("the binary ends")
}

#[test]
fn a_judged_set_gives_a_run_and_figures() {
    let vault = notes();
    judged_set(&vault);
    let arguments = ["eval", "set", "--run", "a.run", "--metrics", "nDCG@10,MRR,hit@1"];
    insta::assert_snapshot!(shown(&vault, &arguments), @r"
    $ hiku eval set --run a.run --metrics nDCG@10,MRR,hit@1
    queries: 2 scored, 0 that nothing answers, 1 unjudged, 0 whose labels are all missing
    nDCG@10     1.0000  1.0000-1.0000  over 2
    MRR         1.0000  1.0000-1.0000  over 2
    hit@1       1.0000  1.0000-1.0000  over 2

    category  nDCG@10     MRR   hit@1
    food       1.0000  1.0000  1.0000
    ! indexed 3 documents in [TIME] s
    ! queries answered: 3, with 7 lines, in [TIME] s
    [exit 0]
    ");
    let run = fs::read_to_string(vault.outer().join("a.run")).expect("the run");
    assert!(run.starts_with("q1\tQ0\td 1\t1\t"), "{run}");
    let answer = json(&vault, &["eval", "set", "--json"]);
    assert_eq!(answer["counts"]["unjudged"], 1);
    assert_eq!(answer["metrics"][0]["metric"], "nDCG@10");
    assert_eq!(answer["queries"][0]["values"]["hit@1"], 1.0);
    assert_eq!(answer["categories"]["food"][0]["queries"], 2);
    let short = shown(&vault, &["eval", "set", "--limit", "1", "--metrics", "hit@1,hit@10"]);
    let warning = "! warning: hit@10 looks deeper than the 1 notes that were asked for (--limit)";
    assert_eq!(short.matches("! warning").count(), 1, "{short}");
    assert!(short.contains(warning), "{short}");
}

#[test]
fn a_set_without_judgements_still_gives_a_run() {
    let vault = notes();
    judged_set(&vault);
    fs::remove_file(vault.outer().join("set/qrels.tsv")).expect("the judgements");
    assert_eq!(code(&vault, &["eval", "set", "--run", "a.run"]), 0);
    assert!(vault.outer().join("a.run").exists());
    insta::assert_snapshot!(shown(&vault, &["eval", "set"]), @r"
    $ hiku eval set
    ! indexed 3 documents in [TIME] s
    ! queries answered: 3, with 7 lines, in [TIME] s
    ! error: set has no qrels.tsv, so there are no figures
    ! hint: write the run for another scorer: --run FILE
    [exit 2]
    ");
}

#[test]
fn a_golden_file_is_asked_of_the_index_as_it_is() {
    let vault = notes();
    golden_file(&vault, "g.jsonl", "recipes/soup.md");
    let arguments = ["eval", "--golden", "g.jsonl", "--vault", "vault"];
    assert_eq!(code(&vault, &arguments), 10, "there is no index, and none is made");
    assert_eq!(code(&vault, &arguments), 10);
    run(&vault, &["index", "--vault", "vault"]);
    vault.write("new.md", "More about onions and butter.");
    let listing = vault.listing();
    let answer = json(&vault, &[&arguments[..], &["--json"]].concat());
    assert_eq!(vault.listing(), listing);
    assert_eq!(answer["counts"]["scored"], 8);
    assert_eq!(json(&vault, &["status", "--vault", "vault", "--json"])["index"]["notes"], 3);

    let missing = "{\"id\": \"1\", \"query\": \"soup\", \"relevant\": [\"gone.md\"]}\n\
                   {\"id\": \"2\", \"query\": \"setup\", \"must_not\": [\"recipes/soup.md\"]}\n";
    fs::write(vault.outer().join("m.jsonl"), missing).expect("the golden file");
    let arguments = ["eval", "--golden", "m.jsonl", "--vault", "vault"];
    insta::assert_snapshot!(shown(&vault, &arguments), @r"
    $ hiku eval --golden m.jsonl --vault vault
    queries: 0 scored, 1 that nothing answers, 0 unjudged, 1 whose labels are all missing
    silence     0.0000  0.0000-0.0000  over 1
    clean@10    0.0000  0.0000-0.0000  over 1

    of the queries that nothing answers, 1 of 1 found something

    must-not notes among the first 10, 1:
      2 setup: recipes/soup.md

    labels that name no note of the index, 1:
      1: gone.md

    queries that are not scored, as no relevant note of theirs is in the index, 1:
      1 soup
    ! queries answered: 2, with 5 lines, in [TIME] s
    [exit 0]
    ");
    let fixed = [&arguments[..], &["--set", "chunk.max_characters=900"]].concat();
    assert_eq!(code(&vault, &fixed), 2);
}

#[test]
fn an_index_without_notes_is_no_zero() {
    let vault = TestVault::new("//- a.txt\nno note\n");
    golden_file(&vault, "g.jsonl", "a.md");
    run(&vault, &["index", "--vault", "vault"]);
    let output = shown(&vault, &["eval", "--golden", "g.jsonl", "--vault", "vault"]);
    assert!(output.ends_with("[exit 10]"), "{output}");
    assert!(output.contains("! hint: build it: hiku index --vault [DIR]/vault"), "{output}");
}

#[test]
fn a_significant_fall_fails_the_gate_and_keeps_the_baseline() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    golden_file(&vault, "right.jsonl", "recipes/soup.md");
    golden_file(&vault, "wrong.jsonl", "log/2026-04-10.md");
    let measure = |file: &str, more: &[&str]| {
        let arguments = ["eval", "--golden", file, "--vault", "vault", "--metrics", "MRR"];
        shown(&vault, &[&arguments[..], more].concat())
    };
    assert!(measure("right.jsonl", &["--save", "base.json"]).ends_with("[exit 0]"));
    let baseline = fs::read(vault.outer().join("base.json")).expect("the baseline");
    let same = measure("right.jsonl", &["--gate", "base.json"]);
    assert!(same.contains("! no metric fell significantly since base.json"), "{same}");
    assert!(same.ends_with("[exit 0]"), "{same}");
    let fallen = measure("wrong.jsonl", &["--gate", "base.json", "--save", "base.json"]);
    assert!(fallen.contains("! error: fell significantly since base.json:"), "{fallen}");
    assert!(fallen.contains("  MRR (all): 1.0000 -> "), "{fallen}");
    assert!(fallen.contains("    g0 1.0000 -> "), "{fallen}");
    assert!(fallen.ends_with("[exit 1]"), "{fallen}");
    assert_eq!(fs::read(vault.outer().join("base.json")).expect("the baseline"), baseline);
    fs::write(vault.outer().join("base.json"), "{\"schema\": 1}").expect("a file");
    let malformed = measure("right.jsonl", &["--gate", "base.json"]);
    assert!(malformed.contains("! error: base.json is no baseline: missing field"), "{malformed}");
    assert!(malformed.ends_with("[exit 2]"), "{malformed}");
}

#[test]
fn two_runs_are_compared() {
    let vault = notes();
    judged_set(&vault);
    for (file, text) in [
        ("a.run", "q1 Q0 d2 1 0.9 x\nq2 Q0 d2 1 0.9 x\n"),
        ("b.run", "q1\tQ0\td 1\t1\t0.9\tx\nq2\tQ0\td3\t1\t0.9\tx\nq2\tQ0\td2\t2\t0.8\tx\n"),
        ("bad.run", "q1 Q0 d2 1 0.9 x\nq1 Q0 d2\n"),
    ] {
        fs::write(vault.outer().join(file), text).expect("a run");
    }
    let arguments =
        ["eval", "compare", "a.run", "b.run", "--qrels", "set", "--metrics", "MRR,hit@1"];
    insta::assert_snapshot!(shown(&vault, &arguments), @r"
    $ hiku eval compare a.run b.run --qrels set --metrics MRR,hit@1
    all
      MRR         0.5000 -> 0.7500  +0.2500 [-0.5000, +1.0000]  p 1.0000  better 1, same 0, worse 1
      hit@1       0.5000 -> 0.5000  +0.0000 [-1.0000, +1.0000]  p 1.0000  better 1, same 0, worse 1
    food
      MRR         0.5000 -> 0.7500  +0.2500 [-0.5000, +1.0000]  p 1.0000  better 1, same 0, worse 1
      hit@1       0.5000 -> 0.5000  +0.0000 [-1.0000, +1.0000]  p 1.0000  better 1, same 0, worse 1

    greatest changes of MRR:
      0.0000 -> 1.0000  q1 onions
      1.0000 -> 0.5000  q2 sourdough
    [exit 0]
    ");
    let answer = json(&vault, &[&arguments[..], &["--json"]].concat());
    assert_eq!(answer["differences"][0]["wins"], 1);
    assert_eq!(answer["differences"][0]["changes"][1]["id"], "q2");
    let arguments = ["eval", "compare", "a.run", "bad.run", "--qrels", "set"];
    insta::assert_snapshot!(shown(&vault, &arguments), @r"
    $ hiku eval compare a.run bad.run --qrels set
    ! error: bad.run:2: a line of a run has 6 fields (query Q0 document rank score tag), and this has 3
    ! hint: correct it (docs/evaluation.md has the layout): $EDITOR +2 bad.run
    [exit 2]
    ");
}

#[test]
fn queries_are_labelled_from_a_searchs_results() {
    let vault = notes();
    run(&vault, &["index", "--vault", "vault"]);
    let listing = vault.listing();
    let add = |query: &'static str, more: &[&'static str]| {
        let arguments = ["eval", "golden", "add", query, "--golden", "g.jsonl", "--vault", "vault"];
        [&arguments[..], more].concat()
    };
    let asked = add("onion soup", &["-n", "2", "--category", "keyword"]);
    insta::assert_snapshot!(shown_as(&vault, &asked, &told(&vault, &asked, "1 / 2\n")), @r"
    $ hiku eval golden add onion soup --golden g.jsonl --vault vault -n 2 --category keyword
      1  recipes/soup.md:1  Onion soup
         Onion soup
      2  log/2026-04-10.md:5  Friday
         Soup.
    ! relevant / partly / must not (such as 1 3 / 2 / 5; 0: nothing answers it; empty: add nothing)
    ! added g001 to g.jsonl
    [exit 0]
    ");
    let nothing = add("sourdough", &[]);
    assert!(told(&vault, &nothing, "\n").status.success());
    assert!(told(&vault, &nothing, "0\n").status.success());
    assert_eq!(
        code(&vault, &add("権限", &["--relevant", "設計", "--must-not", "recipes/soup.md"])),
        0
    );
    let lines = fs::read_to_string(vault.outer().join("g.jsonl")).expect("the golden file");
    insta::assert_snapshot!(lines, @r#"
    {"id": "g001", "query": "onion soup", "relevant": ["recipes/soup.md"], "partly": ["log/2026-04-10.md"], "must_not": [], "category": "keyword"}
    {"id": "g002", "query": "sourdough", "relevant": [], "partly": [], "must_not": [], "category": ""}
    {"id": "g003", "query": "権限", "relevant": ["設計.md"], "partly": [], "must_not": ["recipes/soup.md"], "category": ""}
    "#);
    assert_eq!(told(&vault, &add("x", &[]), "9999\n").status.code(), Some(2));
    assert_eq!(told(&vault, &add("x", &[]), "/ 1\n").status.code(), Some(2));
    assert_eq!(code(&vault, &add("x", &["--relevant", "absent.md"])), 2);
    insta::assert_snapshot!(shown(&vault, &add("onion soup", &["--nothing"])), @r#"
    $ hiku eval golden add onion soup --golden g.jsonl --vault vault --nothing
    ! error: g.jsonl:1: the query "onion soup" is here already
    ! hint: correct it (docs/evaluation.md has the layout): $EDITOR +1 g.jsonl
    [exit 2]
    "#);
    assert_eq!(fs::read_to_string(vault.outer().join("g.jsonl")).expect("it"), lines);
    assert_eq!(vault.listing(), listing, "nothing is written in the vault");
}
