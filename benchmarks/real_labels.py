"""Information in CIFAR-10H, CIFAR-10S, hard and smoothed labels of the same images.

Sucholutsky 2023, sec. 7.2, on the 200 of the CIFAR-10S images whose CIFAR-10H votes disagree most. Its similarity
judgments are not public; the cosine of ResNet-50 features takes their place, so rho and error rate compare labels with
a network's view, not with people's.

    DISSENSUS_DATA=... python benchmarks/real_labels.py [--items 200]
"""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from pathlib import Path

import numpy as np

from dissensus.aggregate.aggregations import aggregate_labels
from dissensus.datasets import features, load
from dissensus.labels.distances import entropy
from dissensus.plan.real_labels import informativeness, label_variants


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--items", type=int, default=200)
    chosen = parser.parse_args()
    votes, stated = load("cifar10h").labels, aggregate_labels(load("cifar10s").labels).distributions
    place = {name: row for row, name in enumerate(votes.items.tolist())}
    rows = np.array([place[name] for name in stated.items.tolist()])
    most = np.argsort(-entropy(votes.probs[rows]), kind="stable")[: chosen.items]
    votes, stated, rows = votes.select(rows[most]), stated.select(most), rows[most]
    vectors = features("cifar10-resnet50").values[rows]
    vectors = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    variants = label_variants(votes, votes.probs.argmax(axis=1))
    named = {"CIFAR-10H": variants.pop("soft"), "CIFAR-10S": stated} | variants
    record = {}
    for name, labels in named.items():
        found = asdict(informativeness(labels, np.random.default_rng(0), vectors @ vectors.T))
        record[name] = {key: round(value, 4) for key, value in found.items()}
        print(name, record[name], flush=True)
    results = Path(__file__).parent / "results"
    results.mkdir(exist_ok=True)
    (results / "real_labels.json").write_text(json.dumps({"items": chosen.items} | record, indent=1) + "\n")


if __name__ == "__main__":
    main()
