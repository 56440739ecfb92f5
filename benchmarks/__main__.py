"""`python -m benchmarks`: medians and ratios, side by side in one process. Speed is printed, never asserted."""

import argparse
import os
import platform

from benchmarks import (
    bench_close,
    bench_decrement,
    bench_scenarios,
    bench_shell,
    bench_tape_read,
    bench_tape_synthesis,
    bench_tape_tables,
)


def main() -> None:
    """Run every benchmark and print one table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--runs", type=int, default=15, help="runs of each measurement in this process (default 15)")
    runs = max(1, parser.parse_args().runs)
    lines = [
        *bench_decrement.run(runs),
        *bench_scenarios.run(runs),
        *bench_close.run(runs),
        *bench_tape_tables.run(runs),
        *bench_tape_synthesis.run(runs),
        *bench_tape_read.run(runs),
        *bench_shell.run(),
    ]
    rows = [("what", "ownertrust", "plain Python", "times"), *lines]
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores")
    print(f"medians of {runs} runs, {bench_shell.RUNS} of a shell command\n")
    for what, *figures in rows:
        cells = [figure.rjust(width) for figure, width in zip(figures, widths[1:], strict=True)]
        print("  ".join([what.ljust(widths[0]), *cells]).rstrip())


if __name__ == "__main__":
    main()
