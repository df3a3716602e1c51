//! What a value looks like: a stand-in, a piece of code, a random token, a password. Pure
//! judgement about one value; knows nothing of labels or of where the value stood.

/// Words that documentation writes where a credential goes, in lower case; the whole value.
const STAND_INS: &[&str] = &[
    "abc",
    "abc123",
    "any",
    "apikey",
    "api_key",
    "api-key",
    "array",
    "bar",
    "bearer",
    "blank",
    "bool",
    "boolean",
    "buffer",
    "bytes",
    "cancel",
    "changeit",
    "changeme",
    "char",
    "clear",
    "client_secret",
    "confirm",
    "current",
    "current-password",
    "default",
    "disabled",
    "empty",
    "enabled",
    "enter",
    "error",
    "false",
    "foo",
    "foobar",
    "forgot",
    "function",
    "hide",
    "hidden",
    "input",
    "int",
    "integer",
    "invalid",
    "key",
    "login",
    "missing",
    "mypass",
    "n/a",
    "new",
    "new-password",
    "nil",
    "no",
    "none",
    "not-set",
    "null",
    "number",
    "object",
    "off",
    "old",
    "on",
    "one-time-code",
    "optional",
    "pass",
    "passphrase",
    "passwd",
    "password",
    "plain",
    "private",
    "protected",
    "public",
    "pw",
    "pwd",
    "read",
    "required",
    "reset",
    "save",
    "secret",
    "secretkey",
    "secret_key",
    "self",
    "set",
    "show",
    "some_password",
    "static",
    "str",
    "string",
    "submit",
    "test",
    "text",
    "textarea",
    "this",
    "token",
    "true",
    "type",
    "uint8array",
    "undefined",
    "unknown",
    "unset",
    "update",
    "user",
    "username",
    "value",
    "void",
    "write",
    "yes",
    "passwort",
    "kennwort",
    "senha",
    "contraseña",
    "wachtwoord",
    "mot_de_passe",
    "motdepasse",
];

/// Parts that mark a value as a stand-in wherever they stand, in lower case.
const STAND_IN_PARTS: &[&str] = &[
    "your",
    "example",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "xxxx",
    "redacted",
    "dummy",
    "replace",
    "insert",
    "todo",
    "...",
    "…",
    "&lt;",
    "${",
    "{{",
    "$(",
    "#{",
    "<%",
    "%>",
    "process.env",
    "os.environ",
    "getenv",
    "env(",
    "env[",
    "import.meta",
    "secrets.",
    "●●",
    "••",
    "a1b2c3d4",
    "d4c3b2a1",
    "00000000-0000",
];

/// Longest stand-in, in bytes: in a long random token such a part occurs by chance.
const STAND_IN_BYTES: usize = 80;
/// Runs of neighbours on the keyboard or in the alphabet of this many bytes are no credentials.
const SEQUENCE_BYTES: usize = 7;
/// Least length of a value whose short parts are judged together, in bytes.
const JOINED_BYTES: usize = 14;
/// Least length of a value that is taken for random, in bytes.
const RANDOM_BYTES: usize = 12;

/// Shannon entropy in bits per byte, at most 8; 0 for an empty value.
pub(super) fn entropy(value: &[u8]) -> f64 {
    let mut counts = [0u32; 256];
    for &byte in value {
        counts[usize::from(byte)] += 1;
    }
    let length = value.len() as f64;
    let share = |&count: &u32| f64::from(count) / length;
    counts.iter().filter(|&&count| count > 0).map(share).map(|share| -share * share.log2()).sum()
}

/// Whether `byte` may stand in a label such as `client.secret_key`.
pub(super) fn is_label_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.')
}

/// Whether `word` (in lower case) occurs in `value`, whatever the value's case.
pub(super) fn contains_ignoring_case(value: &[u8], word: &[u8]) -> bool {
    value.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word))
}

