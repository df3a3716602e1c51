#!/usr/bin/env python3
"""The quality run: every judged set, each signal alone and together, ablations, passage choice.

Responsible for which commands run and what is kept of them; quality_plan.py says what is asked,
quality_page.py how it is written down. One command at a time, the most useful first; a run that was
cut short goes on where it stopped, with the same --out and the same binary.

  quality.py --hiku target/release/hiku --data DIR --write-page docs/quality.md --write-page README.md \\
             [--lab-python PYTHON_WITH_NUMPY]
  quality.py --page-only --out RUN_FOLDER --write-page docs/quality.md

DIR holds eval/SET in BEIR layout. Writes RUN_FOLDER/raw.json and report.md, and the tables between
the markers of the page. Standard library only; the fusion lab, a script of its own, needs numpy.
Exit code: 0 done, 2 a command failed. A missed aim is shown and is no error.
"""
import argparse
import datetime
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import measure
import passages
import quality_page
import quality_plan as plan
import report

HERE = Path(__file__).resolve().parent


class Quality:
    """One run: its folders, and what is known so far."""

    def __init__(self, options, work):
        self.options, self.work = options, work
        self.runs = options.runs or work / "runs"
        self.runs.mkdir(parents=True, exist_ok=True)
        (work / "config.toml").touch()
        self.environment = {"HIKU_NO_DAEMON": "1", "HIKU_CONFIG": str(work / "config.toml")}
        self.hiku = ["nice", str(options.hiku)]
        self.raw = self.earlier() or {"facts": self.facts(), "sets": {}, "results": {}, "comparisons": {},
                                      "passages": {}, "commands": []}

    def facts(self):
        """Binary and machine."""
        version = report.first_line([str(self.options.hiku), "--version"])
        return {**report.environment(HERE.parent), "hiku": version, "hiku_sha256": digest(self.options.hiku),
                "metrics": plan.METRICS}

    def earlier(self):
        """What an earlier run of the same binary left in the folder."""
        file = self.options.out / "raw.json"
        if self.options.fresh or not file.exists():
            return None
        raw = json.loads(file.read_text(encoding="utf-8"))
        return raw if raw["facts"]["hiku_sha256"] == digest(self.options.hiku) else None

    def folder(self, judged):
        """The set's folder."""
        return self.options.data / "eval" / judged.name

    def run_file(self, judged, way_name):
        """Where the TREC run of a set and a way is written."""
        return self.runs / f"{judged.name}.{way_name}.run"

    def call(self, *arguments):
        """Runs the product, keeps the command in a form without this machine's paths, returns its JSON."""
        command = " ".join(self.neutral(str(part)) for part in ("hiku", *arguments))
        if command not in self.raw["commands"]:
            self.raw["commands"].append(command)
        return json.loads(measure.run([*self.hiku, *arguments], self.environment).out)

    def neutral(self, part):
        """A part of a command without this machine's paths."""
        return part.replace(str(self.options.data / "eval"), "SETS").replace(str(self.runs), "RUNS")

    def evaluate(self, judged, way):
        """One set, one way of ranking."""
        key, file, start = f"{judged.name}/{way.name}", self.run_file(judged, way.name), time.monotonic()
        if key in self.raw["results"] and (file.exists() or way not in [*plan.HALVES, plan.HYBRID]):
            return
        answer = self.call("eval", self.folder(judged), *way.flags, "--run", file, "--json",
                           "--metrics", ",".join(plan.METRICS))
        metrics = {one["metric"]: {name: round(one[name], 5) for name in ("mean", "low", "high")}
                   for one in answer["metrics"]}
        self.raw["results"][key] = {"metrics": metrics, "counts": answer["counts"],
                                    "unavailable": answer["unavailable"],
                                    "seconds": round(time.monotonic() - start, 1)}
        self.describe(judged, answer["counts"])
        for baseline in plan.baselines(way):
            self.compare(judged, baseline, way.name)

    def compare(self, judged, before, after):
        """Differences of two runs of a set, with p."""
        answer = self.call("eval", "compare", self.run_file(judged, before), self.run_file(judged, after),
                           "--qrels", self.folder(judged), "--json", "--metrics", plan.MAIN)
        kept = ("before", "after", "difference", "low", "high", "p", "wins", "ties", "losses")
        one = next(one for one in answer["differences"] if not one["category"])
        self.raw["comparisons"][f"{judged.name}/{before}~{after}"] = {
            name: round(one[name], 5) for name in kept}

    def describe(self, judged, counts):
        """What the set is, from its own information file."""
        folder = self.folder(judged)
        info = json.loads((folder / "info.json").read_text(encoding="utf-8"))
        if judged.name not in self.raw["sets"]:
            corpus = passages.lines_of(folder / "corpus.jsonl")
            sizes = sorted(len(document["text"]) for document in corpus)
            self.raw["sets"][judged.name] = {
                "notes": len(corpus), "queries": counts["scored"], "median_characters": sizes[len(sizes) // 2],
                **{name: info.get(name, "") for name in ("license", "source", "lang", "note")}}

    def choose_passages(self, name):
        """The long-note variant of one set of questions."""
        if name in self.raw["passages"]:
            return
        with tempfile.TemporaryDirectory(dir=self.work) as work:
            self.raw["passages"][name] = passages.run_set(
                self.hiku, self.options.data / "eval" / name, Path(work), self.environment)

    def save(self):
        """Writes what is known so far; whole or not at all, for a run may be stopped at any time."""
        out = self.options.out
        out.mkdir(parents=True, exist_ok=True)
        text = json.dumps(self.raw, ensure_ascii=False, indent=1) + "\n"
        (out / "raw.json.new").write_text(text, encoding="utf-8")
        (out / "raw.json.new").replace(out / "raw.json")
        (out / "report.md").write_text(quality_page.report_text(self.raw, read_lab(out)), encoding="utf-8")

    def lab(self):
        """The fusion lab over the deep runs, where a Python with numpy is given."""
        if self.options.lab_python:
            subprocess.run(["nice", self.options.lab_python, HERE / "fusion_lab.py", "--runs", self.runs, "--data",
                            self.options.data, "--out", self.options.out / "fusion.json"], check=True)

    def steps(self):
        """All steps with their names, in order of use."""
        jobs = [(f"{judged.name}/{way.name}", lambda one=judged, by=way: self.evaluate(one, by))
                for judged, way in plan.jobs()]
        main = len(plan.SETS) * (len(plan.HALVES) + 1)
        long_notes = [(f"passages/{name}", lambda one=name: self.choose_passages(one))
                      for name in ("jsquad-valid", "jaquad-train4k")]
        return [*jobs[:main], *long_notes, ("fusion lab", self.lab), *jobs[main:]]

    def run_all(self):
        """Every step, saved after each."""
        for name, step in self.steps():
            print(f"{time.strftime('%H:%M:%S')} {name}", file=sys.stderr, flush=True)
            step()
            self.save()


def digest(file):
    """SHA-256 of the binary, cut to 16 digits."""
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:16]


