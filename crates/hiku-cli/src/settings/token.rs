//! The token by which clients of `hiku mcp --http` are let in: where it comes from, what it may
//! look like, and whether another text is it. It is never shown and never written.

use std::fmt;
use std::path::Path;

use super::Environment;
use crate::exit::{CommandError, Exit};
use crate::messages::Messages;
use crate::plain_file::read_text;
use crate::private;

/// The variable that holds the token.
pub(super) const TOKEN_VARIABLE: &str = "HIKU_MCP_TOKEN";
/// Fewest characters of a token. Of `openssl rand -hex` that is 64 bits, which nobody guesses over
/// a network.
const LEAST_CHARACTERS: usize = 16;
/// Most bytes of a token's file: what fits in a request's head, with room for a line end.
const MAX_FILE_BYTES: u64 = 4_096;

/// Text that no debug output shows.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) String);

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// A token, kept as its hash: comparing hashes takes the same time wherever two texts differ, and
/// whatever their lengths.
#[derive(Clone)]
pub(crate) struct Token(blake3::Hash);

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// A token as RFC 6750 writes it, so that a header can carry it; `None` for another text, or
    /// one that is too short.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let is_whole = text.len() >= LEAST_CHARACTERS;
        let body = text.trim_end_matches('=');
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/".contains(&byte);
        let is_written_so = !body.is_empty() && body.bytes().all(is_token);
        (is_whole && is_written_so).then(|| Token(blake3::hash(text.as_bytes())))
    }

    /// Whether `given` is this token.
    pub(crate) fn is(&self, given: &[u8]) -> bool {
        // `blake3::Hash` compares in constant time.
        self.0 == blake3::hash(given)
    }

    /// The token in the file that the user names, else in [`TOKEN_VARIABLE`]; `None` without both.
    ///
    /// # Errors
    /// Exit code 2 for a file that cannot be read or that others than its owner may read, and for a
    /// text that is no token.
    pub(crate) fn find(
        file: Option<&Path>,
        environment: &Environment,
    ) -> Result<Option<Self>, CommandError> {
        let messages = environment.messages;
        let (place, text) = match (file, &environment.mcp_token) {
            (Some(file), _) => {
                let file = environment.absolute(file);
                (file.display().to_string(), read(&file, messages)?)
            }
            (None, Some(Secret(text))) => (TOKEN_VARIABLE.to_owned(), text.clone()),
            (None, None) => return Ok(None),
        };
        let token = Token::new(text.trim_end_matches(['\r', '\n']));
        token.map(Some).ok_or_else(|| {
            CommandError::new(Exit::Usage, messages.token_malformed(place, LEAST_CHARACTERS))
                .hint(messages.hint_token())
        })
    }
}

fn read(file: &Path, messages: Messages) -> Result<String, CommandError> {
    let refused = |error| {
        CommandError::new(Exit::Usage, messages.cannot_read_file(file.display(), error))
            .hint(messages.hint_file(crate::safe::shell_quoted(file)))
    };
    if !private::is_restricted(file).map_err(refused)? {
        let error = CommandError::new(Exit::Usage, messages.token_open(file.display()));
        return Err(error.hint(messages.hint_restrict(crate::safe::shell_quoted(file))));
    }
    read_text(file, MAX_FILE_BYTES).map_err(refused)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_token_is() {
        let good = ["0123456789abcdef", "AZaz09-._~+/AZaz09==", &"x".repeat(4_000)];
        for text in good {
            let token = Token::new(text).expect(text);
            assert!(token.is(text.as_bytes()), "{text}");
            for other in [&text[1..], &format!("{text}="), "", &text.to_uppercase()] {
                assert!(other == text || !token.is(other.as_bytes()), "{other}");
            }
        }
        for wrong in ["", "short", "0123456789abcde", "0123456789abcde f", "================"] {
            assert!(Token::new(wrong).is_none(), "{wrong:?}");
        }
        for wrong in ["0123456789abcdef\n", "0123=456789abcdef", "日本語日本語日本語日本語"]
        {
            assert!(Token::new(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn debug_output_shows_no_token() {
        let secret = Secret("0123456789abcdef".to_owned());
        let shown = format!("{secret:?} {:?}", Token::new(&secret.0));
        assert_eq!(shown, "Secret Some(Token)");
    }
}
