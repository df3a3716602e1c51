//! The head of an HTTP request: reading it, its fields, and how long its body is. The body and
//! what the fields mean to the server are elsewhere.

use super::reply::Refusal;

/// Most bytes of a head. A browser's are some hundreds, an agent's fewer.
pub(super) const MAX_HEAD_BYTES: usize = 16 << 10;
/// Most fields of a head.
const MAX_FIELDS: usize = 64;
/// Most bytes of a body. The longest legal query takes some 50 KB.
pub(super) const MAX_BODY_BYTES: usize = 1 << 20;

/// The head of a request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Head {
    /// `POST` and the like.
    pub(super) method: String,
    /// What is asked for, as sent.
    target: String,
    /// True for HTTP/1.1, false for 1.0.
    is_current: bool,
    /// Names as sent, values without blanks around them.
    fields: Vec<(String, Vec<u8>)>,
}

/// How a body comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Body {
    /// In one piece of this many bytes.
    Length(usize),
    /// In chunks, each with its size.
    Chunks,
}

impl Head {
    /// Reads a head at the start of `bytes`: it and its length, or `None` where more must come.
    ///
    /// # Errors
    /// 400 for what is no head, 431 for one that is too large.
    pub(super) fn read(bytes: &[u8]) -> Result<Option<(Self, usize)>, Refusal> {
        let mut fields = [httparse::EMPTY_HEADER; MAX_FIELDS];
        let mut request = httparse::Request::new(&mut fields);
        let length = match request.parse(bytes) {
            Ok(httparse::Status::Complete(length)) if length <= MAX_HEAD_BYTES => length,
            Ok(httparse::Status::Partial) if bytes.len() < MAX_HEAD_BYTES => return Ok(None),
            Ok(_) | Err(httparse::Error::TooManyHeaders) => {
                return Err(Refusal::new(431, "the head of the request is too large"));
            }
            Err(error) => return Err(Refusal::new(400, format!("no HTTP request: {error}"))),
        };
        let fields = request.headers.iter();
        let head = Head {
            method: request.method.unwrap_or_default().to_owned(),
            target: request.path.unwrap_or_default().to_owned(),
            is_current: request.version == Some(1),
            fields: fields.map(|field| (field.name.to_owned(), field.value.to_vec())).collect(),
        };
        Ok(Some((head, length)))
    }

    /// The path, without what follows a `?`.
    pub(super) fn path(&self) -> &str {
        self.target.split('?').next().unwrap_or_default()
    }

    /// The values of a field, however often it stands there.
    pub(super) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [u8]> {
        let is_it = move |field: &&(String, Vec<u8>)| field.0.eq_ignore_ascii_case(name);
        self.fields.iter().filter(is_it).map(|(_, value)| value.as_slice())
    }

    /// The value of a field that may stand there once.
    ///
    /// # Errors
    /// 400 where it stands there twice: who reads the other one would be told something else.
    pub(super) fn one<'a>(&'a self, name: &'a str) -> Result<Option<&'a [u8]>, Refusal> {
        let mut values = self.all(name);
        match (values.next(), values.next()) {
            (_, Some(_)) => Err(Refusal::new(400, format!("the field {name} stands there twice"))),
            (value, None) => Ok(value),
        }
    }

    /// The same as text.
    ///
    /// # Errors
    /// 400 where it stands there twice or is no text.
    pub(super) fn text<'a>(&'a self, name: &'a str) -> Result<Option<&'a str>, Refusal> {
        let text = self.one(name)?.map(str::from_utf8).transpose();
        text.map_err(|_| Refusal::new(400, format!("the field {name} is no text")))
    }

    /// True where the client may ask again over the same connection.
    pub(super) fn keeps_alive(&self) -> bool {
        let asks_to_close = self.all("connection").any(|value| has_word(value, b"close"));
        self.is_current && !asks_to_close
    }

    /// True where nothing follows the head.
    pub(super) fn has_no_body(&self) -> bool {
        self.body() == Ok(Body::Length(0))
    }

    /// True where the client waits for a sign before it sends the body.
    ///
    /// # Errors
    /// 417 for another expectation.
    pub(super) fn awaits_go_on(&self) -> Result<bool, Refusal> {
        match self.one("expect")? {
            None => Ok(false),
            Some(value) if value.eq_ignore_ascii_case(b"100-continue") => Ok(self.is_current),
            Some(_) => Err(Refusal::new(417, "the only expectation that is known: 100-continue")),
        }
    }

    /// How the body comes.
    ///
    /// # Errors
    /// 501 for another encoding than in chunks; 400 for one that HTTP/1.0 does not know or that a
    /// length contradicts, and for a length that is none; 413 for a body that is too large.
    pub(super) fn body(&self) -> Result<Body, Refusal> {
        let length = self.one("content-length")?;
        match (self.one("transfer-encoding")?, length) {
            (None, None) => Ok(Body::Length(0)),
            (None, Some(value)) => Self::length(value).map(Body::Length),
            // Two servers that go by one each would not agree where the next request begins.
            (Some(_), Some(_)) => Err(Refusal::new(400, "give a length or chunks, not both")),
            (Some(value), None) if value.eq_ignore_ascii_case(b"chunked") => {
                let unknown = || Refusal::new(400, "HTTP/1.0 knows no chunks");
                self.is_current.then_some(Body::Chunks).ok_or_else(unknown)
            }
            (Some(_), None) => Err(Refusal::new(501, "the only encoding that is known: chunked")),
        }
    }

