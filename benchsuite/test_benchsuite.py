"""Tests of what the benchmark itself computes: `python3 -m unittest` in this folder."""
import random
import tempfile
import unittest
from pathlib import Path

import make_vault
import measure
import run
from report import Row, bar_text, ratio_text


class Rows(unittest.TestCase):
    def test_a_ratio_is_held_against_its_bar(self):
        for ours, theirs, bar, verdict in [(1, 30, 1 / 30, "met"), (1.1, 30, 1 / 30, "MISSED"), (4, 1, 4.0, "met"),
                                           (1, 2, None, "")]:
            self.assertEqual(Row("x", ours, theirs, "s", "yardstick", bar).verdict, verdict)

    def test_a_size_is_held_against_its_bar(self):
        for ours, verdict in [(40, "met"), (40.1, "MISSED")]:
            self.assertEqual(Row("x", ours, 500, "MB", "yardstick", 40, is_ratio=False).verdict, verdict)

    def test_ratios_read_like_the_bars(self):
        self.assertEqual((ratio_text(1 / 31), ratio_text(1.5), bar_text(1 / 30), bar_text(4.0)),
                         ("1/31.0", "1.50", "1/30", "4 x"))


class Figures(unittest.TestCase):
    def test_latencies_are_read(self):
        self.assertEqual(run.latencies("queries=140 p50_ms=1.20 p95_ms=3.4\n"), (1.2, 3.4))
        with self.assertRaises(measure.CommandFailed):
            run.latencies("nothing")

    def test_a_failed_command_stops_the_run(self):
        with self.assertRaises(measure.CommandFailed):
            measure.run(["false"])

    def test_a_command_is_measured(self):
        done = measure.run(["echo", "日本"])
        self.assertEqual(done.out, "日本\n")
        self.assertGreater(done.wall_s, 0)
        self.assertGreater(done.peak_mb, 0)


class GeneratedVault(unittest.TestCase):
    def test_the_counts_are_exact(self):
        counts = make_vault.chunk_counts(random.Random(7), 300, 900)
        self.assertEqual((len(counts), sum(counts), min(counts)), (300, 900, 1))

    def test_the_same_seed_gives_the_same_bytes(self):
        digests = []
        for seed in (1, 1, 2):
            with tempfile.TemporaryDirectory() as folder:
                digests.append(make_vault.generate(seed, 40, 120, Path(folder))["sha256"])
        self.assertEqual(digests[0], digests[1])
        self.assertNotEqual(digests[0], digests[2])

    def test_the_founding_rule_finds_the_promised_chunks(self):
        with tempfile.TemporaryDirectory() as folder:
            make_vault.generate(3, 60, 240, Path(folder))
            texts = [note.read_text(encoding="utf-8") for note in Path(folder).rglob("*.md")]
        sections = [part for text in texts for part in ("\n" + text).split("\n## ")]
        kept = [part for part in sections if not part.startswith("Related\n")]
        self.assertEqual((len(texts), len(kept)), (60, 240))
        self.assertTrue(all(30 < len(part) < 2000 for part in kept))


if __name__ == "__main__":
    unittest.main()
