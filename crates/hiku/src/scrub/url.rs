//! Detector of credentials in addresses: `scheme://user:password@host`, for databases and
//! anything else. Only the password (or a lone token) is a find.

use std::ops::Range;

use super::find::{Finds, Telling};
use super::value;

/// Longest part before the host, in bytes.
const USER_INFO_BYTES: usize = 300;
/// Shortest password in an address, in bytes.
const PASSWORD_BYTES: usize = 3;
/// Shortest token that stands alone before the host, in bytes.
const TOKEN_BYTES: usize = 20;
/// Longest scheme, in bytes.
const SCHEME_BYTES: usize = 20;

const DATABASES: &[&str] = &[
    "amqp",
    "amqps",
    "bolt",
    "clickhouse",
    "cockroachdb",
    "couchbase",
    "db2",
    "influxdb",
    "jdbc",
    "mariadb",
    "mongodb",
    "mongodb+srv",
    "mssql",
    "mysql",
    "mysql2",
    "neo4j",
    "neo4j+s",
    "oracle",
    "postgres",
    "postgresql",
    "redis",
    "rediss",
    "sqlserver",
];

/// Adds the password of the address whose `://` is at `hit`.
pub(super) fn detect(text: &[u8], hit: &Range<usize>, finds: &mut Finds) {
    let rest = &text[hit.end..];
    let Some(at_sign) = at_sign(rest) else { return };
    let user_info = &rest[..at_sign];
    let scheme = scheme(&text[..hit.start]);
    let is_database = DATABASES.iter().any(|name| scheme.eq_ignore_ascii_case(name.as_bytes()));
    let Some(colon) = user_info.iter().position(|&byte| byte == b':') else {
        let token = hit.end..hit.end + at_sign;
        if user_info.len() >= TOKEN_BYTES && value::is_random(user_info) {
            finds.add_as(Telling::Form, "basic-auth-url", token);
        }
        return;
    };
    let (user, password) = (&user_info[..colon], &user_info[colon + 1..]);
    if password.len() < PASSWORD_BYTES || is_stand_in(user, password, is_database) {
        return;
    }
    let rule = if is_database { "database-url" } else { "basic-auth-url" };
    finds.add_as(Telling::Form, rule, hit.end + colon + 1..hit.end + at_sign);
}

/// Where the `@` before the host is. Passwords with an unescaped `@` occur, so the last one
/// before the path counts.
fn at_sign(rest: &[u8]) -> Option<usize> {
    let is_end = |byte: &u8| !byte.is_ascii_graphic() || b"/?#\"'`<>\\|".contains(byte);
    let rest = &rest[..rest.len().min(USER_INFO_BYTES)];
    let authority = &rest[..rest.iter().position(is_end).unwrap_or(rest.len())];
    let last = authority.iter().rposition(|&byte| byte == b'@')?;
    let first = authority.iter().position(|&byte| byte == b'@')?;
    // `a:b@host1,c:d@host2` names several hosts.
    if authority[first..last].contains(&b',') { Some(first) } else { Some(last) }
}

fn scheme(before: &[u8]) -> &[u8] {
    let is_scheme = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+-.".contains(byte);
    let length = before.iter().rev().take(SCHEME_BYTES).take_while(is_scheme).count();
    &before[before.len() - length..]
}

/// `user:password@` in documentation. A database's address with the password `secret` is a
/// configuration that works; a web address with a password of small letters is an illustration.
fn is_stand_in(user: &[u8], password: &[u8], is_database: bool) -> bool {
    let plain_secret = is_database && password.eq_ignore_ascii_case(b"secret");
    let is_plain = password.iter().all(|byte| byte.is_ascii_lowercase() || *byte == b'-');
    let is_syntax = user.iter().chain(password).any(|byte| b"[]{}<>".contains(byte));
    let illustrates = is_syntax || (!is_database && (is_plain || user == password));
    (value::is_placeholder(password) && !plain_secret) || illustrates || value::is_code(password)
}