    /// Bytes of a body, as its field says.
    fn length(value: &[u8]) -> Result<usize, Refusal> {
        if value.is_empty() || !value.iter().all(u8::is_ascii_digit) {
            return Err(Refusal::new(400, "Content-Length is no number"));
        }
        let length = str::from_utf8(value).ok().and_then(|digits| digits.parse().ok());
        length.filter(|length| *length <= MAX_BODY_BYTES).ok_or_else(|| {
            Refusal::new(413, format!("a body has at most {MAX_BODY_BYTES} bytes here"))
        })
    }
}

/// True where a list of words with commas holds `word`.
fn has_word(list: &[u8], word: &[u8]) -> bool {
    list.split(|byte| *byte == b',').any(|found| found.trim_ascii().eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(lines: &str) -> Head {
        let text = format!("POST /mcp?x HTTP/1.1\r\n{lines}\r\n");
        let (head, length) = Head::read(text.as_bytes()).expect("a head").expect("all of it");
        assert_eq!(length, text.len());
        head
    }

    #[test]
    fn heads_are_read_whole_or_not_at_all() {
        let text = b"POST /mcp?x HTTP/1.1\r\nHost: a\r\nX: y\r\n\r\nbody";
        for end in 0..text.len() - 5 {
            assert_eq!(Head::read(&text[..end]), Ok(None), "{end}");
        }
        let (head, length) = Head::read(text).expect("a head").expect("all of it");
        assert_eq!((head.method.as_str(), head.path(), length), ("POST", "/mcp", text.len() - 4));
        assert_eq!(head.one("HOST"), Ok(Some(&b"a"[..])));
    }

    #[test]
    fn what_is_no_head_has_its_status() {
        let status = |bytes: &[u8]| Head::read(bytes).expect_err("no head").status;
        assert_eq!(status(b"\x16\x03\x01\x02\x00\x01\x00"), 400);
        assert_eq!(status(b"POST /mcp HTTP/2.0\r\n\r\n"), 400);
        assert_eq!(status(b"POST /mcp HTTP/1.1\r\nHost : a\r\n\r\n"), 400);
        assert_eq!(status(b"POST /mcp HTTP/1.1\r\nX: a\r\n b\r\n\r\n"), 400);
        let long = format!("POST /mcp HTTP/1.1\r\nX: {}", "x".repeat(MAX_HEAD_BYTES));
        assert_eq!(status(long.as_bytes()), 431);
        assert_eq!(status(format!("{long}\r\n\r\n").as_bytes()), 431);
        let many = format!("POST /mcp HTTP/1.1\r\n{}\r\n", "X: y\r\n".repeat(MAX_FIELDS + 1));
        assert_eq!(status(many.as_bytes()), 431);
    }

    #[test]
    fn a_body_has_one_length() {
        let check = |lines: &str, expected: Result<usize, u16>| {
            let expected = expected.map(Body::Length);
            assert_eq!(head(lines).body().map_err(|refusal| refusal.status), expected);
        };
        check("", Ok(0));
        check("Content-Length: 12\r\n", Ok(12));
        check(&format!("Content-Length: {MAX_BODY_BYTES}\r\n"), Ok(MAX_BODY_BYTES));
        check(&format!("Content-Length: {}\r\n", MAX_BODY_BYTES + 1), Err(413));
        check("Content-Length: 99999999999999999999999999\r\n", Err(413));
        check("Content-Length: +1\r\n", Err(400));
        check("Content-Length: \r\n", Err(400));
        check("Content-Length: 1\r\ncontent-length: 1\r\n", Err(400));
        check("Transfer-Encoding: gzip, chunked\r\n", Err(501));
        check("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", Err(400));
        check("Transfer-Encoding: chunked\r\nContent-Length: 1\r\n", Err(400));
        assert_eq!(head("Transfer-Encoding: Chunked\r\n").body(), Ok(Body::Chunks));
        let old = b"POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n";
        let (old, _) = Head::read(old).expect("a head").expect("all of it");
        assert_eq!(old.body().map_err(|refusal| refusal.status), Err(400));
    }

    #[test]
    fn connections_stay_open_unless_the_client_closes_them() {
        assert!(head("").keeps_alive() && head("Connection: keep-alive\r\n").keeps_alive());
        assert!(!head("Connection: x, Close\r\n").keeps_alive());
        let old = Head::read(b"POST / HTTP/1.0\r\n\r\n").expect("a head").expect("all of it").0;
        assert!(!old.keeps_alive());
        assert_eq!(head("Expect: 100-Continue\r\n").awaits_go_on(), Ok(true));
        assert_eq!(head("Expect: more\r\n").awaits_go_on().map_err(|r| r.status), Err(417));
    }
}
