#!/usr/bin/env python3
"""The benchmark's one driver: product and yardstick in turn, on the same vault, in the same run.

Responsible for which commands are measured and against which bar. It works on a copy of the vault
in a temporary folder; what counts is the ratio, never a figure from another machine.

  run.py --hiku target/release/hiku --vault DIR \\
         --reference reference_stack.py --reference-python PYTHON --model DIR --queries FILE
  run.py ... --generated      the same on a made-up vault of the founding size, with its headline figures

Writes runs/<date>-<name>/report.md and raw.json, and prints the table.
Exit code: 0 all bars met, 1 a bar was missed, 2 a command failed.
"""
import argparse
import json
import re
import shutil
import sys
import tempfile
from pathlib import Path

import measure
import report
from report import Row

HERE = Path(__file__).resolve().parent
IN_PROCESS = {"HIKU_NO_DAEMON": "1"}
LATENCIES = re.compile(r"p50_ms=([\d.]+)\s+p95_ms=([\d.]+)")

# The bars. Ratios are product / other; sizes and memory are in MB (1,000,000 bytes).
FULL_INDEX = 1 / 5
NO_CHANGE = 4.0
ONE_EDIT = 1.5
COLD = 1 / 30
WARM = 1 / 15
FILE_SIZE = 0.75
INDEX_PEAK_MB = 400
SEARCH_PEAK_MB = 80
BINARY_MB = 40

# The founding document's own figures, on its author's laptop (Apple M3 Pro) and vault. Its query
# time includes embedding the query; whether it includes starting the process is not said.
FOUNDING = {"query_ms": 23, "file_mb": 83, "full_index_s": 240, "day_of_edits_s": 10}
NOTES_A_DAY = 40


