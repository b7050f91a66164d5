"""How many votes an allocation saves: a replay of the CIFAR-10H votes, and seconds over two kinds of question.

Votes: each image's 47 to 50 recorded votes in a random order, without replacement; error is the mean KL from the share
of all of them to the estimate. For each rule: the votes per image at which it reaches what uniform asking reaches with
K. Uniform asking has three estimates: the same shrinkage as the rules, the share smoothed with 1/k, and the share
smoothed with the best constant, chosen by the truth. Two bounds: an oracle that knows each image's full
distribution, and a clairvoyant that knows the future votes.

Seconds: the 1,000 images of CIFAR-10S, votes of 1.8 s (CIFAR-10H) and elicitations of 32 s (CIFAR-10S), as measured by
Collins 2022; truth is the released CIFAR-10H distribution of these images.

Sets: when allocation helps at all, over several sets and simulated crowds; see `allocation_sets.py`.

Every part takes under half a minute, and its result is kept in a JSON file, so that parts and seeds can be run one by
one; `report` prints the tables from what the file has.

    DISSENSUS_DATA=... python -m benchmarks.allocation [PART ...] [--seed 1000] [--record FILE]
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.allocation_sets import ASIDE, CROWDS, TUNING, compare_strategies, table
from dissensus.datasets import load
from dissensus.labels.completion import complete
from dissensus.labels.distances import kl
from dissensus.plan.allocation import spend
from dissensus.plan.question_mix import COLLINS_SECONDS, QuestionAnswers, replay_seconds
from dissensus.plan.replays import ReplayCurve, oracle, replay, shrink_counts, smooth_share, vote_sequences

UNIFORM = (1, 2, 3, 4, 5, 6, 8, 10)
ADAPTIVE = (1, 2, 2.5, 3, 3.5, 4, 5, 6, 7, 8, 9)
CONSTANTS = np.geomspace(0.01, 0.3, 9)
TARGETS = (5, 10)
SECONDS = {
    "votes": (("vote",), (4, 8, 16, 32)),
    "elicitations": (("elicitation",), (32, 64, 128, 190)),
    "mixed": (("vote", "elicitation"), (4, 8, 16, 32)),
}
RULES = ("uniform", "entropy", "expected-error")
BOUNDS = ("oracle", "clairvoyant")
SETS = tuple(f"set: {name}" for name in (*TUNING, *ASIDE, *CROWDS))
PARTS = (*RULES, "constants", *BOUNDS, "agreeing", "tenth", *(f"seconds: {name}" for name in SECONDS), *SETS)


def measure_part(part: str, seed: int) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    if part.startswith("seconds: "):
        return seconds_spent(*SECONDS[part.removeprefix("seconds: ")], rng)
    if part in SETS:
        return compare_strategies(part.removeprefix("set: "), seed)
    votes = load("cifar10h-annotators").labels
    if part in RULES:
        return curve_record(replay(votes, UNIFORM if part == "uniform" else ADAPTIVE, rng, rule=part))
    if part in BOUNDS:
        return curve_record(oracle(votes, ADAPTIVE, rng, clairvoyant=part == "clairvoyant"))
    if part == "constants":
        rules = {"1/k": 0.1} | {f"{constant:.4f}": constant for constant in CONSTANTS}
        return {
            name: curve_record(
                replay(votes, TARGETS, np.random.default_rng(seed), rule="uniform", estimate=smooth_share(c))
            )
            for name, c in rules.items()
        }
    if part == "tenth":
        few = votes.select(items=np.arange(0, votes.n_items, 10))
        return {
            rule: curve_record(replay(few, ADAPTIVE, np.random.default_rng(seed), rule=rule)) for rule in RULES[::2]
        }
    return count_agreeing_items(votes, rng)


def curve_record(curve: ReplayCurve) -> dict[str, list[float]]:
    return {"spent": curve.spent.round(4).tolist(), "kl": curve.error.round(5).tolist()}


def adaptive_counts(votes: Any, per_item: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Votes that the expected-error rule asks for, and the share of all votes.  (n, k), (n, k)"""
    sequence, size = vote_sequences(votes, rng)
    counts = spend(
        np.zeros((size.size, votes.n_classes), dtype=np.int64),
        int(per_item * size.size),
        lambda asked, counted: sequence[asked, counted[asked].sum(axis=1)],
        rng,
        most=size,
        portion=size.size // 40,
    )
    return counts, votes.counts() / size[:, None]


def count_agreeing_items(votes: Any, rng: np.random.Generator) -> dict[str, float]:
    """After 3.5 adaptive votes per image: images whose votes all agree, and their share of the error that is left."""
    counts, truth = adaptive_counts(votes, 3.5, rng)
    error = kl(truth, shrink_counts(counts))
    agree = counts.max(axis=1) == counts.sum(axis=1)
    disputed = agree & (truth.max(axis=1) < 1)
    return {
        "images": float(agree.mean()),
        "error": float(error[agree].sum() / error.sum()),
        "error of those on which not all agree": float(error[disputed].sum() / error.sum()),
    }


