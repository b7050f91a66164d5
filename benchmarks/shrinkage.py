"""KL from the full label distribution to its estimate from K votes per item: shrinkage against smoothed shares.

For every set, n of its items are drawn, and K votes for each of them from its full share, with replacement, so that the
full share is the truth (Gheibi 2026, A.1). The smoothed shares add 1/k to each class's votes, or the best of all
constants: the latter is chosen by the truth for each crowd, so no real method can use it.

Part `models` hands shrinkage a model's prediction as well: a uniform one, a good one given to the wrong items, one that
confuses every class with the next, one too sure of itself, a good one, and RoBERTa's for ChaosNLI. A good one is drawn
from Dirichlet(8 truth), truth smoothed by 2%: it errs about as much as the share of eight votes.

Settings were chosen on TUNED with seeds 0 to 99. All numbers in the record are from seeds 1000 and up. The sets in
ASIDE were used three times. After a first run, the grid of kappas was refined for informative votes, because a
simulated crowd of 3,000 items needed it; the largest ratio did not change. Then the prior of 1/k was raised and the
class shares were shrunk more, because ratios were up to 1.023 on TUNED and on ASIDE;
the amounts were chosen on TUNED alone.
The record is written after every set, and an interrupted run resumes; all of it takes a few minutes of processor time.
`report` prints the tables of docs/aggregate.md and the worst cells.

    DISSENSUS_DATA=... python -m benchmarks.shrinkage [items] [models] [report] [--record FILE]
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.aggregate import shrinkage
from dissensus.datasets import load, predictions
from dissensus.labels.beliefs import Beliefs
from dissensus.labels.distances import kl
from dissensus.labels.distributions import Distributions

TUNED = (
    "cifar10h-annotators",
    "chaosnli-snli",
    "popquorn",
    "hs-brexit",
    "crowd-bluebird",
    "crowd-trec",
    "crowd-adult",
    "crowd-sentiment-polarity",
    "crowd-labelme",
    "digits",
)
ASIDE = (
    "chaosnli-mnli",
    "convabuse",
    "csc",
    "par",
    "cifar10n",
    "cifar10s",
    "crowd-relevance",
    "crowd-tweet-sentiment",
    "crowd-weather-cf",
    "crowd-fact-eval",
    "crowd-caries",
)
VOTES = (1, 2, 3, 5, 10, 25)
CROWDS = {10: 60, 30: 30, 100: 15, 300: 8, 1000: 4, 3000: 3, 10_000: 2}  # by number of items
FIRST_SEED = 1000
CONSTANTS = np.geomspace(0.002, 5, 40)
MODEL_SETS = ("cifar10h-annotators", "chaosnli-snli", "chaosnli-mnli", "csc", "crowd-relevance")
MODEL_VOTES = (1, 2, 3, 10)
MODEL_CROWDS = {10: 12, 100: 6, 1000: 2}
MODELS = ("uniform", "permuted", "next class", "too sure", "good", "RoBERTa")
RECORD = Path(__file__).parent / "results" / "shrinkage.json"


def full_share(name: str) -> Distributions:
    """The share of all votes on each item that has any; of first choices where beliefs were asked for."""
    labels = load(name).labels
    if isinstance(labels, Beliefs):
        labels = labels.select(answers=~labels.column("is_repeat").astype(bool)).first_choices()
    counts = labels.counts()
    some = counts.sum(axis=1) > 0
    return Distributions.from_counts(counts[some], items=labels.items[some], classes=labels.classes)


def crowds(
    full: Distributions, sizes: dict[int, int], per_item: tuple[int, ...]
) -> Iterator[tuple[int, int, np.ndarray, np.ndarray, np.random.Generator]]:
    """Number of items, votes per item, which items, their counts, and what is left of the random stream."""
    for n, repeats in sizes.items():
        for votes in per_item if n <= full.n_items else ():
            for seed in range(FIRST_SEED, FIRST_SEED + repeats):
                rng = np.random.default_rng([seed, n, votes])
                items = rng.choice(full.n_items, n, replace=False)
                yield n, votes, items, rng.multinomial(votes, full.probs[items]), rng


def compare_means(ours: np.ndarray, others: np.ndarray) -> dict[str, float]:
    """The ratio of the means, and the standard error of their paired difference, in parts of the other's mean."""
    more = ours - others
    error = float(more.std(ddof=1) / np.sqrt(more.size) / others.mean())
    return {"ratio": round(float(ours.mean() / others.mean()), 4), "error": round(error, 4)}


def by_items(full: Distributions) -> list[dict[str, Any]]:
    """Mean KL for each number of items and of votes."""
    cells: dict[tuple[int, int], list[tuple[float, float, float]]] = {}
    for n, votes, items, counts, _ in crowds(full, CROWDS, VOTES):
        truth, k = full.probs[items], full.n_classes
        estimate = shrinkage(Distributions.from_counts(counts)).distributions.probs
        constants = [float(kl(truth, (counts + c) / (votes + k * c)).mean()) for c in (1 / k, *CONSTANTS)]
        cells.setdefault((n, votes), []).append((float(kl(truth, estimate).mean()), constants[0], min(constants)))
    rows = []
    for (n, votes), losses in cells.items():
        ours, even, best = np.array(losses).T
        means = {"shrinkage": np.mean(ours), "+1/k": np.mean(even), "best +c": np.mean(best)}
        row = {"items": n, "votes": votes} | {name: round(float(mean), 5) for name, mean in means.items()}
        rows.append(row | compare_means(ours, even))
    return rows


