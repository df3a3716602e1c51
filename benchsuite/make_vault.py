#!/usr/bin/env python3
"""Generates a bilingual vault of any size, the same bytes for the same seed.

Responsible for a vault whose shape is known beforehand: as many notes and, under the founding
chunk rule (cut at `## `, parts of 30 to 2,000 characters), as many chunks as asked. Its words
follow Zipf's law, so that postings have realistic lengths. Says nothing about quality: the text
has no meaning, and no judgement may be drawn from what is found in it.

  make_vault.py --seed 1 --notes 16894 --chunks 49746 DIR [--queries FILE]
"""
import argparse
import hashlib
import itertools
import random
import sys
from pathlib import Path

FOLDERS = ["daily", "projects", "notes", "reference", "people", "reading", "inbox", "areas/home",
           "areas/work", "archive/2024", "archive/2025", "hooks"]
TAGS = ["daily", "project", "reading", "howto", "idea", "review", "security", "release", "家", "仕事",
        "料理", "設計"]
COMMON = """the of and to a in is that for it as was with be on not by this are or from at which but
have an had they you were their one all we can her has there been if more when will would who so no
out up into than its time only could other some them new may then these two first any our work use
note file test code read write index search query data list page change line table cache key value
build release review plan rule order part form name case point call start end open close keep find
""".split()
COMMON_JAPANESE = """こと もの とき 場合 人 今日 時間 内容 方法 問題 結果 必要 作業 確認 変更 自分 次 前 後 全部 今回 仕事 設定 画面
名前 場所 理由 部分 予定 記録 ノート 検索 索引 質問 言葉 文章 資料 会議 連絡 相手 データ ファイル テスト""".split()
KANJI = ("日本人大小中国時分年月火水木金土山川田口目手足力心生死行来食飲見聞読書話語学校先生友名前後上下左右"
         "東西南北外内入出立休早遅長短高低新古明暗多少強弱重軽広狭開閉始終売買貸借教習思考知識理解記録検索"
         "索引設定変更確認処理方法手順結果原因対応問題計画実行評価比較選択管理保存復旧認証許可範囲機能構造")
PARTICLES = ["は", "が", "を", "に", "で", "と", "の", "から", "まで", "も", "へ", "より"]
ENDINGS = ["した。", "する。", "している。", "になる。", "と考えた。", "が必要だ。", "しておく。", "だった。"]
KANA = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモラリルレロン"
ONSETS = ["b", "br", "c", "ch", "d", "dr", "f", "g", "gr", "h", "l", "m", "n", "p", "pl", "r", "s", "st",
          "t", "tr", "v", "w"]
RHYMES = ["a", "al", "an", "ar", "e", "el", "en", "er", "i", "in", "ing", "o", "on", "or", "ow", "u", "un"]

# Sizes of a chunk's text in characters: with the mean of both languages this gives about 330.
ENGLISH_WORDS = (12, 84)
JAPANESE_WORDS = (14, 106)
EXTRA_CHUNKS_LIMIT = 24
VOCABULARY = 24_000
ZIPF_SHIFT = 2.7  # Mandelbrot's correction; 2.7 is the customary value for prose.


class Words:
    """A vocabulary drawn from by Zipf's law."""

    def __init__(self, rng, words):
        self.rng, self.words = rng, words
        self.cumulative = list(itertools.accumulate(1 / (rank + ZIPF_SHIFT) for rank in range(1, len(words) + 1)))

    def draw(self, count):
        return self.rng.choices(self.words, cum_weights=self.cumulative, k=count)


def english_words(rng):
    made = {"".join(rng.choice(ONSETS) + rng.choice(RHYMES) for _ in range(rng.randint(1, 3)))
            for _ in range(VOCABULARY * 2)}
    rare = sorted(made - set(COMMON))
    rng.shuffle(rare)
    return Words(rng, COMMON + rare[:VOCABULARY])


