"""Commands from the shell: wall time of a new process, start to end. Also what every benchmark here shares."""

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

COMMAND = Path(sys.executable).with_name("ownertrust")
RUNS = 7


class Line(NamedTuple):
    """One measurement: what, ours, the plain program's, and how many times quicker ours is."""

    what: str
    ownertrust: str
    plain_python: str
    times: str


def seconds(work: Callable[[], Any]) -> float:
    """Wall seconds of one call, the garbage collector at rest as `timeit` has it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        start = perf_counter()
        work()
        return perf_counter() - start
    finally:
        if collecting:
            gc.enable()


def milliseconds(value: float) -> str:
    """Seconds as milliseconds for print."""
    return f"{value * 1000:,.1f} ms"


def run() -> list[Line]:
    """Median wall time of seven processes each; a bare interpreter shows what Python itself takes."""
    calls = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "ownertrust --help": [str(COMMAND), "--help"],
        "ownertrust decrement carmax-2022-4": [str(COMMAND), "decrement", "carmax-2022-4"],
    }
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(RUNS):
        for name, call in calls.items():
            times[name].append(seconds(lambda call=call: subprocess.run(call, check=True, capture_output=True)))
    return [Line(f"shell: {name}", f"{median(taken):.2f} s", "", "") for name, taken in times.items()]