def guesses(truth: np.ndarray, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Predictions of known quality.  (n, k) -> name: (n, k)"""
    k = truth.shape[1]
    mass = rng.standard_gamma(8 * (truth + 0.02 / k) / 1.02) + 1e-9
    good = mass / mass.sum(axis=1, keepdims=True)
    sure = good**4 / (good**4).sum(axis=1, keepdims=True)
    return {
        "uniform": np.full_like(truth, 1 / k),
        "permuted": rng.permutation(good),
        "next class": np.roll(good, 1, axis=1),
        "too sure": sure,
        "good": good,
    }


def by_models(full: Distributions, real: Distributions | None) -> list[dict[str, Any]]:
    """Mean KL with each model, for each number of items and of votes."""
    cells: dict[tuple[str, int, int], list[tuple[float, float, float]]] = {}
    for n, votes, items, counts, rng in crowds(full, MODEL_CROWDS, MODEL_VOTES):
        truth, cast = full.probs[items], Distributions.from_counts(counts)
        alone = float(kl(truth, shrinkage(cast).distributions.probs).mean())
        models = guesses(truth, rng) | ({"RoBERTa": real.probs[items]} if real is not None else {})
        for name, guess in models.items():
            fit = shrinkage(cast, Distributions(guess, cast.items, cast.classes))
            helped = float(kl(truth, fit.distributions.probs).mean())
            cells.setdefault((name, n, votes), []).append((helped, alone, fit.model_votes))
    rows = []
    for (name, n, votes), losses in cells.items():
        with_model, without, worth = np.array(losses).T
        row = {"model": name, "items": n, "votes": votes, "used": round(float((worth > 0).mean()), 3)}
        rows.append(row | {"worth": round(float(worth.mean()), 2)} | compare_means(with_model, without))
    return rows


def with_predictions(name: str) -> tuple[Distributions, Distributions | None]:
    """The full share, and RoBERTa's predictions of the same items where there are any."""
    full = full_share(name)
    if not name.startswith("chaosnli"):
        return full, None
    real = next(d for model, d in predictions(f"{name}-models").items() if "roberta" in model)
    place = {item: row for row, item in enumerate(full.items.tolist())}
    return full.select(np.array([place[item] for item in real.items.tolist()])), real


def mean_ratio(rows: list[dict[str, Any]]) -> str:
    """The geometric mean and the largest of the ratios."""
    ratios = np.array([row["ratio"] for row in rows])
    return f"{np.exp(np.log(ratios).mean()):.2f} ({ratios.max():.2f})" if rows else ""


def tables(record: dict[str, dict[str, list[dict[str, Any]]]]) -> list[str]:
    """The lines of the tables in docs/aggregate.md."""
    head = "| set | " + " | ".join(f"{n:,}" for n in CROWDS)
    lines = [f"{head} |", "|---" * (1 + len(CROWDS)) + "|"]
    for name in (*TUNED, *ASIDE):
        rows = record["items"][name]
        cells = [mean_ratio([row for row in rows if row["items"] == n]) for n in CROWDS]
        lines.append(f"| {name}{' (aside)' if name in ASIDE else ''} | {' | '.join(cells)} |")
    everything = [row for rows in record["items"].values() for row in rows]
    cells = [mean_ratio([row for row in everything if row["items"] == n]) for n in CROWDS]
    lines += [f"| all | {' | '.join(cells)} |", ""]
    lines += ["| votes per item | " + " | ".join(map(str, VOTES)) + " |", "|---" * (1 + len(VOTES)) + "|"]
    for title, sets in (("sets the settings were chosen on", TUNED), ("sets held out", ASIDE)):
        rows = [row for name in sets for row in record["items"][name]]
        cells = [mean_ratio([row for row in rows if row["votes"] == votes]) for votes in VOTES]
        lines.append(f"| {title} | {' | '.join(cells)} |")
    lines += ["", "| model | " + " | ".join(f"K = {v}, {n:,} items" for v in (1, 3) for n in MODEL_CROWDS) + " |"]
    lines.append("|---" * (1 + 2 * len(MODEL_CROWDS)) + "|")
    modelled = [row for rows in record["models"].values() for row in rows]
    for model in MODELS:
        of_model = [row for row in modelled if row["model"] == model]
        cells = [
            mean_ratio([row for row in of_model if row["votes"] == v and row["items"] == n])
            for v in (1, 3)
            for n in MODEL_CROWDS
        ]
        lines.append(f"| {model} | {' | '.join(cells)} |")
    return lines


def worst(record: dict[str, dict[str, list[dict[str, Any]]]], part: str) -> list[str]:
    """The cells with the largest ratios."""
    rows = [row | {"set": name} for name, rows in record[part].items() for row in rows]
    return [json.dumps(row) for row in sorted(rows, key=lambda row: -row["ratio"])[:12]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parts", nargs="*", default=["items", "models", "report"])
    parser.add_argument("--record", type=Path, default=RECORD)
    chosen = parser.parse_args()
    record = json.loads(chosen.record.read_text(encoding="utf-8")) if chosen.record.exists() else {}
    for part in ("items", "models"):
        record.setdefault(part, {})
        for name in ((*TUNED, *ASIDE) if part == "items" else MODEL_SETS) if part in chosen.parts else ():
            if name not in record[part]:
                record[part][name] = (
                    by_items(full_share(name)) if part == "items" else by_models(*with_predictions(name))
                )
                chosen.record.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if "report" in chosen.parts:
        print("\n".join([*tables(record), "", *worst(record, "items"), "", *worst(record, "models")]))


if __name__ == "__main__":
    main()
