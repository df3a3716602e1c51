"""Turns measured figures into rows with bars, a Markdown report and a description of the machine.

Responsible for what is written down; measures nothing.
"""
import datetime
import os
import platform
import subprocess
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Row:
    """One line of the table."""

    name: str
    ours: float
    theirs: float | None
    unit: str
    against: str
    bar: float | None
    is_ratio: bool = True

    @property
    def value(self):
        """What the bar is about: the ratio, or the figure itself."""
        return self.ours / self.theirs if self.is_ratio and self.theirs else self.ours

    @property
    def verdict(self):
        """Whether the bar is met; empty where there is none."""
        if self.bar is None:
            return ""
        return "met" if self.value <= self.bar else "MISSED"

    def cells(self):
        """The row as the report prints it."""
        theirs = "" if self.theirs is None else f"{number(self.theirs)} {self.unit}"
        ratio = ratio_text(self.ours / self.theirs) if self.is_ratio and self.theirs else ""
        bar = ""
        if self.bar is not None:
            bar = f"<= {bar_text(self.bar)}" if self.is_ratio else f"<= {self.bar:g} {self.unit}"
        return [self.name, f"{number(self.ours)} {self.unit}", theirs, self.against, ratio, bar, self.verdict]


def number(value):
    """Three significant digits, without an exponent."""
    if value >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 else f"{value:.2f}" if value >= 0.1 else f"{value:.4f}"


def ratio_text(ratio):
    """A ratio, small ones as a fraction: 1/31."""
    return f"1/{1 / ratio:.1f}" if 0 < ratio < 0.5 else f"{ratio:.2f}"


def bar_text(bar):
    """A bar as it is written in the tables of the project."""
    return f"1/{1 / bar:.0f}" if bar < 0.5 else f"{bar:g} x"


def table(head, rows):
    """A Markdown table."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    return "\n".join(lines + [f"| {' | '.join(cells)} |" for cells in rows])


HEAD = ["measured", "hiku", "other", "against", "ratio", "bar", ""]


def first_line(command, folder=None):
    """The first line that a command prints, or `unknown`."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return done.stdout.strip().split("\n")[0]


def processor():
    """The processor's model as the system names it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").split("\n"):
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or "unknown"


def environment(root):
    """What somebody else needs to know to compare: date, machine, commit."""
    changed = first_line(["git", "status", "--porcelain", "--untracked-files=no"], root)
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "date": datetime.date.today().isoformat(),
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(pages / 1e9, 1),
        "system": f"{platform.system()} {platform.release()}",
        "load_before": [round(load, 2) for load in os.getloadavg()],
        "commit": first_line(["git", "rev-parse", "HEAD"], root) + (" with changes" if changed else ""),
        "rustc": first_line(["rustc", "--version"]),
        "python": platform.python_version(),
    }


def markdown(title, facts, rows, extra, commands, remarks):
    """The whole report."""
    missed = sum(row.verdict == "MISSED" for row in rows)
    bars = sum(row.bar is not None for row in rows)
    parts = [f"# {title}", table(["", ""], [[name, str(value)] for name, value in facts.items()]),
             f"Bars met: {bars - missed} of {bars}.", table(HEAD, [row.cells() for row in rows])]
    parts += extra
    parts += ["## Commands", "```sh\n" + "\n".join(commands) + "\n```"]
    parts += ["## Remarks", "\n".join(f"- {remark}" for remark in remarks)]
    return "\n\n".join(parts) + "\n"
