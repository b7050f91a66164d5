"""The main job end to end on embedded data: describe labels, build distributions, write a report.

Run with `make demo`, or `python examples/demo.py`. Everything goes to the folder demo/.
"""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

FOLDER = Path("demo")


def run(command: str) -> None:
    print(f"\n$ dissensus {command}", flush=True)
    subprocess.run([sys.executable, "-m", "dissensus", *shlex.split(command)], check=True)


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    # Five anaesthetists rate the fitness of 45 patients from 1 to 4 (Dawid and Skene 1979), one of them three times.
    run("describe anesthesia")
    run(f"build anesthesia -o {FOLDER}/anesthesia.parquet")
    # The same grades when each anaesthetist's own way of grading is taken into account, and who they are.
    run(f"aggregate anesthesia --method dawid-skene -o {FOLDER}/consensus.parquet")
    run(f"annotators anesthesia --html {FOLDER}/annotators.html")
    # Simulated annotators of handwritten digits: the same labels as a table that other tools read.
    run(f"convert digits {FOLDER}/digits.csv")
    run(f"describe {FOLDER}/digits.csv --html {FOLDER}/report.html")
    print(f"\nOpen {FOLDER / 'report.html'} and {FOLDER / 'annotators.html'} in a browser.")


if __name__ == "__main__":
    main()
