"""Turns a quality run into tables: a report, and the parts of a page between its markers.

Responsible for what is written down; measures nothing. A page's part stands between
`<!-- quality:NAME -->` and `<!-- quality:end -->`; everything else on the page is left alone.
"""
import re

import quality_plan as plan
from report import table

PART = re.compile(r"(<!-- quality:(?!end)([a-z-]+) -->\n).*?(<!-- quality:end -->)", re.DOTALL)


def figure(value):
    """A share with three digits and no zero before the point: .755, 1.000."""
    return "" if value is None else f"{value:.3f}".removeprefix("0")


def signed(value):
    """A difference with its sign: +.012."""
    return "" if value is None else f"{value:+.3f}".replace("0.", ".", 1)


def interval(low, high, form=figure):
    """Both ends of an interval."""
    return f"{form(low)} to {form(high)}"


def measured(raw):
    """The sets that the run holds a hybrid figure of, in the plan's order."""
    return [one for one in plan.SETS if f"{one.name}/hybrid" in raw["results"]]


def metric(raw, judged, way, name=plan.MAIN):
    """A metric's mean and interval, or None where the way was not run on the set."""
    result = raw["results"].get(f"{judged.name}/{way}")
    return result and result["metrics"][name]


def mean(raw, judged, way, name=plan.MAIN):
    """A metric's mean, or None."""
    found = metric(raw, judged, way, name)
    return found and found["mean"]


def better_half(raw, judged):
    """Name of the half with the larger mean."""
    return max(("lexical", "dense"), key=lambda half: mean(raw, judged, half))


def against_half(raw, judged):
    """The comparison of hybrid with its better half."""
    return raw["comparisons"][f"{judged.name}/{better_half(raw, judged)}~hybrid"]


def p_text(p):
    """A p value; the smallest that ten thousand tosses can give is said as a bound."""
    return "< .001" if p < 0.001 else figure(p)


def sets_table(raw):
    """What is measured on."""
    rows = [[one.name, f"{one.queries} → {one.notes}", one.kind, f"{raw['sets'][one.name]['notes']:,}",
             f"{raw['sets'][one.name]['queries']:,}", f"{raw['sets'][one.name]['median_characters']:,}",
             raw["sets"][one.name]["license"]] for one in measured(raw)]
    return table(["set", "queries → notes", "kind", "notes", "queries", "characters, median note", "licence"], rows)


def main_row(raw, judged):
    """Both halves, hybrid, and hybrid less its better half."""
    hybrid, compared = metric(raw, judged, "hybrid"), against_half(raw, judged)
    return [judged.name, figure(mean(raw, judged, "lexical")), figure(mean(raw, judged, "dense")),
            f"**{figure(hybrid['mean'])}**", interval(hybrid["low"], hybrid["high"]), better_half(raw, judged),
            signed(compared["difference"]), interval(compared["low"], compared["high"], signed),
            p_text(compared["p"])]


def main_table(raw):
    """nDCG@10 of each signal alone and together."""
    head = ["set", "lexical", "dense", "hybrid", "95 %", "better half", "hybrid − it", "95 %", "p"]
    return table(head, [main_row(raw, one) for one in measured(raw)])


def metrics_table(raw):
    """All metrics of the three modes."""
    rows = [[one.name, way, *(figure(mean(raw, one, way, name)) for name in plan.METRICS)]
            for one in measured(raw) for way in ("lexical", "dense", "hybrid")]
    return table(["set", "mode", *plan.METRICS], rows)


def short_table(raw):
    """The table of the README: the better signal or hybrid in bold, the page has the rest."""
    rows = []
    for one in measured(raw):
        means = [mean(raw, one, way) for way in ("lexical", "dense", "hybrid")]
        known = raw["sets"][one.name]
        rows.append([one.name, f"{one.queries}, {one.notes}", f"{known['notes']:,} / {known['queries']:,}",
                     *(f"**{figure(value)}**" if value == max(means) else figure(value) for value in means)])
    return table(["set", "queries and corpus", "notes / queries", "by word", "by meaning", "hybrid"], rows)


def verdict(met):
    """A bar's outcome."""
    return "met" if met else "**MISSED**"


def bars_row(raw, judged):
    """A set's floor, aim and distance to the better half."""
    hybrid = mean(raw, judged, "hybrid")
    difference = against_half(raw, judged)["difference"]
    return [judged.name, figure(hybrid), figure(judged.floor), verdict(hybrid >= judged.floor), figure(judged.aim),
            verdict(hybrid >= judged.aim), signed(difference), verdict(difference >= -plan.HALF_TOLERANCE)]


def bars_table(raw):
    """The project's own bars."""
    head = ["set", "hybrid", "floor", "", "aim", "", "hybrid − better half", f"at least −{figure(plan.HALF_TOLERANCE)}"]
    rows = [bars_row(raw, one) for one in measured(raw)]
    counts = [sum(row[at] == "met" for row in rows) for at in (3, 5, 7)]
    text = "Floors met: {} of {n}; aims: {} of {n}; no more than .01 below the better half: {} of {n}."
    return table(head, rows) + "\n\n" + text.format(*counts, n=len(rows))


