//! Tests of the whole scrubber: what every detector finds, what it leaves alone, and what holds
//! for any text. Credentials are put together from parts, so that no scanner takes this file for
//! a leak.

use proptest::prelude::*;

use super::*;

/// A made-up random part of `length` letters and digits.
fn random(length: usize) -> String {
    const DIGITS: &[u8] = b"k7Qz2mXv9RtB4hWc8YpL3nJd6GsF5xKq1TbV0rNw";
    (0..length).map(|at| char::from(DIGITS[(at * 17 + at / 40 * 7) % DIGITS.len()])).collect()
}

/// A made-up number of `length` hexadecimal digits.
fn hex(length: usize) -> String {
    (0..length).map(|at| char::from(b"9f3a0c7e5b1d8462"[(at * 7 + at / 16 * 3) % 16])).collect()
}

fn scrub(text: &str) -> String {
    Scrubber::default().scrub(text).text.into_owned()
}

/// In `text`, `@` is where the credential stands, and `rule` replaces it and nothing else.
fn check(rule: &str, text: &str, credential: &str) {
    let original = text.replacen('@', credential, 1);
    let expected = text.replacen('@', &format!("[REDACTED:{rule}]"), 1);
    assert_eq!(scrub(&original), expected, "{rule}");
}

#[test]
fn vendors() {
    let cases = [
        ("aws-access-token", "AKIA".to_owned() + "Q3EGRIW7PBX2TLMZ"),
        ("github-pat", "ghp_".to_owned() + &random(36)),
        ("github-oauth", "gho_".to_owned() + &random(36)),
        ("github-fine-grained-pat", "github_pat_".to_owned() + &random(82)),
        ("gitlab-pat", "glpat-".to_owned() + &random(20)),
        ("slack-bot-token", format!("xoxb-{}-{}-{}", "893582989554", "899326518131", random(24))),
        ("stripe-access-token", "sk_live_".to_owned() + &random(24)),
        ("openai-api-key", format!("sk-{}T3BlbkFJ{}", random(20), random(20))),
        ("openai-api-key", "sk-proj-".to_owned() + &random(48)),
        ("anthropic-api-key", format!("sk-ant-api03-{}AA", random(93))),
        ("gcp-api-key", "AIza".to_owned() + "Sy" + &random(33)),
        ("google-oauth-secret", "GOCSPX-".to_owned() + &random(28)),
        ("google-oauth-access-token", "ya29.".to_owned() + &random(60)),
        ("npm-access-token", "npm_".to_owned() + &random(36)),
        ("huggingface-access-token", "hf_".to_owned() + &random(34)),
        ("sendgrid-api-token", format!("SG.{}.{}", random(22), random(43))),
        ("shopify-access-token", "shpat_".to_owned() + &hex(32)),
        ("digitalocean-pat", "dop_v1_".to_owned() + &hex(64)),
        ("databricks-api-token", "dapi".to_owned() + &hex(32)),
        ("doppler-api-token", "dp.st.dev.".to_owned() + &random(43)),
        ("telegram-bot-api-token", format!("4839574813:AA{}", random(33))),
        (
            "discord-webhook",
            format!("https://discord.com/api/webhooks/{}/{}", "123123123123123123", random(68)),
        ),
        ("password-hash", format!("$2b$12${}", random(53))),
        ("password-hash", format!("$6${}${}", random(8), random(86))),
        ("jwt", format!("eyJhbGciOiJIUzI1NiJ9.eyJ{}.{}", random(40), random(43))),
        ("prefixed-token", "acmeco_".to_owned() + &random(36)),
    ];
    for (rule, credential) in cases {
        for text in ["@", "The value (@) is here.", "値は「@」です。", "x = \"@\"", "- @\n- b\n"]
        {
            check(rule, text, &credential);
        }
    }
}

