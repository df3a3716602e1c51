//! What a note's text is parsed to, case by case.
use super::*;

#[test]
fn smoke() {
    let note = parse("---\ntitle: x\n---\n# A [[b|c]]\n\nText #tag\n");
    dbg!(&note);
}
