//! Converts the published gitleaks rules into the compact table that the scrubber reads:
//! `cargo run -p hiku --example convert_rules -- gitleaks.toml OUT_FOLDER` writes
//! `gitleaks-rules.tsv` and `gitleaks-stopwords.txt`. Decides how each rule is searched for
//! (around its keyword), not whether it is a good rule. Knows nothing of the scrubber's types.

use std::error::Error;
use std::fmt::Write as _;
use std::path::Path;

use toml::{Table, Value};

/// The end of a token in the published rules. It knows neither a bracket nor a comma nor the
/// Japanese full stop, which is where tokens end in prose; [`WIDE_TERMINATOR`] does.
const TERMINATOR: &str = r#"(?:[\x60'"\s;]|\\[nr]|$)"#;

/// What replaces [`TERMINATOR`].
const WIDE_TERMINATOR: &str = r#"(?:[\x60'"\s;,()\[\]{}<>|&*\\\x80-\xFF]|[.:?!](?:\s|$)|$)"#;

/// The label's first part in the published rules. The search starts at the keyword, so it would
/// only cost time.
const LABEL_PREFIX: &str = r"[\w.-]{0,50}?";

/// Rules whose keyword may stand anywhere in the file, or before which the match begins, with the
/// keywords that are used instead and how many bytes before the keyword the search starts.
const PLACED: &[(&str, &[&str], usize)] = &[
    ("airtable-personnal-access-token", &["pat"], 0),
    ("azure-ad-client-secret", &["Q~"], 5),
    ("cloudflare-origin-ca-key", &["v1.0-"], 0),
    ("facebook-page-access-token", &["EAAM", "EAAC"], 0),
    ("flyio-access-token", &["fo1_", "fm1a_", "fm1r_", "fm2_"], 0),
    ("hashicorp-tf-api-token", &["atlasv1"], 16),
    ("intra42-client-secret", &["s-s4t2ud-", "s-s4t2af-"], 0),
    ("jwt", &["eyJ"], 0),
    ("lob-api-key", &["test_", "live_"], 40),
    ("lob-pub-api-key", &["test_pub", "live_pub"], 40),
    ("maxmind-license-key", &["_mmk"], 37),
    ("microsoft-teams-webhook", &["webhook.office.com"], 80),
    ("openai-api-key", &["T3BlbkFJ"], 96),
    ("sidekiq-sensitive-url", &["gems.contribsys.com", "enterprise.contribsys.com"], 32),
    ("slack-webhook-url", &["hooks.slack.com"], 8),
    ("sourcegraph-access-token", &["sgp_"], 0),
    ("twilio-api-key", &["SK"], 0),
];

/// Rules whose match holds white space, with the bytes searched before and behind the keyword.
const WINDOWS: &[(&str, usize, usize)] = &[
    ("curl-auth-header", 0, 1_000),
    ("curl-auth-user", 0, 1_000),
    ("facebook-access-token", 300, 300),
    ("freemius-secret-key", 2, 120),
    ("jwt-base64", 0, 4_000),
    ("nuget-config-password", 0, 500),
];

/// Label rules whose published keyword is the value's prefix; they are looked for by their label.
const LABELLED: &[(&str, &[&str])] = &[
    ("gocardless-api-token", &["gocardless"]),
    ("new-relic-browser-api-token", &["new-relic", "newrelic", "new_relic"]),
    ("new-relic-insert-key", &["new-relic", "newrelic", "new_relic"]),
    ("new-relic-user-api-key", &["new-relic", "newrelic", "new_relic"]),
    ("typeform-api-token", &["typeform"]),
];

/// Rules that hand-written detectors of the same or a wider meaning replace, and the one that
/// looks at file names only.
const LEFT_OUT: &[&str] =
    &["hashicorp-tf-password", "kubernetes-secret-yaml", "pkcs12-file", "private-key"];

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(rules), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: convert_rules gitleaks.toml OUT_FOLDER".into());
    };
    let config: Table = std::fs::read_to_string(rules)?.parse()?;
    let mut table = String::from(
        "# Made by the example convert_rules from the rules of gitleaks (MIT, see GITLEAKS-LICENSE.txt).\n",
    );
    let mut stopwords = Vec::new();
    if let Some(allowlist) = config.get("allowlist").and_then(Value::as_table) {
        write_allowlist(&mut table, "global", allowlist);
    }
    for rule in config["rules"].as_array().ok_or("no rules")? {
        let rule = rule.as_table().ok_or("a rule is not a table")?;
        write_rule(&mut table, rule, &mut stopwords);
    }
    stopwords.sort();
    stopwords.dedup();
    let folder = Path::new(&folder);
    std::fs::write(folder.join("gitleaks-rules.tsv"), table)?;
    std::fs::write(folder.join("gitleaks-stopwords.txt"), stopwords.join("\n") + "\n")?;
    Ok(())
}

