//! What a label's words mean: whether it names a password, a secret, a key, or something about one
//! that is not secret itself. Knows nothing of values.

/// What a label says of its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A password, which may be any word.
    Password,
    /// A secret, token or API key, which is drawn at random.
    Secret,
    /// A key of some kind, maybe a secret one.
    Key,
    /// Nothing secret.
    Other,
}

/// The words of a label in lower case: `awsSecretKey` and `AWS_SECRET-KEY` are three each.
fn words(label: &[u8]) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut before = b' ';
    for (at, &byte) in label.iter().enumerate() {
        let next_is_small = label.get(at + 1).is_some_and(u8::is_ascii_lowercase);
        let starts = byte.is_ascii_uppercase()
            && (before.is_ascii_lowercase() || (before.is_ascii_uppercase() && next_is_small));
        if byte.is_ascii_alphabetic() || !byte.is_ascii() {
            let word_goes_on = before.is_ascii_alphabetic() || !before.is_ascii();
            if starts || !word_goes_on {
                words.push(String::new());
            }
            if let Some(word) = words.last_mut() {
                word.push(char::from(byte.to_ascii_lowercase()));
            }
        }
        before = byte;
    }
    words
}

/// Labels whose last word is one of these name something about a secret, not the secret.
const HEADS: &[&str] = &[
    "algorithm",
    "alias",
    "attribute",
    "box",
    "button",
    "change",
    "class",
    "column",
    "confirmation",
    "count",
    "data",
    "description",
    "dir",
    "directory",
    "element",
    "endpoint",
    "entropy",
    "error",
    "event",
    "exists",
    "expires",
    "expiry",
    "field",
    "file",
    "filename",
    "form",
    "format",
    "generator",
    "handler",
    "help",
    "hint",
    "icon",
    "id",
    "index",
    "info",
    "input",
    "issuer",
    "label",
    "length",
    "level",
    "limit",
    "link",
    "list",
    "location",
    "manager",
    "mask",
    "max",
    "message",
    "method",
    "min",
    "mode",
    "name",
    "option",
    "options",
    "page",
    "param",
    "path",
    "pattern",
    "placeholder",
    "policy",
    "prefix",
    "prompt",
    "property",
    "provider",
    "ref",
    "regex",
    "region",
    "required",
    "reset",
    "route",
    "rule",
    "rules",
    "salt",
    "scope",
    "scopes",
    "selector",
    "service",
    "set",
    "size",
    "status",
    "store",
    "strength",
    "suffix",
    "table",
    "template",
    "text",
    "timeout",
    "title",
    "ttl",
    "type",
    "uri",
    "url",
    "usage",
    "user",
    "username",
    "valid",
    "validator",
    "value",
    "version",
    "view",
];

/// Labels with one of these words anywhere name something that is public.
const PUBLIC: &[&str] = &[
    "accept",
    "access-control",
    "anti",
    "cache",
    "checksum",
    "commit",
    "csrf",
    "digest",
    "fingerprint",
    "foreign",
    "frame",
    "hash",
    "hashed",
    "integrity",
    "keyboard",
    "keyframe",
    "keyframes",
    "monkey",
    "nonce",
    "partition",
    "press",
    "primary",
    "pub",
    "public",
    "publishable",
    "sha",
    "socket",
    "sort",
    "tokenizer",
    "turkey",
    "websocket",
    "xsrf",
];

/// With "key" behind it, each of these names a secret.
const KEY_OWNERS: &[&str] = &[
    "access",
    "account",
    "admin",
    "api",
    "app",
    "application",
    "auth",
    "client",
    "consumer",
    "deploy",
    "developer",
    "encryption",
    "hmac",
    "ingest",
    "insert",
    "jwt",
    "license",
    "master",
    "presharedkey",
    "preshared",
    "private",
    "query",
    "secret",
    "server",
    "service",
    "session",
    "shared",
    "signing",
    "stream",
    "subscription",
    "unseal",
    "user",
    "webhook",
    "write",
];

/// What the label says of its value.
pub(super) fn kind(label: &[u8]) -> Kind {
    if !label.is_ascii() {
        return japanese_kind(label);
    }
    let words = words(label);
    let Some(last) = words.last() else { return Kind::Other };
    let is_public = words.iter().any(|word| {
        PUBLIC.contains(&word.as_str()) || word.contains("csrf") || word.contains("xsrf")
    });
    if is_public || HEADS.contains(&last.as_str()) {
        return Kind::Other;
    }
    if words.iter().any(|word| is_password(word)) || is_pass(last) {
        return Kind::Password;
    }
    let owned_key = words.windows(2).any(|pair| {
        KEY_OWNERS.contains(&pair[0].as_str()) && matches!(pair[1].as_str(), "key" | "pat")
    });
    if owned_key || words.iter().any(|word| is_secret(word)) {
        return Kind::Secret;
    }
    // A key alone is the key of a map far more often than a secret.
    let is_key = |word: &String| {
        matches!(word.as_str(), "auth" | "authorization" | "pat")
            || (word.ends_with("key") && words.len() > 1)
    };
    if words.iter().any(is_key) { Kind::Key } else { Kind::Other }
}

fn is_password(word: &str) -> bool {
    ["password", "passwd", "passphrase", "passcode", "pwd", "passwort"]
        .iter()
        .any(|name| word.ends_with(name))
}

/// "pass" has many meanings; as the last word of a label it is a password.
fn is_pass(word: &str) -> bool {
    const OWNERS: &[&str] = &[
        "", "admin", "app", "auth", "db", "ftp", "login", "mail", "my", "root", "smtp", "sql",
        "user",
    ];
    word == "pw" || word.strip_suffix("pass").is_some_and(|owner| OWNERS.contains(&owner))
}

fn is_secret(word: &str) -> bool {
    ["secret", "token", "apikey", "accesskey", "secretkey", "privatekey", "authkey", "licensekey"]
        .iter()
        .any(|name| word.ends_with(name))
        || matches!(word, "secrets" | "credential" | "credentials" | "creds" | "presharedkey")
}

fn japanese_kind(label: &[u8]) -> Kind {
    let has = |words: &[&str]| {
        words.iter().any(|word| label.windows(word.len()).any(|part| part == word.as_bytes()))
    };
    if has(&["公開鍵", "文字数", "長さ", "ポリシー"]) {
        Kind::Other
    } else if has(&["パスワード", "パスフレーズ", "パスコード", "暗証番号"]) {
        Kind::Password
    } else {
        Kind::Secret
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds() {
        let kinds = [
            ("password", Kind::Password),
            ("DB_PASS", Kind::Password),
            ("userPassword", Kind::Password),
            ("bypass", Kind::Other),
            ("passwordLabel", Kind::Other),
            ("clientSecret", Kind::Secret),
            ("AWS_SECRET_ACCESS_KEY", Kind::Secret),
            ("api-key", Kind::Secret),
            ("public_key", Kind::Other),
            ("key", Kind::Other),
            ("linkedin_key", Kind::Key),
            ("Sec-WebSocket-Key", Kind::Other),
            ("token_url", Kind::Other),
            ("パスワード", Kind::Password),
            ("公開鍵", Kind::Other),
        ];
        for (label, expected) in kinds {
            assert_eq!(kind(label.as_bytes()), expected, "{label}");
        }
    }
}
