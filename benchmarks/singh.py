"""Soft against hard labels by the protocol of Singh 2025 (tables 3 and 4), on the encoders there are here.

For each data set: 108 configurations x soft and hard targets on frozen features, the best of each by validation loss
trained again with 10 seeds, paired t-tests over the seeds. The paper does not say whether a seed also draws new splits,
so both readings are run: "fixed" keeps one split, "drawn" takes a new one for each seed.

    DISSENSUS_DATA=... python benchmarks/singh.py [--features FOLDER] [--seeds 10] [--sets chaosnli ...] [-o FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.datasets import features, load
from dissensus.labels.sampling import spread_over_entropy
from dissensus.labels.shares import as_distributions
from dissensus.train.heads.embed_items import embed
from dissensus.train.heads.encodable_items import text_items
from dissensus.train.heads.features import FeatureTable
from dissensus.train.singh import ProtocolResult, singh_protocol

PUBLISHED = {  # accuracy in %, KL, entropy correlation: Singh 2025, tables 3 and 4
    "chaosnli": {"hard": (51.75, 0.367, 0.130), "soft": (55.30, 0.319, 0.284)},
    "popquorn": {"hard": (52.00, 0.430, 0.232), "soft": (51.98, 0.361, 0.286)},
    "cifar10h-hard": {"hard": (78.51, 0.596, 0.353), "soft": (78.14, 0.406, 0.493)},
}
METRICS = ("accuracy", "kl", "entropy_correlation")


@dataclass(frozen=True)
class Labelled:
    """Features and what people said.  x: (n, d); probs: (n, k)"""

    x: np.ndarray
    probs: np.ndarray
    encoder: str


def chaosnli(folder: Path) -> Labelled:
    parts = []
    for name in ("chaosnli-snli", "chaosnli-mnli"):
        found = load(name)
        names, left, right = (found.items[column].to_pylist() for column in ("item", "premise", "hypothesis"))
        table = embed(text_items(names, left, right), "minilm", folder / f"{name}.npy")
        parts.append((table.values, found.labels.probs))
    x, probs = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    return Labelled(x, probs, "all-MiniLM-L6-v2 of both sentences as u, v, |u - v|, u * v")


def popquorn(folder: Path) -> Labelled:
    found = load("popquorn")
    items = text_items(found.labels.items, found.items["text"].to_pylist())
    table: FeatureTable = embed(items, "minilm", folder / "popquorn.npy")
    return Labelled(table.values, as_distributions(found.labels).probs, "all-MiniLM-L6-v2")


def cifar10h_hard(folder: Path) -> Labelled:
    people = load("cifar10h").labels
    rows = spread_over_entropy(people, np.random.default_rng(0))
    x = features("cifar10-resnet50").values[rows].astype(np.float32)
    return Labelled(x, people.probs[rows], "ResNet-50 of ImageNet")


SETS = {"chaosnli": chaosnli, "popquorn": popquorn, "cifar10h-hard": cifar10h_hard}


def both_readings(data: Labelled, seeds: int) -> dict[str, ProtocolResult]:
    """The protocol with one split for all seeds, and with a new one for each; settings are chosen on the same split."""
    return {
        way: singh_protocol(
            data.x, data.probs, np.random.default_rng(2025), seeds=range(1, seeds + 1), resplit=way == "drawn"
        )
        for way in ("fixed", "drawn")
    }


def compared(found: ProtocolResult) -> dict[str, dict[str, float]]:
    """Means and standard deviations over the seeds, and the p-value of the paired t-test."""
    table = {}
    for name in METRICS:
        hard, soft = found.scores["hard"][name], found.scores["soft"][name]
        table[name] = {
            "hard": float(hard.mean()), "hard_sd": float(hard.std(ddof=1)), "soft": float(soft.mean()),
            "soft_sd": float(soft.std(ddof=1)), "p": found.tests[name].p,
        }  # fmt: skip
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=Path, default=Path("features"))
    parser.add_argument("--sets", nargs="*", default=list(SETS), choices=list(SETS))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("-o", "--output", type=Path, default=Path(__file__).parent / "results" / "singh.json")
    asked = parser.parse_args()
    asked.features.mkdir(parents=True, exist_ok=True)
    record: dict[str, Any] = {}
    print("| set | split | score | hard | soft | p | published hard | published soft |\n" + "|---" * 8 + "|")
    for name in asked.sets:
        data = SETS[name](asked.features)
        start = time.process_time()
        found = both_readings(data, asked.seeds)
        seconds = time.process_time() - start
        readings = {way: compared(result) for way, result in found.items()}
        record[name] = {
            "items": len(data.x), "encoder": data.encoder, "features": data.x.shape[1], "seeds": asked.seeds,
            "chosen": {kind: asdict(config) for kind, config in found["fixed"].chosen.items()},
            "cpu_seconds_of_both_readings": seconds, "published": PUBLISHED[name], **readings,
        }  # fmt: skip
        for way, table in readings.items():
            for place, metric in enumerate(METRICS):
                row, published = table[metric], [PUBLISHED[name][kind][place] for kind in ("hard", "soft")]
                cells = [f"{row[kind]:.3f} ± {row[f'{kind}_sd']:.3f}" for kind in ("hard", "soft")]
                cells += [f"{row['p']:.1e}", *map(str, published)]
                print(f"| {name} | {way} | {metric} | {' | '.join(cells)} |", flush=True)
    asked.output.parent.mkdir(exist_ok=True)
    asked.output.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
