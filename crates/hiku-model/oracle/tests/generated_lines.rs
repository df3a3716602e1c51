//! Makes varied lines for comparing tokenizers: all scripts and the awkward corners of Unicode.
//! Always the same lines.

/// A small generator of numbers (xorshift64*), so that lines are the same in each run.
pub(crate) struct Numbers(u64);

impl Numbers {
    pub(crate) fn new(seed: u64) -> Self {
        Numbers(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33) as usize % limit
    }

    fn pick<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> &'a T {
        choices[self.below(choices.len())]
    }
}

const WORDS: &[&str] = &[
    "the",
    "local",
    "search",
    "Hybrid",
    "retrieval",
    "notes",
    "running",
    "don't",
    "WebAssembly",
    "naïve",
    "café",
    "Über",
    "e.g.",
    "(see",
    "below)",
    "well-known",
    "2024-05-17",
    "3.14159",
    "—",
    "\u{201C}quoted\u{201D}",
    "#tag",
    "[[link]]",
    "**bold**",
    "`code`",
    "I/O",
    "C++",
    "x86_64",
    "unbelievably",
];
const JAPANESE: &[&str] = &[
    "検索",
    "手元の",
    "ノートを",
    "する",
    "権限",
    "許可の射程",
    "東京都",
    "ということ",
    "プログラム",
    "、",
    "。",
    "「引用」",
    "（注）",
    "ー",
    "々",
    "ゟ",
    "㍿",
    "㌔",
    "①",
    "ｶﾞｷﾞ",
    "ﾊﾟﾋﾟ",
    "か\u{3099}",
    "ハ\u{309A}",
    "全角ＡＢＣ１２３",
    "\u{3000}",
    "〜",
    "～",
    "・",
    "令和㋿",
    "髙﨑",
    "葛\u{E0100}",
    "𠮷野家",
    "味噌汁",
    "〱",
    "〳〵",
];
const SCRIPTS: &[&str] = &[
    "العربية",
    "بِسْمِ",
    "ภาษาไทย",
    "น้ำ",
    "한국어",
    "\u{1112}\u{1161}\u{11AB}",
    "\u{1100}\u{1161}가\u{11A8}",
    "हिन्दी",
    "क्षत्रिय",
    "தமிழ்",
    "עִבְרִית",
    "Привет",
    "й",
    "Ελληνικά",
    "ΐ",
    "中文简体",
    "繁體中文",
    "Tiếng Việt",
    "e\u{301}",
    "o\u{308}\u{304}",
    "q\u{307}\u{323}",
    "ﬁ",
    "ﷺ",
    "ǆ",
    "Å",
    "Ω",
    "ſ",
    "İ",
    "½",
    "x²",
    "™",
    "℡",
    "…",
    "‥",
    "៛ខ្មែរ",
    "မြန်မာ",
    "\u{600}1",
];
const EMOJI: &[&str] = &[
    "😀",
    "👩\u{200D}💻",
    "👨\u{200D}👩\u{200D}👧\u{200D}👦",
    "🏳\u{FE0F}\u{200D}🌈",
    "🇯🇵🇫🇷🇩",
    "👍🏽",
    "1\u{FE0F}\u{20E3}",
    "❤\u{FE0F}",
    "©",
    "™\u{FE0F}",
    "🏴\u{E0067}\u{E0062}\u{E0065}\u{E006E}\u{E0067}\u{E007F}",
    "☎",
    "♥",
];
const INVISIBLE: &[&str] = &[
    "\0",
    "\u{1}",
    "\u{7}",
    "\u{8}",
    "\u{B}",
    "\u{C}",
    "\u{1B}[0m",
    "\u{1E}",
    "\u{7F}",
    "\u{80}",
    "\u{85}",
    "\u{9F}",
    "\u{AD}",
    "\u{200B}",
    "\u{200C}",
    "\u{200D}",
    "\u{200E}",
    "\u{202E}",
    "\u{2060}",
    "\u{FEFF}",
    "\u{FFF9}",
    "\u{FFFD}",
    "\u{FFFE}",
    "\u{FFFF}",
    "\u{E000}",
    "\u{10FFFF}",
    "\u{301}",
    "\u{3099}",
    "\u{FE0F}",
    "\u{20DD}",
    "\u{34F}",
    "\u{180E}",
    "\u{61C}",
];
const SPACES: &[&str] = &[
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\r\n",
    "\r",
    "\r\r\n",
    "\u{A0}",
    "\u{1680}",
    "\u{2002}",
    "\u{2009}",
    "\u{2028}",
    "\u{2029}",
    "\u{202F}",
    "\u{205F}",
    "\u{3000}",
    "\u{2581}",
    "\u{2581}\u{2581}",
    " \u{301}",
    "\n\u{301}",
    "▁ ",
    " \u{200D}",
];
const CODE: &[&str] = &[
    "https://example.org/a/b?c=d&e=%E3%81%82#f",
    "fn main() {",
    "    let x = vec![1, 2, 3];",
    "self.foo_bar->baz::<T>()",
    "if (a<b && c>=d) { return !e; }",
    "<div class=\"x\">",
    "<s>",
    "</s>",
    "<unk>",
    "<pad>",
    "0xDEADBEEF",
    "a@b.example",
    "C:\\Users\\me\\notes",
    "/usr/local/bin",
    "SELECT * FROM t WHERE id = 1;",
    "camelCaseIdentifierName",
    "snake_case_name",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "| a | b |",
    "|---|:-:|",
    "- [ ] todo",
    "```rust",
];

