//! `hiku install`: what it shows, what it writes, and that everything else stays as it was.

use std::fs;

use serde_json::Value;
use testkit::TestVault;

use crate::harness::{code, notes, shown};

fn install(vault: &TestVault, arguments: &[&str]) -> String {
    let line = [&["install"][..], arguments, &["--vault", "vault"]].concat();
    shown(vault, &line).replace(env!("CARGO_BIN_EXE_hiku"), "[HIKU]")
}

fn home(vault: &TestVault, file: &str) -> String {
    fs::read_to_string(vault.outer().join(file)).unwrap_or_default()
}

#[test]
fn nothing_is_written_without_consent() {
    let vault = notes();
    insta::assert_snapshot!(install(&vault, &["cursor"]), @r#"
    $ hiku install cursor --vault vault
    cursor: would add this to [DIR]/.cursor/mcp.json

    {
      "mcpServers": {
        "hiku": {
          "args": ["mcp", "--vault", "[DIR]/vault"],
          "command": "[HIKU]"
        }
      }
    }

    ! nothing was written; write with --yes
    [exit 0]
    "#);
    insta::assert_snapshot!(install(&vault, &["codex"]), @r#"
    $ hiku install codex --vault vault
    codex: would add this to [DIR]/.codex/config.toml

    [mcp_servers.hiku]
    command = "[HIKU]"
    args = ["mcp", "--vault", "[DIR]/vault"]

    ! nothing was written; write with --yes
    [exit 0]
    "#);
    assert!(!vault.outer().join(".cursor").exists() && !vault.outer().join(".codex").exists());
    assert_eq!(code(&vault, &["install", "--vault", "vault"]), 2);
}

#[test]
fn an_entry_comes_and_goes_and_the_rest_stays() {
    let vault = notes();
    for (agent, file, old) in [
        (
            "claude-code",
            ".claude.json",
            "{\n  \"projects\": {\"/x\": {\"a\": 1}},\n  \"n\": 3\n}\n",
        ),
        ("gemini", ".gemini/settings.json", "// mine\n{\n  \"theme\": \"dark\" // that one\n}\n"),
        ("cursor", ".cursor/mcp.json", "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n"),
        ("codex", ".codex/config.toml", "# mine\nmodel = \"m\" # that one\n"),
    ] {
        let path = vault.outer().join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
        fs::write(&path, old).expect("a configuration");
        let said = install(&vault, &[agent, "--yes"]);
        assert!(said.contains(&format!("{agent}: hiku is in [DIR]/{file} now")), "{said}");
        let new = home(&vault, file);
        assert!(new.contains("hiku") && new.contains("--vault"), "{new}");
        assert_eq!(home(&vault, &format!("{file}.before-hiku")), old);
        let again = install(&vault, &[agent, "--yes"]);
        assert!(again.contains("already") && again.ends_with("[exit 0]"), "{again}");
        assert_eq!(home(&vault, file), new);
        install(&vault, &[agent, "--uninstall", "--yes"]);
        assert_eq!(home(&vault, file).trim_end(), old.trim_end(), "{agent}");
    }
    insta::assert_snapshot!(install(&vault, &["--uninstall"]), @r"
    $ hiku install --uninstall --vault vault
    ! claude-code: hiku is not in [DIR]/.claude.json
    ! claude-code: hiku is not in [DIR]/.claude/settings.json
    ! codex: hiku is not in [DIR]/.codex/config.toml
    ! cursor: hiku is not in [DIR]/.cursor/mcp.json
    ! gemini: hiku is not in [DIR]/.gemini/settings.json
    [exit 0]
    ");
}

#[test]
fn a_new_file_starts_the_server() {
    let vault = notes();
    install(&vault, &["claude-code", "--yes"]);
    let file: Value = serde_json::from_str(&home(&vault, ".claude.json")).expect("JSON");
    let entry = &file["mcpServers"]["hiku"];
    assert_eq!(entry["command"], env!("CARGO_BIN_EXE_hiku"));
    let arguments: Vec<&str> =
        entry["args"].as_array().expect("a list").iter().filter_map(Value::as_str).collect();
    assert_eq!(arguments[..2], ["mcp", "--vault"]);
    assert!(std::path::Path::new(arguments[2]).is_absolute());
}

#[test]
fn what_cannot_be_followed_is_left_alone() {
    let vault = notes();
    fs::write(vault.outer().join(".claude.json"), "{ \"mcpServers\": [] }").expect("a file");
    insta::assert_snapshot!(install(&vault, &["claude-code", "--yes"]), @r#"
    $ hiku install claude-code --yes --vault vault
    ! error: claude-code: [DIR]/.claude.json is malformed, or spells its servers in a way that hiku does not change
    ! hint: put this into it by hand:
    ! {
    !   "mcpServers": {
    !     "hiku": {
    !       "args": ["mcp", "--vault", "[DIR]/vault"],
    !       "command": "[HIKU]"
    !     }
    !   }
    ! }
    [exit 2]
    "#);
    assert_eq!(home(&vault, ".claude.json"), "{ \"mcpServers\": [] }");
}

#[test]
fn hooks_come_and_go_where_they_are_asked_for() {
    let vault = notes();
    let old = "{\n  \"hooks\": {\n    \"SessionEnd\": [\n      { \"hooks\": [{ \"type\": \"command\", \"command\": \"bye\" }] }\n    ]\n  }\n}\n";
    let settings = vault.outer().join(".claude/settings.json");
    fs::create_dir_all(settings.parent().expect("a folder")).expect("the folder");
    fs::write(&settings, old).expect("settings");
    let said = install(&vault, &["claude-code", "--hooks", "--yes"]);
    assert!(said.contains(".claude.json now") && said.contains("settings.json now"), "{said}");
    let new: Value = serde_json::from_str(&home(&vault, ".claude/settings.json")).expect("JSON");
    assert_eq!(new["hooks"]["SessionEnd"].as_array().map(Vec::len), Some(2));
    let hook = &new["hooks"]["UserPromptSubmit"][0]["hooks"][0];
    assert_eq!(hook["command"], env!("CARGO_BIN_EXE_hiku"));
    assert_eq!(
        (&hook["args"][0], &hook["args"][1]),
        (&"hook".into(), &"user-prompt-submit".into())
    );
    assert!(install(&vault, &["claude-code", "--hooks", "--yes"]).contains("already"));
    install(&vault, &["--uninstall", "--yes"]);
    assert_eq!(home(&vault, ".claude/settings.json"), old);
    insta::assert_snapshot!(install(&vault, &["cursor", "--hooks"]), @r"
    $ hiku install cursor --hooks --vault vault
    ! error: cursor: no hooks of this agent are known; leave --hooks out
    [exit 2]
    ");
}

#[cfg(unix)]
#[test]
fn links_and_permissions_stay() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let vault = notes();
    let real = vault.outer().join("dotfiles.json");
    fs::write(&real, "{}\n").expect("a file");
    fs::set_permissions(&real, fs::Permissions::from_mode(0o640)).expect("its permissions");
    symlink(&real, vault.outer().join(".claude.json")).expect("a link");
    install(&vault, &["claude-code", "--yes"]);
    let link = fs::symlink_metadata(vault.outer().join(".claude.json")).expect("the link");
    assert!(link.is_symlink());
    let mode = fs::metadata(&real).expect("the file").permissions().mode();
    assert_eq!(mode & 0o777, 0o640);
    assert!(fs::read_to_string(&real).expect("its text").contains("mcpServers"));
}
