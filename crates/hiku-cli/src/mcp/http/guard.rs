//! Who is let in: by the name that the server was called by, by the page that asks, and by the
//! token. Only [`Guard`] decides it, before anything of a body is read.
//!
//! Host and Origin keep out pages of a browser on this machine: one that has its own name point
//! here calls us by that name, and any other says where it comes from. The token keeps out everyone
//! else.

use std::net::{IpAddr, SocketAddr};

use super::head::Head;
use super::reply::Refusal;
use crate::safe;
use crate::settings::Token;

/// Who is let in.
#[derive(Debug)]
pub(super) struct Guard {
    /// True where only this machine reaches the address.
    is_local: bool,
    /// Names by which the server may be called, beside the machine's own.
    hosts: Vec<String>,
    /// What clients must show.
    token: Option<Token>,
}

/// True for an address that only this machine reaches.
pub(crate) fn is_local(address: SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}

impl Guard {
    /// The guard of a server at `address`.
    pub(super) fn new(address: SocketAddr, hosts: Vec<String>, token: Option<Token>) -> Self {
        Guard { is_local: is_local(address), hosts, token }
    }

    /// Lets a request in.
    ///
    /// # Errors
    /// 421 for a name that is none of ours, 403 for another's page, 401 without the token, 400 for
    /// a head that says one of them twice.
    pub(super) fn admit(&self, head: &Head) -> Result<(), Refusal> {
        self.check_host(head)?;
        self.check_origin(head)?;
        self.check_token(head)
    }

    fn check_host(&self, head: &Head) -> Result<(), Refusal> {
        let Some(name) = head.text("host")? else {
            return Err(Refusal::new(400, "the field Host is missing"));
        };
        let host = host_of(name);
        // A name can be made to point here by whoever owns it; an address cannot.
        let is_address = !self.is_local && host.and_then(address_of).is_some();
        if is_address || host.is_some_and(|host| self.knows(host)) {
            return Ok(());
        }
        let (name, advice) = (safe::label(name), "start it with --allow-host NAME");
        Err(Refusal::new(421, format!("this server is not called {name}; if it is, {advice}")))
    }

    fn check_origin(&self, head: &Head) -> Result<(), Refusal> {
        let Some(origin) = head.text("origin")? else { return Ok(()) };
        let schemes = ["http://", "https://"];
        let host = schemes.iter().find_map(|scheme| origin.strip_prefix(scheme)).and_then(host_of);
        if host.is_some_and(|host| self.knows(host)) {
            return Ok(());
        }
        let origin = safe::label(origin);
        Err(Refusal::new(403, format!("pages of {origin} may not ask this server")))
    }

    fn check_token(&self, head: &Head) -> Result<(), Refusal> {
        let Some(token) = &self.token else { return Ok(()) };
        match head.one("authorization")?.and_then(bearer) {
            Some(given) if token.is(given) => Ok(()),
            _ => Err(Refusal::new(401, "send the server's token: Authorization: Bearer TOKEN")),
        }
    }

    /// True for a name or address of this machine for itself, and for the names that were allowed.
    fn knows(&self, host: &str) -> bool {
        host.eq_ignore_ascii_case("localhost")
            || address_of(host).is_some_and(|address| address.to_canonical().is_loopback())
            || self.hosts.iter().any(|name| name.eq_ignore_ascii_case(host))
    }
}

/// The host of `host`, `host:port` or `[address]:port`; `None` for anything else.
fn host_of(authority: &str) -> Option<&str> {
    let end = match authority.strip_prefix('[') {
        Some(rest) => rest.find(']')? + 2,
        None => authority.find(':').unwrap_or(authority.len()),
    };
    let (host, rest) = authority.split_at(end);
    let is_port = |port: &str| port.bytes().all(|byte| byte.is_ascii_digit());
    let is_whole = rest.is_empty() || rest.strip_prefix(':').is_some_and(is_port);
    (is_whole && !host.is_empty()).then_some(host)
}

/// The address that a host is, if it is one; IPv6 stands in brackets.
fn address_of(host: &str) -> Option<IpAddr> {
    match host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
        Some(inner) => inner.parse().ok().map(IpAddr::V6),
        None => host.parse().ok().map(IpAddr::V4),
    }
}

