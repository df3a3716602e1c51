//! Precedence of vault and index, and what a vault may and may not set.

use super::files::with_key;
use super::*;
use crate::messages::Language;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use testkit::TestVault;

/// An environment that knows only the test's folder.
fn environment(vault: &TestVault) -> Environment {
    Environment {
        vault: None,
        index: None,
        config_file: Some(vault.outer().join("config.toml")),
        data: Some(vault.outer().join("data")),
        cache: None,
        home: Some(vault.outer().to_path_buf()),
        current_folder: vault.outer().to_path_buf(),
        program: None,
        in_hook: None,
        editor: None,
        mcp_token: None,
        messages: Messages::default(),
        colour: false,
        stdout_is_terminal: false,
        stderr_is_terminal: false,
    }
}

fn vaults(names: &[&str]) -> TestVault {
    let vault = TestVault::new("//- a.md\n");
    for name in names {
        fs::create_dir_all(vault.outer().join(name)).expect("a folder");
    }
    vault
}

fn found(arguments: &PlaceArguments, environment: &Environment) -> String {
    match Place::find(arguments, environment) {
        Ok(place) => place.vault.file_name().expect("a name").to_string_lossy().into_owned(),
        Err(error) => format!("exit {}", error.exit as u8),
    }
}

#[test]
fn flag_beats_variable_beats_parent_beats_default() {
    let folders = vaults(&["flag", "variable", "parent/.obsidian", "parent/deep/er", "default"]);
    let mut environment = environment(&folders);
    let none = PlaceArguments::default();
    assert_eq!(found(&none, &environment), "exit 2");
    fs::write(folders.outer().join("config.toml"), "default_vault = \"~/default\"")
        .expect("config");
    assert_eq!(found(&none, &environment), "default");
    environment.current_folder = folders.outer().join("parent/deep/er");
    assert_eq!(found(&none, &environment), "parent");
    environment.vault = Some(folders.outer().join("variable"));
    assert_eq!(found(&none, &environment), "variable");
    let flag = PlaceArguments { vault: Some("../../../flag".into()), index: None };
    assert_eq!(found(&flag, &environment), "flag");
    let missing = PlaceArguments { vault: Some("absent".into()), index: None };
    assert_eq!(found(&missing, &environment), "exit 2");
}

#[test]
fn hiku_toml_marks_a_vault_too() {
    let folders = vaults(&["parent/deep"]);
    fs::write(folders.outer().join("parent/hiku.toml"), "").expect("a config");
    let mut environment = environment(&folders);
    environment.current_folder = folders.outer().join("parent/deep");
    assert_eq!(found(&PlaceArguments::default(), &environment), "parent");
}