def seconds_spent(allowed: tuple[str, ...], budgets: tuple[float, ...], rng: np.random.Generator) -> dict[str, Any]:
    beliefs = load("cifar10s").labels
    beliefs = complete(beliefs.select(answers=~beliefs.column("is_repeat").astype(bool)))
    votes = load("cifar10h-annotators").labels
    votes = votes.select(items=np.flatnonzero(np.isin(votes.items, beliefs.items)))
    truth = load("cifar10h").labels.probs[beliefs.items]
    answers = {"vote": votes, "elicitation": beliefs}
    kinds = {kind: QuestionAnswers.of(answers[kind], COLLINS_SECONDS[kind]) for kind in allowed}
    curve, used = replay_seconds(kinds, truth, budgets, rng)
    return curve_record(curve) | {"answers": {kind: number.tolist() for kind, number in used.items()}}


def mean(record: dict[str, dict[str, Any]], part: str, *keys: str) -> ReplayCurve | None:
    """The curve of a part, mean over the seeds that are recorded."""
    runs = list(record.get(part, {}).values())
    for key in keys:
        runs = [run[key] for run in runs]
    if not runs:
        return None
    spent, error = (np.mean([run[name] for run in runs], axis=0) for name in ("spent", "kl"))
    return ReplayCurve(spent, error, spent)


def savings_rows(record: dict[str, dict[str, Any]]) -> list[str]:
    """Rows of the table of CIFAR-10H in docs/plan.md: votes for the error of uniform asking with K."""
    curves = [mean(record, part) for part in ("expected-error", *BOUNDS)]
    uniform, one_over_k = mean(record, "uniform"), mean(record, "constants", "1/k")
    constants = [mean(record, "constants", f"{constant:.4f}") for constant in CONSTANTS]
    rows = []
    for at, target in enumerate(TARGETS):
        errors = {
            "the same shrinkage": uniform.error[UNIFORM.index(target)],
            "share with the best of all constants": min(curve.error[at] for curve in constants),
            "share + 1/k": one_over_k.error[at],
        }
        for by, error in errors.items():
            needed = [curve.reaches(float(error)) for curve in curves]
            cells = " | ".join(f"{votes:.2f} ({votes / target:.0%})" for votes in needed)
            rows.append(f"| {by} | {target} | {error:.4f} | {cells} |")
    return rows


def report(record: dict[str, dict[str, Any]]) -> None:
    print("| mean KL | " + " | ".join(f"{v:g}" for v in ADAPTIVE) + " | seeds |\n" + "|---" * (len(ADAPTIVE) + 2) + "|")
    for part in (*RULES, *BOUNDS):
        curve = mean(record, part)
        if curve is not None:
            at = dict(zip(UNIFORM if part == "uniform" else ADAPTIVE, curve.error.tolist(), strict=True))
            cells = " | ".join(f"{at[v]:.4f}" if v in at else "" for v in ADAPTIVE)
            print(f"| {part} | {cells} | {len(record[part])} |")
    if all(part in record for part in ("uniform", "expected-error", "constants", *BOUNDS)):
        print("\n| uniform asking, estimated by | K | its KL | expected error | oracle | clairvoyant |")
        print("\n".join(["|---|---|---|---|---|---|", *savings_rows(record)]))
    for run in record.get("agreeing", {}).values():
        shares = ", ".join(f"{name} {value:.0%}" for name, value in run.items() if name != "cpu_seconds")
        print(f"after 3.5 adaptive votes, images whose votes agree: {shares}")
    print("\n" + "\n".join(table(record)) + "\n")
    uniform, rule = mean(record, "tenth", "uniform"), mean(record, "tenth", "expected-error")
    if uniform is not None and rule is not None:
        goal = uniform.error[ADAPTIVE.index(5)]
        print(f"a tenth of the images: {rule.reaches(float(goal)):.2f} votes instead of 5")
    for name in SECONDS:
        for run in record.get(f"seconds: {name}", {}).values():
            pairs = ", ".join(f"{s:.0f} s: {e:.3f}" for s, e in zip(run["spent"], run["kl"], strict=True))
            print(f"{name}: {pairs}; answers {run['answers']}")


def read_record(path: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.is_file() else {}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    everything = [*PARTS, "report"]
    parser.add_argument("parts", nargs="*", default=everything, metavar="PART", help=", ".join(everything))
    parser.add_argument("--seed", type=int, default=1000)
    parser.add_argument("--record", type=Path, default=Path(__file__).parent / "results" / "allocation.json")
    chosen = parser.parse_args()
    unknown = set(chosen.parts) - set(everything)
    if unknown:
        parser.error(f"no part {sorted(unknown)}; expected some of {', '.join(everything)}")
    for part in chosen.parts:
        if part == "report":
            report(read_record(chosen.record))
            continue
        start = time.process_time()
        found = measure_part(part, chosen.seed) | {"cpu_seconds": round(time.process_time() - start, 1)}
        record = read_record(chosen.record)
        record.setdefault(part, {})[str(chosen.seed)] = found
        chosen.record.parent.mkdir(parents=True, exist_ok=True)
        chosen.record.write_text(json.dumps(record, indent=1) + "\n")
        print(f"{part}, seed {chosen.seed}: {found['cpu_seconds']} s", flush=True)


if __name__ == "__main__":
    main()
