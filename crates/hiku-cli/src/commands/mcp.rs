//! `hiku mcp`: serves a vault to one agent over stdin and stdout, or to any number by HTTP.

use std::net::SocketAddr;

use crate::args::McpArguments;
use crate::exit::{CommandError, Exit};
use crate::mcp::{self, HttpOptions};
use crate::session::Session;
use crate::settings::Token;

/// Runs `hiku mcp`.
///
/// # Errors
/// Exit codes 1 and 2; what goes wrong once it serves is told to the client.
pub(crate) fn run(arguments: &McpArguments, session: &Session) -> Result<Exit, CommandError> {
    let Some(address) = arguments.http else {
        return mcp::serve(session.place(&arguments.place)?, session);
    };
    let options = options(arguments, address, session)?;
    mcp::serve_http(session.place(&arguments.place)?, options, session)
}

/// What the server is to be, once it is sure that nobody gets in by an oversight.
fn options(
    arguments: &McpArguments,
    address: SocketAddr,
    session: &Session,
) -> Result<HttpOptions, CommandError> {
    let token = Token::find(arguments.token_file.as_deref(), &session.environment)?;
    let hosts = arguments.allow_host.clone();
    let opens_up = match hosts.first() {
        _ if !mcp::is_local(address) => Some(format!("--http {address}")),
        Some(host) => Some(format!("--allow-host {host}")),
        None => None,
    };
    match opens_up {
        Some(flag) if token.is_none() => {
            let messages = session.messages();
            Err(CommandError::new(Exit::Usage, messages.token_needed(flag))
                .hint(messages.hint_token()))
        }
        _ => Ok(HttpOptions { address, token, hosts }),
    }
}