#[test]
fn the_index_is_in_the_data_folder_unless_asked_for() {
    let folders = vaults(&[]);
    let mut environment = environment(&folders);
    let mut arguments = PlaceArguments { vault: Some(folders.root()), index: None };
    let index = |arguments: &PlaceArguments, environment: &Environment| {
        Place::find(arguments, environment).expect("a place").index
    };
    let name = index(&arguments, &environment);
    assert_eq!(name.parent(), environment.data.as_deref());
    let name = name.file_name().expect("a name").to_string_lossy().into_owned();
    let hash = name.strip_prefix("vault-").and_then(|rest| rest.strip_suffix(".hiku"));
    let hash = hash.expect("folder name, hash, ending");
    assert!(hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{name}");
    environment.index = Some("by-variable".into());
    assert_eq!(index(&arguments, &environment), folders.outer().join("by-variable"));
    arguments.index = Some("by-flag".into());
    assert_eq!(index(&arguments, &environment), folders.outer().join("by-flag"));
}

#[test]
fn an_index_inside_the_vault_must_be_asked_for() {
    let folders = vaults(&[]);
    let mut environment = environment(&folders);
    let guarded = |arguments: &PlaceArguments, environment: &Environment| {
        let place = Place::find(arguments, environment).expect("a place");
        place.guard_vault(Messages::default()).is_ok()
    };
    let mut arguments = PlaceArguments { vault: Some(folders.outer().into()), index: None };
    environment.data = Some(folders.outer().canonicalize().expect("a folder").join("data"));
    assert!(!guarded(&arguments, &environment));
    arguments.index = Some(folders.outer().join("i.hiku"));
    assert!(guarded(&arguments, &environment));
}

#[test]
fn a_vault_sets_numbers_and_notes_and_nothing_else() {
    let folders = vaults(&[]);
    folders.write(
        "hiku.toml",
        "model = \"/evil\"\ndefault_vault = \"/evil\"\n[vault]\nexclude = [\"x\"]\n\
         extensions = [\".txt\"]\nmax_note_bytes = 1\n[chunk]\nmax_characters = 900\n\
         [ranking]\nlexical_share = 0.5\n[scrub]\nallowed_rules = [\"aws\"]\n\
         [providers]\nendpoint = \"http://evil\"\n",
    );
    let arguments = PlaceArguments { vault: Some(folders.root()), index: None };
    let place = Place::find(&arguments, &environment(&folders)).expect("a place");
    let defaults = Settings::default();
    assert_eq!(place.settings.vault.exclude, ["x"]);
    assert_eq!(place.settings.vault.extensions, ["txt"]);
    assert_eq!(place.settings.vault.max_note_bytes, defaults.vault.max_note_bytes);
    assert_eq!(place.settings.chunk.max_characters, 900);
    assert!((place.settings.ranking.lexical_share - 0.5).abs() < f64::EPSILON);
    assert_eq!(place.settings.scrub, defaults.scrub);
    assert_eq!(place.warnings.len(), 5, "{:?}", place.warnings);
}

#[test]
fn the_vaults_settings_stand_over_the_users() {
    let folders = vaults(&[]);
    fs::write(
        folders.outer().join("config.toml"),
        "[vault]\nmax_note_bytes = 7\nexclude = [\"mine\"]\n[ranking]\nrrf_k = 20\n",
    )
    .expect("a config");
    folders.write("hiku.toml", "[vault]\nexclude = [\"its\"]\nfollow_links = true\n");
    let arguments = PlaceArguments { vault: Some(folders.root()), index: None };
    let place = Place::find(&arguments, &environment(&folders)).expect("a place");
    assert_eq!(place.settings.vault.exclude, ["its"]);
    assert_eq!(place.settings.vault.max_note_bytes, 7);
    assert!(place.settings.vault.follow_links);
    assert!((place.settings.ranking.rrf_k - 20.0).abs() < f64::EPSILON);
    assert!(place.warnings.is_empty());
}

#[test]
fn malformed_settings_are_usage_errors() {
    let folders = vaults(&[]);
    let arguments = PlaceArguments { vault: Some(folders.root()), index: None };
    for text in [
        "[vault",
        "[vault]\nexclude = 3\n",
        "vault = 3\n",
        "[ranking]\nlexical_share = 1.5\n",
        "[ranking]\nbm25_b = nan\n",
        "[ranking]\nrrf_pool = 0\n",
        "[chunk]\npiece_characters = 3\n",
        "[chunk]\nmin_characters = 9000\n",
    ] {
        folders.write("hiku.toml", text);
        assert_eq!(found(&arguments, &environment(&folders)), "exit 2", "{text}");
    }
}

#[test]
fn what_is_wrong_is_named_with_its_place() {
    let check = |text: &str, expected: &str| {
        let error = settings_of(text).expect_err("malformed");
        assert_eq!(error.text(Messages::default()), expected, "{text:?}");
    };
    let at = "cannot understand the settings at config.toml";
    check("# 設定\n[vault\n", &format!("{at}:2:7: unclosed table, expected `]`"));
    check(
        "a = 1\n[vault]\nexclude =\n",
        &format!("{at}:3:10: exclude: string values must be quoted, expected literal string"),
    );
    check(
        "[vault]\ninclude = []\nexclude = 3\n",
        &format!("{at}:3:11: vault.exclude: invalid type: integer `3`, expected a sequence"),
    );
    check(
        "vault = 3\n",
        &format!("{at}:1:9: vault: invalid type: integer `3`, expected struct VaultTable"),
    );
    check(
        "[ranking]\n  bm25_b = 1.5\n",
        "config.toml:2:12: ranking.bm25_b is 1.5, and must be 0 to 1",
    );
    check(
        "chunk = { max_characters = 3 }",
        "config.toml:1:28: chunk.max_characters is 3, and must be 100 to 100000",
    );
}

#[test]
fn a_config_that_is_not_utf8_is_a_usage_error() {
    let folders = vaults(&[]);
    let path = folders.root().join("hiku.toml");
    fs::write(&path, b"# \x83\x81\n[vault]\n").expect("a config");
    let error = VaultConfig::read(&folders.root(), Messages::default()).expect_err("not UTF-8");
    assert_eq!(error.exit, Exit::Usage);
    let text = error.text(Messages::default());
    assert!(text.ends_with("hiku.toml:1:3: it is not UTF-8 text"), "{text}");
}

#[test]
fn what_needs_no_settings_goes_on_without_them() {
    let folders = vaults(&["default"]);
    let mut environment = environment(&folders);
    let config = folders.outer().join("config.toml");
    let arguments = PlaceArguments { vault: Some(folders.root()), index: None };
    let check = |user: &str, own: &str, warnings: usize| {
        fs::write(&config, user).expect("a config");
        folders.write("hiku.toml", own);
        let place = Place::find_leniently(&arguments, &environment).expect("a place");
        assert_eq!(place.warnings.len(), warnings, "{user:?} {own:?} {:?}", place.warnings);
        place.settings
    };
    let settings = check("default_vault = 3\n", "[vault]\nexclude = [\"x\"]\n", 1);
    assert_eq!(settings.vault.exclude, ["x"]);
    let settings = check("[vault]\nexclude = [\"mine\"]\n", "[vault", 1);
    assert_eq!(settings.vault.exclude, ["mine"]);
    let settings = check("[ranking]\nrrf_k = 20\n", "[ranking]\nrrf_pool = 0\n", 1);
    assert!((settings.ranking.rrf_k - 20.0).abs() < f64::EPSILON);
    check("[chunk]\nmin_characters = -1\n", "no\n", 2);
    check("model = \"/absent\"\n", "", 0);
    // Without the config there is no default vault, and it is the config that is wrong.
    fs::write(&config, "default_vault = \"~/default\"\n[vault\n").expect("a config");
    let error = Place::find_leniently(&PlaceArguments::default(), &environment).expect_err("none");
    assert!(error.text(Messages::default()).contains("config.toml:2:"), "{error:?}");
    environment.config_file = None;
    assert_eq!(found(&PlaceArguments::default(), &environment), "exit 2");
}

#[test]
fn a_vault_names_no_place_outside_itself() {
    let folders = vaults(&[]);
    let check = |text: &str, include: &[&str], exclude: &[&str], warnings: usize| {
        folders.write("hiku.toml", format!("[vault]\n{text}\n"));
        let arguments = PlaceArguments { vault: Some(folders.root()), index: None };
        let place = Place::find(&arguments, &environment(&folders)).expect("a place");
        assert_eq!(place.settings.vault.include, include, "{text}");
        assert_eq!(place.settings.vault.exclude, exclude, "{text}");
        assert_eq!(place.warnings.len(), warnings, "{text} {:?}", place.warnings);
    };
    check("include = ['a', '/b/c', '..d']", &["a", "/b/c", "..d"], &[], 0);
    check("include = ['../other', 'a']\nexclude = ['x/../../y', '~/z', '!..']", &["a"], &[], 1);
    check("include = ['..']\nexclude = ['C:\\notes', 'b']", &[], &["b"], 1);
}

#[test]
fn languages() {
    let check = |pairs: &[(&str, &str)], expected: Language| {
        let variable = |name: &str| {
            pairs.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
        };
        assert_eq!(super::environment::language(variable), expected, "{pairs:?}");
    };
    check(&[], Language::English);
    check(&[("LANG", "ja_JP.UTF-8")], Language::Japanese);
    check(&[("LANG", "ja_JP.UTF-8"), ("LC_ALL", "C")], Language::English);
    check(&[("LC_ALL", "C"), ("HIKU_LANG", "ja")], Language::Japanese);
    check(&[("LANG", "en_US.UTF-8"), ("LC_MESSAGES", "ja_JP")], Language::Japanese);
}

#[test]
fn one_key_is_set_and_every_other_line_is_kept() {
    let check = |text: &str, value: Option<&str>, expected: &str| {
        assert_eq!(with_key(text, "model", value), expected, "{text:?}");
    };
    check("", Some("/m"), "model = \"/m\"\n");
    check(
        "# mine\nmodel = 'x' # y\n[a]\nmodel = 1\n",
        Some("/m"),
        "# mine\nmodel = \"/m\"\n[a]\nmodel = 1\n",
    );
    check("[a]\nmodel = 1\n", Some("/m"), "model = \"/m\"\n[a]\nmodel = 1\n");
    check("model=1\nmodels = 2\n", None, "models = 2\n");
    check("a = 1\n", None, "a = 1\n");
}

#[test]
fn numbers_of_the_config_may_be_overridden_by_name() {
    let check = |pairs: &[&str], expected: Result<(f64, usize), u8>| {
        let pairs: Vec<String> = pairs.iter().map(ToString::to_string).collect();
        let mut settings = Settings::default();
        let found = override_settings(&pairs, &mut settings, Messages::default())
            .map(|()| (settings.ranking.lexical_share, settings.chunk.max_characters))
            .map_err(|error| error.exit as u8);
        assert_eq!(found, expected, "{pairs:?}");
    };
    let defaults = Settings::default();
    let (share, most) = (defaults.ranking.lexical_share, defaults.chunk.max_characters);
    check(&[], Ok((share, most)));
    check(&["ranking.lexical_share=0.25"], Ok((0.25, most)));
    check(&["ranking.lexical_share=1", "chunk.max_characters = 900"], Ok((1.0, 900)));
    check(&["ranking.lexical_share=1", "ranking.lexical_share=0"], Ok((0.0, most)));
    for wrong in [
        "ranking.lexical_share=1.5",
        "ranking.lexical_share=nan",
        "ranking.lexical_share",
        "ranking.absent=1",
        "lexical_share=1",
        "ranking.rrf_pool=2.5",
        "ranking.lexical_share=\"x\"",
        "vault.include=1",
        "model=1",
        "",
    ] {
        check(&[wrong], Err(2));
    }
}

/// What a config may hold, its keys and kinds of values in any order, and what it may not.
fn config_text() -> impl Strategy<Value = Vec<u8>> {
    let pieces = [
        "[vault]",
        "[chunk]",
        "[ranking]",
        "[scrub]",
        "[mcp]",
        "exclude",
        "model",
        "default_vault",
        "max_characters",
        "lexical_share",
        "allowed_texts",
        "title_vector_weight",
        " = ",
        "= [",
        "]",
        "\"~/x\"",
        "'../y'",
        "\n",
        "\n",
        "-1",
        "0.9",
        "1e400",
        "99999999999999999999",
        "true",
        "{",
        "}",
        "# ",
        "\"\"\"",
        "鍵",
        "\u{FEFF}",
        ".",
        ",",
        "\"*\"",
        "\\u{0}",
        "nan",
    ];
    let line = (0..pieces.len()).prop_map(move |at| pieces[at].as_bytes().to_vec());
    let part = prop_oneof![9 => line, 1 => proptest::collection::vec(any::<u8>(), 0..6)];
    proptest::collection::vec(part, 0..24).prop_map(|parts| parts.concat())
}

/// Any bytes are a config, or an error that names the file.
#[test]
fn any_bytes_are_a_config_or_an_error() {
    let vault = vaults(&["vault"]);
    let environment = environment(&vault);
    let file = environment.config_file.clone().expect("a place for it");
    let config = Config { cases: testkit::cases(), failure_persistence: None, ..Config::default() };
    let result = TestRunner::new(config).run(&config_text(), |bytes| {
        std::fs::write(&file, &bytes).expect("the config");
        let read = UserConfig::read(&environment).and_then(|user| {
            user.mcp(environment.messages)?;
            user.hook(&environment)?;
            user.over(Settings::default(), environment.messages)
        });
        if let Err(error) = read {
            prop_assert!(error.text(environment.messages).contains("config.toml"));
        }
        Ok(())
    });
    result.expect("no bytes are too odd");
}