def starred(raw, judged, way):
    """The difference of a way to the default, with a star where p < 0.05."""
    compared = raw["comparisons"].get(f"{judged.name}/hybrid~{way}")
    if not compared:
        return ""
    return signed(compared["difference"]) + ("*" if compared["p"] < 0.05 else "")


def mean_difference(raw, way, sets):
    """Mean of the differences over the sets that all ablations share."""
    compared = [raw["comparisons"].get(f"{one.name}/hybrid~{way}") for one in sets]
    if not all(compared):
        return ""
    return signed(sum(one["difference"] for one in compared) / len(compared))


def difference_table(raw, ways):
    """Differences to the default, a row a way and a column a set."""
    small = [one for one in plan.SETS if not one.is_large]
    sets = [*small, *(one for one in plan.SETS if one.is_large)]
    rows = [["`" + " ".join(part for part in way.flags if part != "--set") + "`", way.about,
             *(starred(raw, one, way.name) for one in sets), mean_difference(raw, way.name, small)] for way in ways]
    rows = [row for row in rows if any(row[2:])]
    base = ["", "the default itself, nDCG@10", *(figure(mean(raw, one, "hybrid")) for one in sets), ""]
    return table(["setting", "what it means", *(one.name for one in sets), "mean of the six"], [base, *rows])


def fusion_table(raw):
    """The product's fusions on every set."""
    ways = [plan.HYBRID, *plan.FUSIONS]
    sets = measured(raw)
    rows = [[way.about, *(figure(mean(raw, one, way.name)) + star(raw, one, way.name) for one in sets),
             mean_of(raw, sets, way.name)] for way in ways]
    return table(["fusion", *(one.name for one in sets), "mean"], rows)


def star(raw, judged, way):
    """A star where a way differs from the default with p < 0.05."""
    compared = raw["comparisons"].get(f"{judged.name}/hybrid~{way}")
    return "*" if compared and compared["p"] < 0.05 else ""


def mean_of(raw, sets, way):
    """Mean over the sets, if the way was run on all of them."""
    means = [mean(raw, one, way) for one in sets]
    return figure(sum(means) / len(means)) if all(one is not None for one in means) else ""


def lab_table(lab):
    """The fusion lab's comparison, or a line that says that there is none."""
    if not lab:
        return "This run has no fusion lab."
    rows = [[row["name"], *(figure(value) for value in row["values"]), figure(row["mean"]),
             signed(row["worst"])] for row in lab["rows"]]
    return table(["form", *lab["sets"], "mean", "worst − better half"], rows) + "\n\n" + lab["check"]


def passage_table(raw):
    """The right note, and the right section of it."""
    keys = ("note", "passage", "passage_if_note", "any_if_note", "snippet_if_note")
    rows = [[name, mode, f"{one['notes']:,} / {one['sections']:,}", *(figure(one[key]) for key in keys),
             figure(one["chance"])] for name, modes in raw["passages"].items() for mode, one in modes.items()]
    head = ["set", "mode", "notes / sections", "right note first", "and right passage", "passage, of right notes",
            "among its passages", "snippet from it", "blind choice"]
    return table(head, rows)


def facts_table(raw):
    """Binary, machine and date."""
    facts = raw["facts"]
    names = ("date", "hiku", "hiku_sha256", "processor", "cores", "system")
    return table(["", ""], [[name.replace("_", " "), str(facts[name])] for name in names])


def parts(raw, lab):
    """All generated parts by name."""
    return {"facts": facts_table(raw), "sets": sets_table(raw), "short": short_table(raw), "main": main_table(raw),
            "metrics": metrics_table(raw), "bars": bars_table(raw), "ablations": difference_table(raw, plan.ABLATIONS),
            "variants": difference_table(raw, plan.VARIANTS), "fusions": fusion_table(raw), "lab": lab_table(lab),
            "passages": passage_table(raw)}


def report_text(raw, lab):
    """The run's own report: every part under its name, and the commands."""
    made = [] if not measured(raw) else [f"## {name}\n\n{text}" for name, text in parts(raw, lab).items()]
    commands = "\n".join(raw["commands"])
    return "\n\n".join(["# Quality run", *made, f"## commands\n\n```sh\n{commands}\n```"]) + "\n"


def filled(page, made):
    """The page's text with its parts replaced; an unknown part is an error."""
    return PART.sub(lambda found: f"{found[1]}{made[found[2]]}\n{found[3]}", page)


def write_page(path, raw, lab):
    """Replaces the parts of the page."""
    path.write_text(filled(path.read_text(encoding="utf-8"), parts(raw, lab)), encoding="utf-8")