#[test]
fn passwords() {
    let rule = "password-assignment";
    for text in [
        "password = \"@\"",
        "password: '@'",
        "\"db_password\": \"@\",",
        "DB_PASS=@",
        "export PGPASSWORD=@\n",
        "$mail->Password = '@';",
        "- **Password**: @",
        "Password: `@`",
        "<password>@</password>",
        "| password | @ |",
        "if password == \"@\":",
        "connect.setPassword(\"@\")",
        "tool --password @ --quiet",
        "the default password for the user \"root\" is \"@\".",
        "The password is @.",
        "MYSQL_ROOT_PASSWORD: @",
        "pw: @",
        "パスワード：@",
        "パスワード　：　@",
        "パスワードは「@」です。",
        "パスワード「@」",
        "パスワードは @ です",
    ] {
        check(rule, text, &("Tr0ub".to_owned() + "4dor"));
    }
    check(rule, "暗証番号：@", &("47".to_owned() + "19"));
    check(rule, "my_password: \"@\"", &("sesame".to_owned() + "street"));
}

#[test]
fn labelled_secrets() {
    let cases = [
        ("high-entropy-hex", "client_token: @", hex(40)),
        ("high-entropy-hex", "API key: `@`", hex(32)),
        ("high-entropy-base64", "aws_secret_access_key = @", random(30) + "/+" + &random(8)),
        ("high-entropy-base64", "秘密鍵：@", random(44)),
        ("high-entropy-base64", "トークンは「@」", random(24)),
        ("high-entropy-base64", "APIキー = @", random(32)),
        ("high-entropy-base64", "アクセストークン　@", random(32)),
        ("high-entropy-base64", "認証キー: @", random(32)),
        ("high-entropy-base64", "curl 'https://h/x?access_token=@&y=1'", random(32)),
        ("secret-assignment", "SECRET_KEY = '@'", "p3q8_a+-w1f^lt3lx1c".to_owned()),
        (
            "secret-assignment",
            "my_api_key: \"@\"",
            "2397f603-c2c4-4897-a8ca-587ace5dc8dd".to_owned(),
        ),
        ("cloud-service-account", "\"private_key_id\": \"@\",", hex(40)),
    ];
    for (rule, text, credential) in cases {
        check(rule, text, &credential);
    }
}

#[test]
fn passwords_in_addresses() {
    let password = "s3cr".to_owned() + "3tPw";
    let cases = [
        ("database-url", "postgres://app:", "@db.local:5432/app"),
        ("database-url", "mongodb+srv://app:", "@c0.mongodb.net/?w=majority"),
        ("database-url", "redis://:", "@cache:6379"),
        ("basic-auth-url", "git clone https://bot:", "@git.local/x.git"),
        ("connection-string", "Server=db;User Id=app;Password=", ";Database=x;"),
        ("connection-string", "Data Source=db;Uid=app;Pwd=", ";"),
    ];
    for (rule, before, behind) in cases {
        let expected = format!("{before}[REDACTED:{rule}]{behind}");
        assert_eq!(scrub(&format!("{before}{password}{behind}")), expected);
    }
}

#[test]
fn headers() {
    check("bearer-token", "Authorization: Bearer @", &random(40));
    check("authorization-header", "Authorization: Token @", &random(40));
    check("basic-auth-header", "Authorization: Basic @", &("YWRtaW46c2Vj".to_owned() + "cmV0MTIz"));
    check("session-cookie", "Cookie: theme=dark; sessionid=@; x=1", &random(32));
}

#[test]
fn private_keys() {
    let line = random(64);
    let begin = "-----BEGIN RSA ".to_owned() + "PRIVATE KEY-----";
    let end = "-----END RSA ".to_owned() + "PRIVATE KEY-----";
    let whole = format!("{begin}\n{line}\n{line}\n{end}");
    assert_eq!(scrub(&format!("a\n{whole}\nb\n")), "a\n[REDACTED:private-key]\n\n\n\nb\n");
    let cut_off = format!("{begin}\n{line}\n{line}\n\nThe rest is prose.");
    assert_eq!(scrub(&cut_off), "[REDACTED:private-key]\n\n\n\nThe rest is prose.");
    let escaped = format!("{{\"private_key\": \"{begin}\\n{line}\\n{end}\\n\"}}");
    assert_eq!(scrub(&escaped), "{\"private_key\": \"[REDACTED:private-key]\\n\"}");
    let illustration = format!("{begin}\n...\n{end}");
    assert_eq!(scrub(&illustration), illustration);
}