def japanese_words(rng):
    kanji = {"".join(rng.choices(KANJI, k=rng.choice((1, 2, 2, 2, 3)))) for _ in range(VOCABULARY)}
    kana = {"".join(rng.choices(KANA, k=rng.randint(3, 6))) for _ in range(VOCABULARY // 4)}
    rare = sorted((kanji | kana) - set(COMMON_JAPANESE))
    rng.shuffle(rare)
    return Words(rng, COMMON_JAPANESE + rare[:VOCABULARY])


def english_text(rng, words, size):
    sentences, drawn = [], words.draw(size)
    while drawn:
        length = rng.randint(6, 16)
        sentence, drawn = drawn[:length], drawn[length:]
        sentences.append(" ".join(sentence).capitalize() + ".")
    return " ".join(sentences)


def japanese_text(rng, words, size):
    parts, drawn = [], words.draw(size)
    for at, word in enumerate(drawn, 1):
        is_last = at % 6 == 0 or at == len(drawn)
        parts.append(word + (rng.choice(ENDINGS) if is_last else rng.choice(PARTICLES)))
    return "".join(parts)


def code_block(rng, words):
    names = words.draw(4)
    name = f"{names[0]}_{names[1]}"
    return f"```python\ndef {name}({names[2]}):\n    return {names[3]}({names[2]}, {rng.randint(1, 999)})\n```"


class Writer:
    """Makes one note after the other."""

    def __init__(self, rng):
        self.rng = rng
        self.english, self.japanese = english_words(rng), japanese_words(rng)

    def prose(self, language):
        is_english = language == "en" or (language == "mixed" and self.rng.random() < 0.5)
        if is_english:
            return english_text(self.rng, self.english, self.rng.randint(*ENGLISH_WORDS))
        return japanese_text(self.rng, self.japanese, self.rng.randint(*JAPANESE_WORDS))

    def title(self, language):
        if language == "ja":
            return "".join(self.japanese.draw(self.rng.randint(1, 3)))
        return " ".join(self.english.draw(self.rng.randint(2, 4)))

    def note(self, language, title, chunks, links):
        rng = self.rng
        day = f"{rng.randint(2022, 2026)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        tags = ", ".join(sorted(set(rng.choices(TAGS, k=rng.randint(1, 3)))))
        lines = ["---", f"title: {title}", f"tags: [{tags}]", f"created: {day}", "---", f"# {title}", ""]
        lines.append(self.prose(language))
        for _ in range(chunks - 1):
            lines += ["", f"## {self.title(language)}", "", self.prose(language)]
            if rng.random() < 0.06:
                lines += ["", code_block(rng, self.english)]
        if links:
            lines += ["", "## Related", *(f"- [[{link}]]" for link in links)]
        return "\n".join(lines) + "\n"


def chunk_counts(rng, notes, chunks):
    """How many chunks each note has: at least one, skewed, and `chunks` in all."""
    counts = [1] * notes
    weights = list(itertools.accumulate(rng.paretovariate(1.6) for _ in range(notes)))
    left = chunks - notes
    while left > 0:
        for at in rng.choices(range(notes), cum_weights=weights, k=left):
            if counts[at] <= EXTRA_CHUNKS_LIMIT:
                counts[at] += 1
        left = chunks - sum(counts)
    return counts


def plan(rng, writer, notes):
    """Language, title and path of each note; paths are unique."""
    seen, planned = set(), []
    for number in range(notes):
        language = rng.choices(("en", "ja", "mixed"), weights=(45, 45, 10))[0]
        title = writer.title(language)
        folder = rng.choice(FOLDERS)
        if folder == "daily":
            title = f"{2022 + number % 5}-{number % 12 + 1:02}-{number % 28 + 1:02}"
        path = f"{folder}/{title}.md"
        if path in seen:
            title = f"{title} {number}"
            path = f"{folder}/{title}.md"
        seen.add(path)
        planned.append((language, title, path))
    return planned


def queries(rng, writer, planned, count):
    """Queries of one to five words in both languages, and some titles."""
    made = []
    for at in range(count):
        language, title, _ = rng.choice(planned)
        if at % 5 == 0:
            made.append(title)
        elif language == "ja":
            made.append("の".join(writer.japanese.draw(rng.randint(1, 3))))
        else:
            made.append(" ".join(writer.english.draw(rng.randint(1, 5))))
    return made


def generate(seed, notes, chunks, folder, queries_file=None):
    """Writes the vault and returns its figures, with a digest over paths and text."""
    rng = random.Random(seed)
    writer = Writer(rng)
    planned = plan(rng, writer, notes)
    counts = chunk_counts(rng, notes, chunks)
    digest, total = hashlib.sha256(), 0
    for directory in FOLDERS:
        (folder / directory).mkdir(parents=True, exist_ok=True)
    for (language, title, path), count in zip(planned, counts):
        links = [rng.choice(planned)[1] for _ in range(rng.choice((0, 0, 1, 2, 4)))]
        text = writer.note(language, title, count, links)
        (folder / path).write_text(text, encoding="utf-8", newline="\n")
        digest.update(path.encode() + b"\0" + text.encode() + b"\0")
        total += len(text)
    if queries_file:
        queries_file.write_text("\n".join(queries(rng, writer, planned, 140)) + "\n", encoding="utf-8")
    return {"seed": seed, "notes": notes, "chunks": sum(counts), "characters": total,
            "characters_per_chunk": round(total / sum(counts)), "sha256": digest.hexdigest()}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR", help="must be empty or not there")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--notes", type=int, default=16_894)
    parser.add_argument("--chunks", type=int, default=49_746)
    parser.add_argument("--queries", type=Path, help="also write 140 queries, one a line")
    options = parser.parse_args()
    if options.chunks < options.notes or options.chunks > options.notes * EXTRA_CHUNKS_LIMIT:
        parser.error(f"--chunks must be 1 to {EXTRA_CHUNKS_LIMIT} times --notes")
    if options.folder.exists() and any(options.folder.iterdir()):
        parser.error(f"{options.folder} is not empty")
    figures = generate(options.seed, options.notes, options.chunks, options.folder, options.queries)
    print(" ".join(f"{name}={value}" for name, value in figures.items()), file=sys.stderr)


if __name__ == "__main__":
    main()