/// Whether the value stands in for a credential: `<your-token>`, `xxxx`, `${ENV}`, `changeme`.
pub(super) fn is_placeholder(value: &[u8]) -> bool {
    let is_edge = |byte: &u8| b"'\"` ".contains(byte);
    let start = value.iter().position(|byte| !is_edge(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|byte| !is_edge(byte)).map_or(start, |last| last + 1);
    let value = &value[start..end];
    is_stand_in_word(value)
        || is_bracketed(value)
        || is_variable(value)
        || distinct_bytes(value) <= 2
        || has_sequence(value)
        || (value.len() <= STAND_IN_BYTES && has_stand_in_part(value))
}

fn has_stand_in_part(value: &[u8]) -> bool {
    STAND_IN_PARTS.iter().any(|part| contains_ignoring_case(value, part.as_bytes()))
}

/// Whether the value is one of the words that documentation uses for "a password goes here".
pub(super) fn is_stand_in_word(value: &[u8]) -> bool {
    STAND_INS.iter().any(|word| value.eq_ignore_ascii_case(word.as_bytes()))
}

fn is_bracketed(value: &[u8]) -> bool {
    const PAIRS: [&[u8; 2]; 7] = [b"<>", b"[]", b"{}", b"()", b"%%", b"@@", b"^^"];
    let (Some(&first), Some(&last)) = (value.first(), value.last()) else { return true };
    first == b'<' || (value.len() > 1 && PAIRS.contains(&&[first, last]))
}

/// `$NAME`, `$env:NAME`, `$BASE/path`, `$first$second`.
fn is_variable(value: &[u8]) -> bool {
    let is_name = |name: &[u8]| {
        name.first().is_some_and(|&byte| byte.is_ascii_alphabetic() || byte == b'_')
            && name.iter().all(|&byte| byte.is_ascii_alphanumeric() || b"_:.".contains(&byte))
    };
    let Some(names) = value.strip_prefix(b"$") else { return false };
    let path = names.split(|&byte| byte == b'/').next().unwrap_or_default();
    path.split(|&byte| byte == b'$').all(is_name)
}

fn distinct_bytes(value: &[u8]) -> u32 {
    let mut seen = [0u64; 4];
    for &byte in value {
        seen[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }
    seen.iter().map(|bits| bits.count_ones()).sum()
}

/// Whether the value holds a run such as `12345678` or `abcdefgh`.
fn has_sequence(value: &[u8]) -> bool {
    let mut run = 1;
    for pair in value.windows(2) {
        let (first, second) = (pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase());
        let steps = first.is_ascii_alphanumeric()
            && (second == first.wrapping_add(1) || (first, second) == (b'9', b'0'));
        run = if steps { run + 1 } else { 1 };
        if run >= SEQUENCE_BYTES {
            return true;
        }
    }
    false
}

/// Whether the value is an expression rather than a text: a call, a member, a path, an address.
pub(super) fn is_code(value: &[u8]) -> bool {
    let signs = [&b"("[..], b"->", b"::", b"=>", b"://", b"[\"", b"['", b"\\("];
    signs.iter().any(|sign| contains_ignoring_case(value, sign))
        || matches!(
            value.first(),
            Some(b'/' | b'.' | b'#' | b'\\' | b'@' | b'{' | b'[' | b'&' | b'|' | b':')
        )
        || (value.contains(&b'{') && value.contains(&b'}'))
        || is_joined_names(value)
        || is_number(value)
}

/// `0x0B95`: the value of a constant.
fn is_number(value: &[u8]) -> bool {
    let digits = value.strip_prefix(b"0x").or_else(|| value.strip_prefix(b"0X"));
    digits.is_some_and(|digits| digits.len() <= 16 && digits.iter().all(u8::is_ascii_hexdigit))
}

/// Names of members, files and identifiers: `request.form.password`, `users/passwords#update`,
/// `user_password`.
fn is_joined_names(value: &[u8]) -> bool {
    let is_joint = |byte: &u8| b"._/".contains(byte);
    let mut names = value.split(is_joint);
    let is_name = |&byte: &u8| byte.is_ascii_alphabetic() || byte == b'-' || byte == b'#';
    value.iter().any(is_joint) && names.all(|name| name.iter().all(is_name))
}

/// Whether the value is a UUID.
pub(super) fn is_uuid(value: &[u8]) -> bool {
    value.len() == 36
        && value.iter().enumerate().all(|(at, &byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether the value is made of hexadecimal digits of one case, letters among them.
pub(super) fn is_hex(value: &[u8]) -> bool {
    let one_case = |letters: std::ops::RangeInclusive<u8>| {
        value.iter().all(|byte| byte.is_ascii_digit() || letters.contains(byte))
            && value.iter().any(|byte| letters.contains(byte))
    };
    one_case(b'a'..=b'f') || one_case(b'A'..=b'F')
}

/// Whether the value uses the Base64 alphabets only.
pub(super) fn is_base64(value: &[u8]) -> bool {
    let body = value.iter().rposition(|&byte| byte != b'=').map_or(0, |at| at + 1);
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte);
    body > 0 && value.len() - body <= 2 && value[..body].iter().all(is_digit)
}

/// Whether the value looks drawn at random: one unbroken part in which digits and letters, or
/// capitals and small letters, keep changing places.
pub(super) fn is_random(value: &[u8]) -> bool {
    if value.len() < RANDOM_BYTES || value.iter().any(u8::is_ascii_whitespace) || is_uuid(value) {
        return false;
    }
    let mut parts = value.split(|&byte| !byte.is_ascii_alphanumeric());
    parts.any(is_random_part)
        || (value.len() >= JOINED_BYTES && changes_often(&alphanumerics(value)))
}

fn alphanumerics(value: &[u8]) -> Vec<u8> {
    value.iter().copied().filter(u8::is_ascii_alphanumeric).collect()
}

fn is_random_part(part: &[u8]) -> bool {
    if part.len() < 8 {
        return false;
    }
    let digits = part.iter().filter(|byte| byte.is_ascii_digit()).count();
    let runs = part.split(|byte| !byte.is_ascii_digit()).filter(|run| !run.is_empty()).count();
    let interleaved = runs >= 2 && part.len() - digits >= 3 && changes(part) >= 4;
    interleaved || (part.len() >= 16 && changes_often(part))
}

/// How often neighbours are of different kinds: digit, small letter, capital.
fn changes(part: &[u8]) -> usize {
    let kind = |byte: u8| {
        if byte.is_ascii_digit() { 0 } else { 1 + u8::from(byte.is_ascii_uppercase()) }
    };
    part.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

/// Of random letters and digits six in ten neighbours differ in kind, of words in camel case
/// three in ten.
fn changes_often(part: &[u8]) -> bool {
    changes(part) * 20 >= part.len() * 9
}

/// Whether the value mixes kinds of characters as a chosen password does. A dollar sign does not
/// count: it starts variables.
pub(super) fn is_mixed(value: &[u8]) -> bool {
    let has = |kind: fn(&u8) -> bool| value.iter().any(kind);
    let letters = has(u8::is_ascii_alphabetic);
    let digits = has(u8::is_ascii_digit);
    let signs = value.iter().any(|byte| b"!@#%^&*+=?~".contains(byte));
    letters && (digits || signs)
}

/// Whether the value holds a capital, a small letter and a digit, which no word of a sentence
/// does.
pub(super) fn is_strong(value: &[u8]) -> bool {
    let has = |kind: fn(&u8) -> bool| value.iter().any(kind);
    has(u8::is_ascii_uppercase)
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_digit)
        && !value.contains(&b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(judge: fn(&[u8]) -> bool, expected: bool, values: &[&str]) {
        for value in values {
            assert_eq!(judge(value.as_bytes()), expected, "{value}");
        }
    }

    #[test]
    fn stand_ins() {
        check(
            is_placeholder,
            true,
            &["<your-token>", "xxxx", "YOUR_API_KEY", "changeme", "********"],
        );
        check(
            is_placeholder,
            true,
            &["${ENV}", "{{ template }}", "process.env.X", "$TOKEN", "%PASS%"],
        );
        check(
            is_placeholder,
            true,
            &["os.environ['X']", "[token]", "…", "password", "", "12345678"],
        );
        check(is_placeholder, false, &["hunter2", "pa$$w0rd", "Tr0ub4dor&3"]);
    }

    #[test]
    fn random_tokens() {
        check(is_random, true, &["9f86d081884c7d65", "AbX9y6Fe3AuH5o66", "zt7GeN6IH911xvRj"]);
        check(is_random, true, &["0qk+o7XctJMmG6ydO8537c9+TofLJU1K0PiVBXSg"]);
        check(
            is_random,
            false,
            &["getUserAccessToken2", "my-application-key-2", "sha256", "2022-09-26"],
        );
        check(is_random, false, &["20220926T215547Z", "54348bc1-6e3b-4cda-8b18-c6033ca7d328"]);
    }

    #[test]
    fn code() {
        check(
            is_code,
            true,
            &["getPassword()", "request.form.password", "std::env", "/etc/key", "#add"],
        );
        check(is_code, false, &["hunter2", "a.b1", "p@ss.word"]);
    }

    #[test]
    fn entropy_in_bits() {
        assert!(entropy(b"").abs() < 1e-9);
        assert!((entropy(b"abcd") - 2.0).abs() < 1e-9);
        assert!(entropy(b"aaaa").abs() < 1e-9);
    }
}