#[test]
fn manifests() {
    let text = "kind: Secret\nmetadata:\n  name: app\ndata:\n  user: YWRtaW4x\n  pass: czNjcjN0\ntype: x\n";
    let expected = "kind: Secret\nmetadata:\n  name: app\ndata:\n  user: [REDACTED:kubernetes-secret-yaml]\n  pass: [REDACTED:kubernetes-secret-yaml]\ntype: x\n";
    assert_eq!(scrub(text), expected);
}

#[test]
fn left_alone() {
    let commit = hex(40);
    let sum = hex(64);
    let digest = random(64);
    let negatives = [
        ("commit", format!("Fixed in {commit}.")),
        ("commit with a label", format!("commit: {commit}")),
        ("checksum", format!("sha256:{sum}")),
        ("labelled checksum", format!("checksum = \"{sum}\"")),
        ("integrity", format!("integrity=\"sha384-{digest}\"")),
        ("image", format!("![a](data:image/png;base64,iVBORw0KGgo{digest}{digest})")),
        ("uuid", "id: 54348bc1-6e3b-4cda-8b18-c6033ca7d328".to_owned()),
        ("public key", format!("public_key: {digest}")),
        ("fingerprint", format!("key fingerprint: {sum}")),
        ("nonce", format!("<script nonce=\"{}\">", random(24))),
        ("content security policy", format!("script-src 'nonce-{}'", random(24))),
        ("handshake", format!("Sec-WebSocket-Key: {}==", random(22))),
        ("prose", "password: the user's password".to_owned()),
        ("prose about tokens", "token: a string that identifies the session".to_owned()),
        ("Japanese prose", "パスワード：利用者のパスワード".to_owned()),
        ("Japanese rule", "パスワードは8文字以上とする".to_owned()),
        ("sentence", "The password is hashed, and its encoding is Base64.".to_owned()),
        ("type", "password: string;".to_owned()),
        ("call", "password = getPassword(user)".to_owned()),
        ("member", "password = request.form.password".to_owned()),
        ("form", "<input type=\"password\" name=\"password\" id=\"pass\">".to_owned()),
        ("listener", "password.addEventListener(\"focus\", show)".to_owned()),
        ("label text", "passwordLabel: \"Password\"".to_owned()),
        ("field name", "\"password\" => \"user_password\"".to_owned()),
        ("path", "'/forgot-password' => \"users/passwords#update\"".to_owned()),
        ("keyboard", "key: \"ArrowLeft\", keyCode: 37, keyboard: \"Enter\"".to_owned()),
        ("web address", "https://user:password@example.com/".to_owned()),
        ("route", "new URLPattern({ password: \":pass?\" })".to_owned()),
        ("hashed file name", format!("dist/app_{}.js", random(32))),
        ("cross-site token", format!("csrf_token={}", random(32))),
    ];
    for (kind, text) in negatives {
        assert_eq!(scrub(&text), text, "{kind}");
    }
}

#[test]
fn stand_ins_are_left_alone() {
    for value in [
        "<your-token>",
        "xxxxxxxxxxxxxxxxxxxx",
        "YOUR_API_KEY",
        "changeme",
        "********",
        "${API_TOKEN}",
        "$API_TOKEN",
        "{{ secrets.token }}",
        "process.env.API_TOKEN",
        "os.environ[\"API_TOKEN\"]",
        "...",
        "password",
        "",
    ] {
        for label in ["password", "api_key", "access_token", "パスワード", "APIキー"] {
            for text in [format!("{label}: {value}\n"), format!("{label} = \"{value}\"")] {
                assert_eq!(scrub(&text), text);
            }
        }
    }
}