def read_lab(folder):
    """The fusion lab's table, if there is one."""
    file = folder / "fusion.json"
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--hiku", type=Path, help="the product's release binary")
    parser.add_argument("--data", type=Path, default=os.environ.get("HIKU_DATA"), help="holds eval/SET [HIKU_DATA]")
    parser.add_argument("--out", type=Path, help="folder of the run (default: runs/<date>-quality)")
    parser.add_argument("--runs", type=Path, help="keep the TREC runs here (default: a temporary folder)")
    parser.add_argument("--lab-python", type=Path, help="a Python with numpy, for fusion_lab.py")
    parser.add_argument("--write-page", type=Path, action="append", default=[],
                        help="write the tables between the markers of this page (repeatable)")
    parser.add_argument("--page-only", action="store_true", help="measure nothing; write the page from --out")
    parser.add_argument("--fresh", action="store_true", help="do not go on with an earlier run in --out")
    options = parser.parse_args()
    options.out = options.out or HERE / "runs" / f"{datetime.date.today().isoformat()}-quality"
    if not options.page_only and not (options.hiku and options.data):
        parser.error("give --hiku and --data, or --page-only")
    options.hiku = options.hiku and options.hiku.resolve()
    options.data = options.data and Path(options.data).resolve()
    options.runs = options.runs and options.runs.resolve()
    return options


def main():
    options = arguments()
    try:
        if not options.page_only:
            with tempfile.TemporaryDirectory() as work:
                Quality(options, Path(work)).run_all()
        raw = json.loads((options.out / "raw.json").read_text(encoding="utf-8"))
    except (measure.CommandFailed, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return 2
    lab = read_lab(options.out)
    (options.out / "report.md").write_text(quality_page.report_text(raw, lab), encoding="utf-8")
    for page in options.write_page:
        quality_page.write_page(page, raw, lab)
    return 0


if __name__ == "__main__":
    sys.exit(main())
