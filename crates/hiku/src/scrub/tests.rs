//! Tests of the whole scrubber.

use super::*;

#[test]
fn smoke() {
    let scrubber = Scrubber::default();
    let text = format!("token: ghp_{}", "ZJDeVREhkptGF7Wvep0NwJWlPEQP7a0t2nxL");
    assert_eq!(scrubber.scrub(&text).text, "token: [REDACTED:github-pat]");
}