#[test]
fn exceptions() {
    let token = "ghp_".to_owned() + &random(36);
    let text = format!("a {token} b");
    let rules = ["github-pat", "prefixed-token"].map(str::to_owned).to_vec();
    let off = ScrubOptions { allowed_rules: rules, ..ScrubOptions::default() };
    assert_eq!(Scrubber::new(&off).scrub(&text).text, text);
    for name in ["*", "github-pat"] {
        let mut texts = vec![(name.to_owned(), token.clone())];
        texts.push(("prefixed-token".to_owned(), token.clone()));
        let allowed = ScrubOptions { allowed_texts: texts, ..ScrubOptions::default() };
        assert_eq!(Scrubber::new(&allowed).scrub(&text).text, text);
        let other = format!("ghp_{}", random(40).split_off(4));
        assert_ne!(Scrubber::new(&allowed).scrub(&other).text, other);
    }
}

#[test]
fn spans_point_into_both_texts() {
    let password = "Tr0ub".to_owned() + "4dor";
    let text = format!("前 password: \"{password}\" 後");
    let scrubbed = Scrubber::default().scrub(&text);
    let redaction = &scrubbed.redactions[0];
    assert_eq!(text[redaction.span.clone()], password);
    assert_eq!(scrubbed.text[redaction.replacement.clone()], *"[REDACTED:password-assignment]");
    let behind = scrubbed.text.find('後').expect("it is kept");
    assert_eq!(Some(scrubbed.original_offset(behind)), text.find('後'));
}

#[test]
fn markers_become_spaces() {
    let cases = [
        ("a [REDACTED:x-1] b", "a   b"),
        ("[REDACTED:a][REDACTED:b]", "  "),
        ("[REDACTED:A] [REDACTED:] [REDACTED:a", "[REDACTED:A] [REDACTED:] [REDACTED:a"),
        ("日本[REDACTED:jwt]語", "日本 語"),
        ("plain", "plain"),
    ];
    for (text, expected) in cases {
        assert_eq!(without_markers(text), expected);
    }
}

/// Texts from the parts that the detectors look for, in any order.
fn texts() -> impl Strategy<Value = String> {
    let fixed = [
        "password",
        "パスワード",
        "は",
        "：",
        "　",
        "「",
        "」",
        ": ",
        "=",
        " = \"",
        "\"",
        "'",
        "`",
        "\n",
        "\r\n",
        "token",
        "secret_key",
        "_",
        "://",
        "user:",
        "@",
        ";",
        "Server=",
        "Password=",
        "Bearer ",
        "basic ",
        "Cookie: ",
        "sessionid=",
        "-----BEGIN ",
        "PRIVATE KEY-----",
        "-----END ",
        "kind: Secret\n",
        "data:\n",
        "  a: ",
        "[REDACTED:",
        "[REDACTED:x]",
        "]",
        "ghp_",
        "sk-",
        "eyJ",
        "AKIA",
        "curl -u ",
        "curl -H \"Authorization: ",
        "machine a login b password ",
        " is ",
        "あ",
        "é",
        "is '",
        "--token ",
        "|",
        "<password>",
        "</",
        "(",
        ",",
        "$2a$12$",
        ".",
    ];
    let parts = prop_oneof![
        6 => proptest::sample::select(fixed.to_vec()).prop_map(str::to_owned),
        2 => (1usize..70).prop_map(random),
        1 => (1usize..70).prop_map(hex),
        1 => "[a-zA-Z0-9]{1,12}",
        1 => any::<String>(),
    ];
    proptest::collection::vec(parts, 0..24).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: testkit::cases(),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn holds_for_any_text(text in texts()) {
        let scrubber = Scrubber::default();
        let once = scrubber.scrub(&text);
        let twice = scrubber.scrub(&once.text);
        prop_assert_eq!(&twice.text, &once.text);
        let breaks = |text: &str| text.chars().filter(|&c| c == '\n' || c == '\r').collect::<String>();
        prop_assert_eq!(breaks(&once.text), breaks(&text));
        let mut end = 0;
        for redaction in &once.redactions {
            prop_assert!(redaction.span.start >= end && redaction.span.end > redaction.span.start);
            prop_assert!(text.is_char_boundary(redaction.span.start));
            prop_assert!(text.is_char_boundary(redaction.span.end));
            prop_assert!(once.text[redaction.replacement.clone()].starts_with("[REDACTED:"));
            end = redaction.span.end;
        }
        without_markers(&once.text);
    }
}
