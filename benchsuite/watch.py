"""Measures how soon an edit can be found while `hiku watch` follows the vault.

Usage: python3 watch.py --hiku FILE --vault FOLDER [--edits N] [--out FILE]

Works on a copy of the vault. An edit adds a line with a word that was never there to one note; the
time is from before that line is written until a search that refreshes nothing prints the note's
path. So it includes the wait for quiet, the comparison, the publication and the search itself.
"""
import argparse
import json
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

# Letters of which no tokeniser makes a word or a number that a note holds.
LETTERS = "bcdfghjklmnpqrstvwxz"
# Longest wait for one edit, seconds: it counts as a failure.
LONGEST = 10.0


def main():
    arguments = parse()
    with tempfile.TemporaryDirectory() as folder:
        vault, index = Path(folder, "vault"), Path(folder, "index.hiku")
        shutil.copytree(arguments.vault, vault)
        place = ["--vault", vault, "--index", index]
        subprocess.run([arguments.hiku, "index", "--quiet", *place], check=True)
        watch = subprocess.Popen([arguments.hiku, "watch", *place], stdout=subprocess.DEVNULL,
                                 stderr=subprocess.PIPE, text=True)
        try:
            watch.stderr.readline()
            # Its first comparison and the registration of the folders.
            time.sleep(2)
            times = [edit(arguments.hiku, place, note) for note in chosen(vault, arguments.edits)]
        finally:
            watch.terminate()
            watch.wait()
    report(times, arguments)


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hiku", required=True)
    parser.add_argument("--vault", required=True)
    parser.add_argument("--edits", type=int, default=50)
    parser.add_argument("--out", help="a file for the figures as JSON")
    return parser.parse_args()


def chosen(vault, count):
    notes = sorted(vault.rglob("*.md"))
    return random.Random(1).sample(notes, min(count, len(notes)))


def edit(hiku, place, note):
    """Seconds from the edit until it is found."""
    word = "".join(random.choices(LETTERS, k=14))
    wanted = note.relative_to(place[1]).as_posix()
    search = [hiku, "search", "--no-refresh", "--mode=lexical", "--paths", *place, word]
    start = time.perf_counter()
    with note.open("a", encoding="utf-8") as out:
        out.write(f"\n\nThe {word} is here.\n")
    while time.perf_counter() - start < LONGEST:
        found = subprocess.run(search, capture_output=True, text=True, check=True)
        if wanted in found.stdout.splitlines():
            return time.perf_counter() - start
    sys.exit(f"{wanted}: not found within {LONGEST} s")


def report(times, arguments):
    ordered = sorted(times)
    at = lambda share: round(1000 * ordered[min(len(ordered) - 1, int(share * len(ordered)))])
    figures = {"edits": len(ordered), "p50_ms": at(0.5), "p95_ms": at(0.95), "most_ms": at(1)}
    print(json.dumps(figures))
    if arguments.out:
        Path(arguments.out).write_text(json.dumps(figures) + "\n")


if __name__ == "__main__":
    main()