/// A line of the given number: one of several kinds.
pub(crate) fn line(number: usize) -> String {
    let mut numbers = Numbers::new(number as u64 + 1);
    let length = 1 + numbers.below(12);
    match number % 8 {
        0 => join(&mut numbers, &[WORDS], length, &[" "]),
        1 => join(&mut numbers, &[JAPANESE], length, &[""]),
        2 => join(&mut numbers, &[WORDS, JAPANESE, SCRIPTS], length, &["", " "]),
        3 => join(&mut numbers, &[WORDS, CODE], length, SPACES),
        4 => join(&mut numbers, &[WORDS, JAPANESE, SCRIPTS, EMOJI, INVISIBLE], length, &["", " "]),
        5 => join(&mut numbers, &[SPACES, INVISIBLE, EMOJI], length, &[""]),
        6 => characters(&mut numbers, length * 3),
        _ => long_run(&mut numbers),
    }
}

fn join(numbers: &mut Numbers, lists: &[&[&str]], length: usize, between: &[&str]) -> String {
    let mut line = String::new();
    for index in 0..length {
        if index > 0 || numbers.below(10) == 0 {
            line.push_str(numbers.pick(between));
        }
        let list = lists[numbers.below(lists.len())];
        line.push_str(numbers.pick(list));
    }
    line
}

/// Any characters, most of them from the basic plane, some of them combining marks.
fn characters(numbers: &mut Numbers, length: usize) -> String {
    let mut line = String::new();
    for _ in 0..length {
        let code = match numbers.below(10) {
            0 => numbers.below(0x11_0000),
            1 => 0x300 + numbers.below(0x70),
            2..4 => numbers.below(0x250),
            4 => 0x1100 + numbers.below(0x100),
            5 => 0x3000 + numbers.below(0x400),
            6 => 0xFE00 + numbers.below(0x200),
            7 => 0x900 + numbers.below(0x700),
            _ => numbers.below(0x1_0000),
        };
        line.extend(char::from_u32(code as u32));
    }
    line
}

/// One stretch repeated often, without a space.
fn long_run(numbers: &mut Numbers) -> String {
    let lists = [WORDS, JAPANESE, SCRIPTS, EMOJI, INVISIBLE, SPACES, CODE];
    let list = lists[numbers.below(lists.len())];
    let stretch = numbers.pick(list);
    stretch.repeat(1 + numbers.below(60))
}
