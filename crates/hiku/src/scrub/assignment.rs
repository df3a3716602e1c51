//! Detectors of labelled values: passwords, secrets, tokens and keys that an assignment, a table,
//! a connection string or a sentence names. Judges label and value together; the reading of the
//! text is `label`'s, the look of the value `value`'s.

use std::ops::Range;

use super::find::Finds;
use super::label::{self, Assignment, Operator};
use super::naming::{self, Kind};
use super::value;

/// Shortest and longest password, in bytes. Three-digit values are far more often counts.
const PASSWORD_BYTES: Range<usize> = 4..129;
/// Longest number that is taken for a PIN, in digits.
const PIN_BYTES: usize = 12;
/// Shortest password without quotation marks, in bytes.
const BARE_PASSWORD_BYTES: usize = 6;
/// Shortest secret that is not random but stands in quotation marks, in bytes.
const CHOSEN_SECRET_BYTES: usize = 8;
/// Shortest password of letters alone, in quotation marks, in bytes.
const WORD_BYTES: usize = 7;
/// Shortest value of a label that only speaks of a key, and its least entropy in bits per byte
/// (for hexadecimal digits): below that, cache keys and identifiers are more frequent.
const KEY_BYTES: usize = 20;
const KEY_ENTROPY: f64 = 3.5;
const HEX_KEY_BYTES: usize = 32;
/// Bytes around a `Password=...;` in which a connection string names its server or user.
const CONNECTION_BYTES: usize = 200;
/// Shortest password without quotation marks in a sentence, in bytes.
const STRONG_BYTES: usize = 8;
/// Bytes between the word "password" and "is" in a sentence.
const SENTENCE_BYTES: usize = 60;

/// Adds the credential that the label around the keyword at `hit` names, and returns where the
/// label ends: its further keywords need no look.
pub(super) fn detect(text: &[u8], hit: &Range<usize>, finds: &mut Finds) -> usize {
    let Some(found) = label::assignment(text, hit) else {
        sentence(text, hit, finds);
        return hit.end;
    };
    let named = label::with_word_before(text, &found.label);
    let credential = &text[found.value.clone()];
    let rule = match naming::kind(&text[named]) {
        _ if is_private_key_id(text, &found) => Some("cloud-service-account"),
        Kind::Password if is_connection(text, &found, credential) => Some("connection-string"),
        Kind::Password => is_password(text, &found, credential).then_some("password-assignment"),
        Kind::Secret => secret_rule(text, &found, credential),
        Kind::Key => key_rule(&found, credential),
        Kind::Other => None,
    };
    if let Some(rule) = rule {
        finds.add(rule, found.value);
    }
    found.label.end
}

fn is_private_key_id(text: &[u8], found: &Assignment) -> bool {
    let credential = &text[found.value.clone()];
    text[found.label.clone()].ends_with(b"private_key_id")
        && credential.len() >= HEX_KEY_BYTES
        && value::is_hex(credential)
}

fn is_password(text: &[u8], found: &Assignment, credential: &[u8]) -> bool {
    if !PASSWORD_BYTES.contains(&credential.len()) || value::is_placeholder(credential) {
        return false;
    }
    if is_pin(&text[found.label.clone()], &text[found.value.end..], credential) {
        return true;
    }
    let one_word = !credential.iter().any(u8::is_ascii_whitespace);
    let mixed = value::is_mixed(credential) && one_word;
    match found.operator {
        Operator::Comma | Operator::Call if !found.quoted => false,
        Operator::Comma => value::is_random(credential),
        Operator::Tag | Operator::Cell | Operator::Option | Operator::Is if !found.quoted => {
            mixed && credential.len() >= BARE_PASSWORD_BYTES && !value::is_code(credential)
        }
        _ if found.quoted => {
            let spelled_out = value::contains_ignoring_case(&text[found.label.clone()], b"passw")
                || value::contains_ignoring_case(&text[found.label.clone()], b"passp")
                || !text[found.label.clone()].is_ascii();
            let long = mixed || (spelled_out && credential.len() >= WORD_BYTES);
            // Backticks are Markdown's, and hold names and types as often as values.
            let certain = found.operator != Operator::Colon || found.mark != b'`' || mixed;
            credential.is_ascii() && one_word && long && certain && !value::is_code(credential)
        }
        _ => is_bare_password(text, found, credential, mixed),
    }
}

/// The digits behind 暗証番号, but not how many of them it takes (桁).
fn is_pin(label: &[u8], behind: &[u8], credential: &[u8]) -> bool {
    let names = ["暗証番号", "パスコード"];
    names.iter().any(|name| label.ends_with(name.as_bytes()))
        && credential.len() <= PIN_BYTES
        && credential.iter().all(u8::is_ascii_digit)
        && !["桁", "文字", "年"].iter().any(|unit| behind.starts_with(unit.as_bytes()))
}

/// Without quotation marks a word may be the name of a variable or a type.
fn is_bare_password(text: &[u8], found: &Assignment, credential: &[u8], mixed: bool) -> bool {
    let digits_only = credential.iter().all(u8::is_ascii_digit);
    let label = &text[found.label.clone()];
    let is_variable = label.contains(&b'_') && !label.iter().any(u8::is_ascii_lowercase);
    let tight = found.operator == Operator::Equals && found.tight;
    let plain = (tight || is_variable) && found.ends_line;
    credential.len() >= BARE_PASSWORD_BYTES
        && !value::is_code(credential)
        && (mixed || plain || (digits_only && found.ends_line))
}

