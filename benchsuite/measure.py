"""Runs commands and measures them: wall, processor time, peak memory.

Responsible for processes and their figures; knows neither the product nor the yardstick.
"""
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path


class CommandFailed(Exception):
    """A measured command ended with an error: its figures would mean nothing."""


@dataclass
class Run:
    """One finished command."""

    command: list
    wall_s: float
    user_s: float
    system_s: float
    peak_mb: float
    out: str
    err: str

    def figures(self):
        """The figures without the output, for the raw data."""
        kept = asdict(self)
        del kept["out"], kept["err"], kept["command"]
        return {name: round(value, 6) for name, value in kept.items()}


def run(command, environment=None, keep_output=True):
    """Runs `command` to its end and measures it by `wait4`.

    Peak memory is the kernel's `ru_maxrss`; on Linux it is never less than what this driver held
    when it started the child (see `own_peak_mb`).
    """
    command = [str(part) for part in command]
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        target = out if keep_output else subprocess.DEVNULL
        start = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=target, stderr=err,
                                 env={**os.environ, **(environment or {})})
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        text, errors = (stream.read().decode("utf-8", "replace") for stream in (out, err))
    if child.returncode != 0:
        raise CommandFailed(f"exit code {child.returncode}: {' '.join(command)}\n{errors[-2000:]}")
    return Run(command, wall, usage.ru_utime, usage.ru_stime, rss_mb(usage.ru_maxrss), text, errors)


def rss_mb(maxrss):
    """`ru_maxrss` in MB (1,000,000 bytes): kilobytes on Linux, bytes on macOS."""
    return maxrss / 1e6 if sys.platform == "darwin" else maxrss * 1024 / 1e6


def own_peak_mb():
    """What this driver itself has held at most: the floor of every child's figure."""
    return rss_mb(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)


def alternate(rounds, *tasks):
    """Runs the tasks in turn, `rounds` times, so that a slow minute hits all of them alike.
    Returns one list of results a task."""
    results = [[] for _ in tasks]
    for _ in range(rounds):
        for kept, task in zip(results, tasks):
            kept.append(task())
    return results


def median_wall(runs):
    """The median wall time in seconds."""
    return statistics.median(run.wall_s for run in runs)


def database_bytes(path):
    """Size of an SQLite file with its log, or of a folder."""
    if path.is_dir():
        return sum(file.stat().st_size for file in path.rglob("*") if file.is_file())
    names = [path, Path(f"{path}-wal"), Path(f"{path}-shm")]
    return sum(file.stat().st_size for file in names if file.exists())


def warm_page_cache(folder):
    """Reads every file once, so that whoever comes first does not pay for the disk."""
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb", buffering=0) as stream:
                while stream.read(1 << 16):
                    pass