class Bench:
    """One run: its commands, and what they gave."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.vault = work / "vault"
        self.index = work / "index.hiku"
        self.database = work / "reference.db"
        self.queries = options.queries
        self.rows, self.raw, self.commands, self.figures = [], {}, [], {}

    # Commands.

    def hiku(self, *arguments, keep_output=True):
        return measure.run([self.options.hiku, *arguments], IN_PROCESS, keep_output)

    def index_vault(self, *flags):
        return self.hiku("index", "--vault", self.vault, "--index", self.index, *flags)

    def ask(self, query):
        return self.hiku("search", "--vault", self.vault, "--index", self.index, "--no-refresh", *query.split())

    def batch(self):
        return self.hiku("search", "--vault", self.vault, "--index", self.index, "--no-refresh",
                         "--batch", self.queries, "--timings", keep_output=False)

    def reference(self, task, *arguments):
        script = [self.options.reference_python, self.options.reference, task]
        return measure.run([*script, *arguments, "--model", self.options.model])

    def reference_index(self):
        return self.reference("index", self.vault, self.database)

    def reference_ask(self, query):
        return self.reference("query", self.database, *query.split())

    def reference_batch(self):
        return self.reference("bench", self.database, "--queries", self.queries)

    def find(self):
        return measure.run(["find", self.vault, "-printf", "%s %T@\n"], keep_output=False)

    # Measurements, in the order in which they are made.

    def keep(self, name, runs):
        """Keeps the raw figures of `runs`, and the command in a form without this machine's paths."""
        self.raw[name] = [run.figures() for run in runs]
        command = " ".join(self.neutral(part) for part in runs[0].command)
        if command not in self.commands:
            self.commands.append(command)
        return runs

    def neutral(self, part):
        options = self.options
        known = {str(self.vault): "VAULT", str(self.index): "INDEX", str(self.database): "REFERENCE.db",
                 str(options.hiku): "hiku", str(options.reference_python): "python3",
                 str(options.reference): "reference_stack.py", str(options.model): "MODEL",
                 str(self.queries): "QUERIES"}
        return known.get(part, json.dumps(part) if part.startswith("%") else part)

    def full_index(self):
        theirs = self.keep("reference full index", [self.reference_index() for _ in range(self.options.reference_rounds)])
        ours = self.keep("full index", [self.index_vault("--full") for _ in range(self.options.index_rounds)])
        self.figures["reference"] = theirs[0].out.strip()
        self.add("full index, wall", ours, theirs, FULL_INDEX)
        processor = [min(run.user_s + run.system_s for run in runs) for runs in (ours, theirs)]
        self.rows.append(Row("full index, processor time", *processor, "s", "yardstick", None))
        self.peak("full index, peak memory", ours, INDEX_PEAK_MB, theirs)
        self.sizes()

    def sizes(self):
        ours, theirs = (measure.database_bytes(path) / 1e6 for path in (self.index, self.database))
        self.rows.append(Row("index file", ours, theirs, "MB", "yardstick", FILE_SIZE))
        binary = self.options.hiku.stat().st_size / 1e6
        self.rows.append(Row("binary", binary, None, "MB", "", BINARY_MB, is_ratio=False))
        self.raw["sizes"] = {"index_mb": ours, "reference_mb": theirs, "binary_mb": binary}

    def nothing_changed(self):
        self.index_vault()
        ours, finds = measure.alternate(self.options.rounds, self.index_vault, self.find)
        self.keep("nothing changed", ours)
        self.keep("find", finds)
        self.add("index, nothing changed", ours, finds, NO_CHANGE, "find")

    def one_edit(self):
        notes = iter(self.some_notes(self.options.rounds))

        def edit_and_index():
            note, word = next(notes), f"qzxedit{len(edits)}"
            append(note, f"\n\nedited {word}\n")
            edits.append((note, word))
            return self.index_vault()

        edits = []
        ours, still = measure.alternate(self.options.rounds, edit_and_index, self.index_vault)
        self.keep("one note edited", ours)
        self.keep("nothing changed, between edits", still)
        self.add("index, one note edited", ours, still, ONE_EDIT, "nothing changed")
        self.must_find(*edits[-1])

    def must_find(self, note, word):
        """An index that is fast because it did nothing would be no use."""
        name = note.relative_to(self.vault).as_posix()
        if name not in self.ask(word).out:
            raise measure.CommandFailed(f"the edited note {name} is not found by its new word {word}")

    def cold_search(self):
        ours, theirs = [], []
        for query in self.cold_queries():
            mine, other = measure.alternate(
                self.options.rounds, lambda: self.ask(query), lambda: self.reference_ask(query))
            ours += self.keep(f"cold search: {query}", mine)
            theirs += self.keep(f"reference cold query: {query}", other)
        self.add("search, cold", ours, theirs, COLD, scale=1000)
        self.peak("search, peak memory", ours, SEARCH_PEAK_MB, theirs)

    def cold_queries(self):
        queries = self.queries.read_text(encoding="utf-8").split("\n")
        # A word with a leading `-` would be an option to the yardstick's argument parser.
        queries = [query for query in queries if query.strip() and not re.search(r"(^|\s)-", query)]
        step = max(1, len(queries) // self.options.cold_queries)
        return queries[::step][: self.options.cold_queries]

    def warm_search(self):
        ours, theirs = measure.alternate(self.options.warm_rounds, self.batch, self.reference_batch)
        self.keep("warm search", ours)
        self.keep("reference warm queries", theirs)
        mine, other = [latencies(run.err) for run in ours], [latencies(run.out) for run in theirs]
        self.raw["warm latencies ms"] = {"hiku": mine, "reference": other}
        for at, name in enumerate(("p50", "p95")):
            pair = [sorted(pair[at] for pair in pairs)[len(pairs) // 2] for pairs in (mine, other)]
            self.rows.append(Row(f"search, warm {name}", *pair, "ms", "yardstick", WARM))
        self.peak("search of a batch, peak memory", ours, SEARCH_PEAK_MB, theirs)

    def day_of_edits(self):
        for at, note in enumerate(self.some_notes(NOTES_A_DAY)):
            append(note, f"\n\nA later thought, number {at}.\n")
        done = self.keep("a day's edits", [self.index_vault()])
        self.rows.append(Row(f"index, {NOTES_A_DAY} notes edited", done[0].wall_s, None, "s", "", None))

    # Rows.

    def add(self, name, ours, theirs, bar, against="yardstick", scale=1):
        unit = "ms" if scale == 1000 else "s"
        walls = [measure.median_wall(runs) * scale for runs in (ours, theirs)]
        self.rows.append(Row(name, *walls, unit, against, bar))

    def peak(self, name, ours, bar, theirs):
        peaks = [max(run.peak_mb for run in runs) for runs in (ours, theirs)]
        self.rows.append(Row(name, *peaks, "MB", "yardstick", bar, is_ratio=False))

    def row(self, name):
        return next(row for row in self.rows if row.name == name)

    def some_notes(self, count):
        """Notes spread evenly over the vault, the same ones in every run."""
        notes = sorted(self.vault.rglob("*.md"))
        step = max(1, len(notes) // count)
        return (notes[::step] * count)[:count]

    @staticmethod
    def headline_row(name, founding, row, unit):
        theirs = "" if row.theirs is None else unit.format(report.number(row.theirs))
        return [name, unit.format(FOUNDING[founding]), theirs, unit.format(report.number(row.ours))]

    def headline(self):
        """The founding document's figures beside ours and the yardstick's on this machine."""
        full, cold, warm = (self.row(name) for name in ("full index, wall", "search, cold", "search, warm p50"))
        file, day = self.row("index file"), self.row(f"index, {NOTES_A_DAY} notes edited")
        rows = [
            self.headline_row("a query, process start included", "query_ms", cold, "{} ms"),
            self.headline_row("a query, warm", "query_ms", warm, "{} ms"),
            self.headline_row("index file", "file_mb", file, "{} MB"),
            self.headline_row("full index", "full_index_s", full, "{} s"),
            self.headline_row(f"a day's edits ({NOTES_A_DAY} notes)", "day_of_edits_s", day, "{} s"),
        ]
        head = ["", "founding document (its author's machine)", "yardstick (here)", "hiku (here)"]
        return ["## The founding document's headline figures", report.table(head, rows)]


def append(note, text):
    with note.open("a", encoding="utf-8") as file:
        file.write(text)


def latencies(text):
    found = LATENCIES.search(text)
    if not found:
        raise measure.CommandFailed(f"no line with p50_ms= and p95_ms= in: {text[-500:]}")
    return float(found[1]), float(found[2])


def corpus(bench):
    """What was indexed, and how much of it."""
    files = [file for file in bench.vault.rglob("*") if file.is_file()]
    notes = [file for file in files if file.suffix == ".md"]
    return {"corpus": bench.options.corpus, "notes": len(notes), "files": len(files),
            "note_mb": round(sum(note.stat().st_size for note in notes) / 1e6, 1)}


def lay_out(bench):
    """Puts the vault into the working folder: a copy, or a generated one."""
    if not bench.options.generated:
        shutil.copytree(bench.options.vault, bench.vault, symlinks=True)
        return
    bench.queries = bench.work / "queries.txt"
    options = bench.options
    # In a process of its own: what the driver holds is the floor of every peak it measures.
    made = measure.run([sys.executable, HERE / "make_vault.py", "--seed", options.seed, "--notes", options.notes,
                        "--chunks", options.chunks, "--queries", bench.queries, bench.vault])
    figures = dict(pair.split("=") for pair in made.err.split())
    bench.raw["generated"] = figures
    bench.options.corpus = f"generated, seed {figures['seed']}, sha256 {figures['sha256'][:16]}"


def measure_all(bench):
    """All measurements; returns what stands at the head of the report."""
    lay_out(bench)
    facts = {**report.environment(HERE.parent), **corpus(bench)}
    measure.warm_page_cache(bench.vault)
    steps = [bench.full_index, bench.cold_search, bench.warm_search, bench.nothing_changed, bench.one_edit]
    for step in steps + ([bench.day_of_edits] if bench.options.generated else []):
        print(f"measuring: {step.__name__.replace('_', ' ')}", file=sys.stderr)
        step()
    return {**facts, "yardstick's index": bench.figures["reference"]}


def remarks(bench):
    rounds = bench.options.rounds
    return [
        f"Times are medians of wall time: {rounds} alternating rounds a command (cold search: {rounds} a query, "
        f"{bench.options.cold_queries} queries; warm: {bench.options.warm_rounds} batches; full index: "
        f"{bench.options.index_rounds}, yardstick {bench.options.reference_rounds}).",
        "Every file was read once before the first measurement, so nobody pays for a cold disk.",
        "Cold means a new process each time, page cache warm, no daemon.",
        f"Peak memory is the largest of all rounds; no figure can be below the driver's own {measure.own_peak_mb():.0f} MB.",
        "The yardstick is the founding pipeline with the libraries it names, on this machine.",
    ]


def write(bench, facts):
    """Writes and prints the report; returns its folder."""
    folder = HERE / "runs" / f"{facts['date']}-{bench.options.name}"
    folder.mkdir(parents=True, exist_ok=True)
    extra = bench.headline() if bench.options.generated else []
    text = report.markdown(f"Benchmark: {bench.options.name}", facts, bench.rows, extra, bench.commands, remarks(bench))
    (folder / "report.md").write_text(text, encoding="utf-8")
    raw = {"facts": facts, "rows": [{**vars(row), "value": row.value, "verdict": row.verdict} for row in bench.rows],
           "commands": bench.commands, "measurements": bench.raw}
    (folder / "raw.json").write_text(json.dumps(raw, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    print(text)
    return folder


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hiku", type=Path, required=True, help="the product's release binary")
    parser.add_argument("--reference", type=Path, required=True, help="the yardstick's script")
    parser.add_argument("--reference-python", type=Path, required=True, help="a Python with the yardstick's libraries")
    parser.add_argument("--model", type=Path, required=True, help="the yardstick's Model2Vec folder")
    parser.add_argument("--vault", type=Path, help="the vault to copy and measure")
    parser.add_argument("--queries", type=Path, help="queries, one a line")
    parser.add_argument("--name", help="name of the run (default: the vault's)")
    parser.add_argument("--corpus", help="what the corpus is, with its revision (default: the vault's name)")
    parser.add_argument("--work", type=Path, help="where the temporary folder is made")
    parser.add_argument("--rounds", type=int, default=9, help="alternating rounds of each short command")
    parser.add_argument("--cold-queries", type=int, default=5)
    parser.add_argument("--warm-rounds", type=int, default=3)
    parser.add_argument("--index-rounds", type=int, default=3)
    parser.add_argument("--reference-rounds", type=int, default=1, help="full indexes of the yardstick, which take minutes")
    parser.add_argument("--generated", action="store_true", help="measure a generated vault")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--notes", type=int, default=16_894)
    parser.add_argument("--chunks", type=int, default=49_746)
    options = parser.parse_args()
    if not options.generated and not (options.vault and options.queries):
        parser.error("give --vault and --queries, or --generated")
    default = "generated" if options.generated else options.vault.resolve().name
    options.name, options.corpus = options.name or default, options.corpus or default
    for option in ("hiku", "reference", "reference_python", "model", "queries"):
        given = getattr(options, option)
        if given and not given.exists():
            parser.error(f"--{option.replace('_', '-')}: there is no {given}")
        # Not resolved: a virtual environment's interpreter is a link that must stay one.
        setattr(options, option, given and given.absolute())
    return options


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="hiku-bench-", dir=options.work) as work:
        bench = Bench(options, Path(work))
        try:
            folder = write(bench, measure_all(bench))
        except measure.CommandFailed as failure:
            print(f"stopped: {failure}", file=sys.stderr)
            return 2
    print(f"written to {folder}", file=sys.stderr)
    return 1 if any(row.verdict == "MISSED" for row in bench.rows) else 0


if __name__ == "__main__":
    sys.exit(main())
