"""Tests of what the quality run itself computes: `python3 -m unittest` in this folder."""
import tempfile
import unittest
from pathlib import Path

import passages
import quality_page as page
import quality_plan as plan


def run_of(hybrid, difference, p=0.01):
    """A made-up run of one set, with one ablation."""
    name = plan.SETS[0].name
    metrics = lambda mean: {"metrics": {metric: {"mean": mean, "low": mean - 0.02, "high": mean + 0.02}
                                        for metric in plan.METRICS}}
    compared = {"difference": difference, "low": difference - 0.01, "high": difference + 0.01, "p": p}
    return {"sets": {name: {"notes": 7046, "queries": 174, "median_characters": 900, "license": "CC BY 4.0"}},
            "results": {f"{name}/lexical": metrics(0.7), f"{name}/dense": metrics(0.6),
                        f"{name}/hybrid": metrics(hybrid)},
            "comparisons": {f"{name}/lexical~hybrid": compared, f"{name}/hybrid~no-title": compared}}


class Figures(unittest.TestCase):
    def test_shares_and_differences_read_like_in_the_literature(self):
        for value, text in [(0.7549, ".755"), (1.0, "1.000"), (None, "")]:
            self.assertEqual(page.figure(value), text)
        for value, text in [(0.0123, "+.012"), (-0.5, "-.500"), (-1.0, "-1.000")]:
            self.assertEqual(page.signed(value), text)

    def test_a_bar_is_missed_or_met(self):
        for hybrid, difference, verdicts in [(0.78, 0.08, "met met met"), (0.76, -0.02, "met **MISSED** **MISSED**"),
                                             (0.6, -0.005, "**MISSED** **MISSED** met")]:
            row = page.bars_row(run_of(hybrid, difference), plan.SETS[0])
            self.assertEqual(" ".join([row[3], row[5], row[7]]), verdicts)

    def test_a_star_needs_a_small_p(self):
        for p, text in [(0.01, "-.020*"), (0.2, "-.020")]:
            self.assertEqual(page.starred(run_of(0.7, -0.02, p), plan.SETS[0], "no-title"), text)
        self.assertEqual(page.starred(run_of(0.7, -0.02), plan.SETS[0], "no-weak"), "")


class Page(unittest.TestCase):
    def test_only_the_parts_between_markers_change(self):
        text = "a\n<!-- quality:main -->\nold\n<!-- quality:end -->\nb\n"
        once = page.filled(text, {"main": "new"})
        self.assertEqual(once, text.replace("old", "new"))
        self.assertEqual(page.filled(once, {"main": "new"}), once)

    def test_a_part_that_nobody_makes_is_an_error(self):
        with self.assertRaises(KeyError):
            page.filled("<!-- quality:typo -->\n<!-- quality:end -->", {})


class Plan(unittest.TestCase):
    def test_jobs_are_named_once_and_the_default_comes_before_what_is_compared_with_it(self):
        jobs = [(judged.name, way.name) for judged, way in plan.jobs()]
        self.assertEqual(len(jobs), len(set(jobs)))
        for judged, way in plan.jobs():
            for baseline in plan.baselines(way):
                self.assertLess(jobs.index((judged.name, baseline)), jobs.index((judged.name, way.name)))


class Passages(unittest.TestCase):
    def test_a_section_knows_its_lines(self):
        corpus = [{"_id": "p0", "title": "T", "text": "one\ntwo"}, {"_id": "p1", "title": "T", "text": "three"}]
        with tempfile.TemporaryDirectory() as folder:
            articles, sections = passages.write_vault(corpus, Path(folder))
            lines = (Path(folder) / "00000.md").read_text(encoding="utf-8").split("\n")
        self.assertEqual(len(articles), 1)
        for key, expected in [("p0", ["## 1", "", "one", "two"]), ("p1", ["## 2", "", "three"])]:
            section = sections[key]
            self.assertEqual(lines[section.first - 1:section.last], expected)

    def test_what_is_right_about_a_hit(self):
        section = passages.Section("a.md", 7, 9, "the **right** text")
        hit = {"path": "a.md", "line_start": 7, "line_end": 9, "snippet": "…right text"}
        for changed, expected in [({}, "note passage any snippet"), ({"path": "b.md"}, ""),
                                  ({"line_start": 1, "line_end": 6, "snippet": "other"}, "note"),
                                  ({"line_start": 1, "line_end": 6, "snippet": "other", "more_passages": [hit]},
                                   "note any")]:
            judged = passages.judge({"hits": [{**hit, **changed}]}, section)
            self.assertEqual(" ".join(key for key, right in judged.items() if right), expected)
        self.assertFalse(any(passages.judge({"hits": []}, section).values()))


if __name__ == "__main__":
    unittest.main()
