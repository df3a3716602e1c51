//! `hiku reference`: docs/cli.md, made from the command line's own help so that it cannot differ.

use std::fmt::Write;

use clap::CommandFactory;

use crate::args::Arguments;
use crate::exit::{CommandError, Exit};
use crate::session;

/// What help does not say: environment and config file.
const SETTINGS: &str = include_str!("reference/settings.md");

/// Runs `hiku reference`.
///
/// # Errors
/// Exit code 1 when stdout refuses.
pub(crate) fn run() -> Result<Exit, CommandError> {
    let mut command = Arguments::command().term_width(100);
    command.build();
    let mut text = String::from(
        "# The command line\n\nMade by `hiku reference > docs/cli.md`; a test compares the two.\n",
    );
    describe(&mut command, "##", &mut text);
    text.push_str(SETTINGS);
    session::data(|out| out.write_all(text.as_bytes()))?;
    Ok(Exit::Done)
}

/// A command's help, then its subcommands one heading deeper.
fn describe(command: &mut clap::Command, marks: &str, text: &mut String) {
    let name = command.get_bin_name().unwrap_or("hiku").to_owned();
    let help = command.render_long_help().to_string();
    let help = help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let _ = write!(text, "\n{marks} {name}\n\n```text\n{}\n```\n", help.trim_end());
    let deeper = format!("{}#", if name == "hiku" { "#" } else { marks });
    for child in command.get_subcommands_mut().filter(|child| !child.is_hide_set()) {
        if child.get_name() != "help" {
            describe(child, &deeper, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Parses the reference's example as a user's config.
    fn example() -> &'static str {
        let start = SETTINGS.find("```toml\n").expect("an example") + "```toml\n".len();
        let end = SETTINGS[start..].find("```").expect("its end") + start;
        &SETTINGS[start..end]
    }

    #[test]
    fn the_example_holds_the_defaults() {
        let defaults = format!("{:?}", hiku::Settings::default());
        let settings = crate::settings::settings_of(example()).expect("the example is a config");
        assert_eq!(format!("{settings:?}"), defaults);
    }
}