/// Writes a rule's line and the lines of its allowlists.
fn write_rule(table: &mut String, rule: &Table, stopwords: &mut Vec<String>) {
    let id = text(rule, "id");
    if LEFT_OUT.contains(&id) {
        return;
    }
    let regex = text(rule, "regex").replace(TERMINATOR, WIDE_TERMINATOR);
    let keywords = strings(rule, "keywords");
    if id == "atlassian-api-token" {
        // Its two halves are searched for in different ways.
        let (labelled, literal) = regex.split_once(r"|\b(ATATT3").expect("two alternatives");
        write_line(table, rule, "label", (0, 400), &keywords[..3], labelled);
        let literal = format!(r"\b(ATATT3{literal}");
        write_line(table, rule, "literal", (0, 400), &["ATATT3".to_owned()], &literal);
        return;
    }
    if let Some(&(_, before, after)) = WINDOWS.iter().find(|entry| entry.0 == id) {
        write_line(table, rule, "window", (before, after), &keywords, &regex);
    } else if let Some((_, placed, before)) = PLACED.iter().find(|entry| entry.0 == id) {
        write_line(table, rule, "literal", (*before, 400), placed, &regex);
    } else if let Some((_, labels)) = LABELLED.iter().find(|entry| entry.0 == id) {
        write_line(table, rule, "label", (0, 400), labels, &regex);
    } else if regex.contains(LABEL_PREFIX) {
        write_line(table, rule, "label", (0, 400), &keywords, &regex);
    } else {
        let keywords: Vec<String> = keywords.iter().map(|word| exact_case(&regex, word)).collect();
        write_line(table, rule, "literal", (0, 400), &keywords, &regex);
    }
    for allowlist in rule.get("allowlists").and_then(Value::as_array).into_iter().flatten() {
        let allowlist = allowlist.as_table().expect("an allowlist is a table");
        // An allowlist that also asks for a path never holds for a text without one.
        let conjunction = allowlist.get("condition").is_some();
        if !conjunction {
            write_allowlist(table, "allow", allowlist);
            if id == "generic-api-key" {
                stopwords.extend(strings(allowlist, "stopwords"));
            }
        }
    }
}

/// One rule: id, shape, bytes before and behind the keyword, entropy, secret group, keywords
/// (separated by spaces), regular expression.
fn write_line<S: AsRef<str>>(
    table: &mut String,
    rule: &Table,
    shape: &str,
    (before, after): (usize, usize),
    keywords: &[S],
    regex: &str,
) {
    let keywords: Vec<String> =
        keywords.iter().map(|word| word.as_ref().replace(' ', "\\s")).collect();
    let entropy = rule.get("entropy").map_or(0.0, number);
    let group = rule.get("secretGroup").and_then(Value::as_integer).unwrap_or(0);
    let id = text(rule, "id");
    let keywords = keywords.join(" ");
    let regex = regex.replace(LABEL_PREFIX, "");
    writeln!(
        table,
        "rule\t{id}\t{shape}\t{before}\t{after}\t{entropy}\t{group}\t{keywords}\t{regex}"
    )
    .expect("a string takes all");
}

/// The lines of one allowlist: `global` or `allow`, then what the expression looks at.
fn write_allowlist(table: &mut String, line: &str, allowlist: &Table) {
    let target = allowlist.get("regexTarget").and_then(Value::as_str).unwrap_or("secret");
    for regex in strings(allowlist, "regexes") {
        // Known sample keys must not look like keys to a scanner of this repository.
        let regex = escape_braces(&regex).replace("AIza", "A[I]za");
        writeln!(table, "{line}\t{target}\t{regex}").expect("a string takes all");
    }
    if line == "global" {
        for word in strings(allowlist, "stopwords") {
            writeln!(table, "{line}\tstopword\t{word}").expect("a string takes all");
        }
    }
}

/// Go takes a brace that starts no repetition literally, the other engine wants it escaped.
fn escape_braces(regex: &str) -> String {
    let mut escaped = String::new();
    let mut before = ' ';
    for (at, letter) in regex.char_indices() {
        let next_is_digit =
            regex[at + letter.len_utf8()..].starts_with(|next: char| next.is_ascii_digit());
        let repeats = next_is_digit && !matches!(before, '$' | '^' | ' ');
        if letter == '{' && before != '\\' && !repeats {
            escaped.push('\\');
        }
        escaped.push(letter);
        before = letter;
    }
    escaped
}

/// The keyword as the expression spells it, where the expression minds the case.
fn exact_case(regex: &str, keyword: &str) -> String {
    let found = regex.to_ascii_lowercase().find(keyword);
    match found {
        Some(at) if !regex[..at].contains("(?i") => regex[at..at + keyword.len()].to_owned(),
        _ => keyword.to_owned(),
    }
}

fn text<'t>(table: &'t Table, name: &str) -> &'t str {
    table.get(name).and_then(Value::as_str).unwrap_or_default()
}

fn strings(table: &Table, name: &str) -> Vec<String> {
    let values = table.get(name).and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).map(str::to_owned).collect()
}

fn number(value: &Value) -> f64 {
    value.as_float().or_else(|| value.as_integer().map(|whole| whole as f64)).unwrap_or_default()
}
