"""The main job end to end on embedded data: plan, describe, aggregate, train on people's answers, evaluate, study.

Run with `make demo`, or `python examples/demo.py`. Everything goes to the folder demo/.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np

from dissensus import write
from dissensus.datasets import ambiguous_digits, load

FOLDER = Path("demo")
TRAINING_ITEMS = 1200  # the other 597 pictures are for the test


def run(command: str) -> None:
    print(f"\n$ dissensus {command}", flush=True)
    subprocess.run([sys.executable, "-m", "dissensus", *shlex.split(command)], check=True)


def split_digits() -> None:
    """Write ambiguous digits as pixels, with the votes of simulated readers, for training and for the test."""
    votes = load("digits").labels
    pixels = ambiguous_digits().pictures.reshape(votes.n_items, -1).astype(np.float32) / 16
    for name, rows in (("train", np.arange(TRAINING_ITEMS)), ("test", np.arange(TRAINING_ITEMS, votes.n_items))):
        write(votes.select(items=rows), FOLDER / f"{name}.csv")
        np.save(FOLDER / f"{name}.npy", pixels[rows])
        (FOLDER / f"{name}.npy.json").write_text(json.dumps({"items": votes.items[rows].tolist()}))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    # 80 pictures, 20 classes, and a soft label costs ten times as much as a hard one: which labels to collect?
    run(f"plan --items 80 --classes 20 --cost-ratio 10 --html {FOLDER}/plan.html")
    # Five anaesthetists rate the fitness of 45 patients from 1 to 4 (Dawid and Skene 1979), one of them three times.
    run(f"describe anesthesia --html {FOLDER}/report.html")
    run(f"aggregate anesthesia --method dawid-skene -o {FOLDER}/consensus.parquet")
    run(f"annotators anesthesia --html {FOLDER}/annotators.html")
    # Simulated readers disagree about handwritten digits; some are blended, some partly covered.
    run(f"describe digits --html {FOLDER}/digits.html")
    # One model learns from all votes, one from the majority; both are evaluated on other pictures.
    split_digits()
    for name, delivery in (("soft", "soft"), ("hard", "majority")):
        model = FOLDER / f"{name}.safetensors"
        run(f"fit {FOLDER}/train.npy {FOLDER}/train.csv --standardise --delivery {delivery} -o {model}")
        run(f"predict {model} {FOLDER}/test.npy -o {FOLDER}/{name}.parquet")
    run(
        f"evaluate {FOLDER}/soft.parquet {FOLDER}/test.csv --compare hard={FOLDER}/hard.parquet "
        f"--contents digits --html {FOLDER}/scorecard.html"
    )
    # The same question with eight seeds, paired tests and a page: which delivery predicts readers best?
    study = FOLDER / "study.toml"
    if not study.exists():
        run(f"study init {study}")
    run(f"study run {study} -o {FOLDER}/study")
    run(f"study report {FOLDER}/study")
    pages = ("plan.html", "report.html", "annotators.html", "digits.html", "scorecard.html", "study/report.html")
    print(f"\nOpen in a browser: {', '.join(str(FOLDER / name) for name in pages)}")


if __name__ == "__main__":
    main()