/// `Server=...;User Id=...;Password=...;` and the like.
fn is_connection(text: &[u8], found: &Assignment, credential: &[u8]) -> bool {
    const PARTS: &[&str] = &[
        "server=",
        "data source=",
        "host=",
        "uid=",
        "user id=",
        "userid=",
        "provider=",
        "driver=",
        "initial catalog=",
        "database=",
        "dsn=",
        "username=",
    ];
    let is_code = credential.contains(&b'{') || credential.contains(&b'(');
    if found.operator != Operator::Equals || found.quoted || is_code {
        return false;
    }
    let stand_in = value::is_placeholder(credential) && !credential.eq_ignore_ascii_case(b"secret");
    let line = line_around(text, found);
    let names_part = |part: &&str| value::contains_ignoring_case(line, part.as_bytes());
    !stand_in && line.contains(&b';') && PARTS.iter().any(names_part)
}

/// The line of the assignment, at most [`CONNECTION_BYTES`] to each side.
fn line_around<'t>(text: &'t [u8], found: &Assignment) -> &'t [u8] {
    let before = &text[found.label.start.saturating_sub(CONNECTION_BYTES)..found.label.start];
    let behind = &text[found.value.end..text.len().min(found.value.end + CONNECTION_BYTES)];
    let is_break = |byte: &u8| *byte == b'\n';
    let before = before.iter().rev().take_while(|byte| !is_break(byte)).count();
    let behind = behind.iter().take_while(|byte| !is_break(byte)).count();
    &text[found.label.start - before..found.value.end + behind]
}

fn secret_rule(text: &[u8], found: &Assignment, credential: &[u8]) -> Option<&'static str> {
    if value::is_placeholder(credential) || credential.contains(&b' ') {
        return None;
    }
    if value::is_random(credential) && !value::contains_ignoring_case(credential, b"://") {
        return Some(random_rule(credential));
    }
    let says = |word: &[u8]| value::contains_ignoring_case(&text[found.label.clone()], word);
    let alone = (found.quoted || found.ends_line) && found.operator != Operator::Comma;
    // Many services issue UUIDs as keys, but a "token" alone is too often an identifier.
    let says_key = says(b"api") || says(b"access") || says(b"secret");
    if value::is_uuid(credential) && alone && says_key {
        return Some("secret-assignment");
    }
    let says_secret = says(b"secret");
    let chosen = says_secret
        && found.quoted
        && !matches!(found.operator, Operator::Comma | Operator::Call)
        && credential.len() >= CHOSEN_SECRET_BYTES
        && value::is_mixed(credential)
        && !value::is_code(credential);
    chosen.then_some("secret-assignment")
}

fn key_rule(found: &Assignment, credential: &[u8]) -> Option<&'static str> {
    if found.operator == Operator::Call {
        return None;
    }
    let long = if value::is_hex(credential) { HEX_KEY_BYTES } else { KEY_BYTES };
    let entropy = if value::is_hex(credential) { 3.0 } else { KEY_ENTROPY };
    let random = found.operator != Operator::Comma
        && credential.len() >= long
        && !value::is_placeholder(credential)
        && !value::is_code(credential)
        && value::is_random(credential)
        && value::entropy(credential) > entropy;
    random.then(|| random_rule(credential))
}

/// The detector's name by the alphabet of a random value.
fn random_rule(credential: &[u8]) -> &'static str {
    if value::is_hex(credential) {
        "high-entropy-hex"
    } else if value::is_base64(credential) {
        "high-entropy-base64"
    } else {
        "secret-assignment"
    }
}

/// `the password for user 'x' is 'y'`, `the password is Y`.
fn sentence(text: &[u8], hit: &Range<usize>, finds: &mut Finds) {
    let rest = &text[hit.end..text.len().min(hit.end + SENTENCE_BYTES)];
    let endings = [&b"word"[..], b"phrase", b"code"];
    let is_password = text[hit.clone()].eq_ignore_ascii_case(b"pass")
        && endings.iter().any(|ending| {
            rest.get(..ending.len()).is_some_and(|part| part.eq_ignore_ascii_case(ending))
        });
    if !is_password {
        return;
    }
    let line = rest.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let Some(at) = line.windows(4).position(|part| part.eq_ignore_ascii_case(b" is ")) else {
        return;
    };
    let start = hit.end + at + 4;
    let quoted = label::quoted(text, start);
    let value = quoted.clone().unwrap_or_else(|| label::bare(text, start, Operator::Is));
    let credential = &text[value.clone()];
    let accepted = PASSWORD_BYTES.contains(&credential.len())
        && (quoted.is_some() || (credential.len() >= STRONG_BYTES && value::is_strong(credential)))
        && credential.is_ascii()
        && !credential.iter().any(u8::is_ascii_whitespace)
        && !value::is_placeholder(credential)
        && !value::is_code(credential);
    if accepted {
        finds.add("password-assignment", value);
    }
}
