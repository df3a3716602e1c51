//! Bodies that come in chunks (RFC 9112, section 7.1). Pure: bytes in, bytes out.

use super::head::{MAX_BODY_BYTES, MAX_HEAD_BYTES};
use super::reply::Refusal;

/// Most bytes of the line before a chunk: its size, and extensions that nobody uses.
const MAX_LINE_BYTES: usize = 256;
/// Most fields behind the last chunk. They are read and left out.
const MAX_TRAILERS: usize = 16;

/// Moves the content of the chunks that have come whole from `unread` to `body`. True once the last
/// one has come; `unread` then begins with the next request.
///
/// # Errors
/// 400 for what are no chunks, 413 for a body that is too large.
pub(super) fn take(unread: &mut Vec<u8>, body: &mut Vec<u8>) -> Result<bool, Refusal> {
    let mut start = 0;
    let is_whole = loop {
        match next(&unread[start..], body.len())? {
            Next::Chunk { from, to } => {
                body.extend_from_slice(&unread[start + from..start + to]);
                start += to + LINE_END.len();
            }
            Next::End(length) => {
                start += length;
                break true;
            }
            Next::Partial => break false,
        }
    };
    unread.drain(..start);
    Ok(is_whole)
}

const LINE_END: &[u8] = b"\r\n";

enum Next {
    /// Where in the bytes the content of a chunk stands.
    Chunk { from: usize, to: usize },
    /// The last chunk and what follows it have this many bytes.
    End(usize),
    /// More must come.
    Partial,
}

/// The chunk at the start of `bytes`, behind `before` bytes of content.
fn next(bytes: &[u8], before: usize) -> Result<Next, Refusal> {
    let malformed = || Refusal::new(400, "the chunks of the body are malformed");
    // A line without a size would be read as the last one.
    if bytes.first().is_some_and(|byte| !byte.is_ascii_hexdigit()) {
        return Err(malformed());
    }
    let (from, size) = match httparse::parse_chunk_size(bytes) {
        Ok(httparse::Status::Complete((from, size))) if from <= MAX_LINE_BYTES => (from, size),
        Ok(httparse::Status::Partial) if bytes.len() <= MAX_LINE_BYTES => return Ok(Next::Partial),
        _ => return Err(malformed()),
    };
    if size == 0 {
        let trailer = &bytes[from..];
        return match httparse::parse_headers(trailer, &mut [httparse::EMPTY_HEADER; MAX_TRAILERS]) {
            Ok(httparse::Status::Complete((length, _))) => Ok(Next::End(from + length)),
            Ok(httparse::Status::Partial) if trailer.len() <= MAX_HEAD_BYTES => Ok(Next::Partial),
            _ => Err(malformed()),
        };
    }
    let room = (MAX_BODY_BYTES - before) as u64;
    if size > room {
        return Err(Refusal::new(413, format!("a body has at most {MAX_BODY_BYTES} bytes here")));
    }
    let to = from + size as usize;
    match bytes.get(to..to + LINE_END.len()) {
        Some(LINE_END) => Ok(Next::Chunk { from, to }),
        Some(_) => Err(malformed()),
        None => Ok(Next::Partial),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The body and what is left, with a bar between; `None` where more must come. Or the status of
    /// the refusal.
    fn taken(bytes: &[u8]) -> Result<Option<String>, u16> {
        let (mut unread, mut body) = (bytes.to_vec(), Vec::new());
        let is_whole = take(&mut unread, &mut body).map_err(|refusal| refusal.status)?;
        let shown = || String::from_utf8([&body, &b"|"[..], &unread].concat()).expect("UTF-8");
        Ok(is_whole.then(shown))
    }

    #[test]
    fn chunks_become_one_body_however_they_come() {
        let text = b"4\r\nWiki\r\n6;x=y\r\npedia \r\nA\r\nin chunks.\r\n0\r\nX: y\r\n\r\nPOST";
        let expected = "Wikipedia in chunks.|POST";
        assert_eq!(taken(text), Ok(Some(expected.to_owned())));
        let (mut unread, mut body, mut ends) = (Vec::new(), Vec::new(), 0);
        for byte in &text[..text.len() - 4] {
            unread.push(*byte);
            ends += usize::from(take(&mut unread, &mut body).expect("chunks"));
        }
        assert_eq!((ends, body, unread), (1, b"Wikipedia in chunks.".to_vec(), Vec::new()));
        assert_eq!(taken(b"0\r\n\r\n"), Ok(Some("|".to_owned())));
    }

    #[test]
    fn what_are_no_chunks_has_its_status() {
        for wrong in
            ["x\r\n", "-1\r\n", "\r\n", "1\r\nab\r\n", "0\r\nX : y\r\n\r\n", "1 1\r\na\r\n"]
        {
            assert_eq!(taken(wrong.as_bytes()), Err(400), "{wrong:?}");
        }
        let long = format!("1;{}", "x".repeat(MAX_LINE_BYTES));
        assert_eq!(taken(long.as_bytes()), Err(400));
        assert_eq!(taken(b"FFFFFFFFFFFFFFFFF\r\n"), Err(400));
        assert_eq!(taken(b"FFFFFFFFFFFFFFFF\r\n"), Err(413));
        let full = format!("{MAX_BODY_BYTES:X}\r\n{}\r\n", "x".repeat(MAX_BODY_BYTES));
        assert_eq!(taken(full.as_bytes()), Ok(None));
        assert_eq!(taken(format!("{full}1\r\n").as_bytes()), Err(413));
        let trailer = format!("0\r\n{}", "X: y\r\n".repeat(MAX_TRAILERS + 1));
        assert_eq!(taken(format!("{trailer}\r\n").as_bytes()), Err(400));
    }
}