/// The token of `Bearer TOKEN`.
fn bearer(value: &[u8]) -> Option<&[u8]> {
    let (scheme, token) = value.split_at_checked(b"Bearer ".len())?;
    scheme.eq_ignore_ascii_case(b"Bearer ").then(|| token.trim_ascii())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "0123456789abcdef";

    fn guard(address: &str, hosts: &[&str], token: Option<&str>) -> Guard {
        let hosts = hosts.iter().map(|host| (*host).to_owned()).collect();
        let address = address.parse().expect("an address");
        Guard::new(address, hosts, token.map(|token| Token::new(token).expect("a token")))
    }

    /// The status of the refusal; 0 for who is let in.
    fn status(guard: &Guard, lines: &str) -> u16 {
        let text = format!("POST /mcp HTTP/1.1\r\n{lines}\r\n");
        let (head, _) = Head::read(text.as_bytes()).expect("a head").expect("all of it");
        guard.admit(&head).map_or_else(|refusal| refusal.status, |()| 0)
    }

    #[test]
    fn a_local_server_has_local_names() {
        let guard = guard("127.0.0.1:4458", &[], None);
        let check = |host: &str, expected: u16| {
            assert_eq!(status(&guard, &format!("Host: {host}\r\n")), expected, "{host}");
        };
        for name in ["localhost", "LocalHost:1", "127.0.0.1:4458", "127.9.9.9", "[::1]:4458"] {
            check(name, 0);
        }
        for name in [
            "",
            ":80",
            "evil.example",
            "evil.example:4458",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "localhost:80:90",
            "localhost:x",
            "user@localhost",
            "192.168.0.1",
            "0.0.0.0",
            "[::1",
            "[fe80::1]",
            "::1",
        ] {
            check(name, 421);
        }
        assert_eq!(status(&guard, ""), 400);
        assert_eq!(status(&guard, "Host: localhost\r\nHost: evil.example\r\n"), 400);
        assert_eq!(status(&guard, "Host: \u{ff}\r\n"), 421);
    }

    #[test]
    fn only_local_pages_may_ask() {
        let local = guard("[::1]:4458", &[], None);
        let check = |origin: &str, expected: u16| {
            let lines = format!("Host: localhost\r\nOrigin: {origin}\r\n");
            assert_eq!(status(&local, &lines), expected, "{origin}");
        };
        for origin in ["http://localhost:3000", "https://127.0.0.1", "http://[::1]:80"] {
            check(origin, 0);
        }
        for origin in [
            "",
            "null",
            "localhost",
            "file://",
            "http://evil.example",
            "http://localhost.evil.example",
            "http://localhost@evil.example",
            "http://192.168.0.1",
            "http://localhost/",
            "chrome-extension://abc",
        ] {
            check(origin, 403);
        }
        let lines = "Host: localhost\r\nOrigin: http://localhost\r\nOrigin: null\r\n";
        assert_eq!(status(&local, lines), 400);
    }

    #[test]
    fn a_wider_server_has_addresses_allowed_names_and_a_token() {
        let wide = guard("0.0.0.0:4458", &["notes.example"], Some(TOKEN));
        let check = |lines: &str, expected: u16| {
            let lines = format!("{lines}\r\nAuthorization: Bearer {TOKEN}\r\n");
            assert_eq!(status(&wide, &lines), expected, "{lines}");
        };
        check("Host: 192.168.0.1:4458", 0);
        check("Host: [fe80::1]", 0);
        check("Host: Notes.Example", 0);
        check("Host: evil.example", 421);
        check("Host: notes.example\r\nOrigin: https://notes.example", 0);
        check("Host: notes.example\r\nOrigin: http://192.168.0.1", 403);
    }

    #[test]
    fn the_token_is_wanted_wherever_it_is_set() {
        let guard = guard("127.0.0.1:4458", &[], Some(TOKEN));
        let check = |lines: &str, expected: u16| {
            assert_eq!(status(&guard, &format!("Host: localhost\r\n{lines}")), expected, "{lines}");
        };
        check(&format!("Authorization: Bearer {TOKEN}\r\n"), 0);
        check(&format!("authorization: bearer  {TOKEN} \r\n"), 0);
        check("", 401);
        check("Authorization: Bearer\r\n", 401);
        check("Authorization: Bearer 0123456789abcdeg\r\n", 401);
        check(&format!("Authorization: Basic {TOKEN}\r\n"), 401);
        check(&format!("Authorization: {TOKEN}\r\n"), 401);
        check(&format!("Authorization: Bearer {TOKEN}\r\n").repeat(2), 400);
    }
}
