"""Is the advice right? Tested on simulated annotators with known truth, and on held-out real answers.

    python studies/advise.py           some minutes; writes studies/results/advise.json

Simulated: the advice sees votes; every estimator is then compared with the distribution that the answers were drawn
from. Real: the advice sees some answers of each item (or some items), and is judged by the held-out ones.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from dissensus import datasets
from dissensus.aggregate import aggregate_labels
from dissensus.labels import Beliefs, Distributions, Votes, as_distributions, simulate_truth, simulate_votes
from dissensus.labels.names import item_positions
from dissensus.study.advice.advice import LabelAdvice, advise_labels
from dissensus.study.advice.candidates import estimators
from dissensus.study.advice.holding_out import hold_out_answers
from dissensus.study.advice.ladder import climb
from dissensus.study.construct import make_labels
from dissensus.train.heads import FeatureTable

RESULTS = Path(__file__).parent / "results" / "advise.json"
ITEMS, CLASSES, ANNOTATORS, WORLDS = 300, 4, 60, 4
FIRST = (
    1000  # seed of the first world; the rules of the advice were settled on worlds 0 to 5 of 400 items and 5 classes
)
VOTES = (1, 2, 3, 10, 50)
TRUTHS = {"one right class": 0.01, "mostly clear": 1.0, "disputed": 5.0}  # concentration of the items' distributions
CROWDS: dict[str, Callable[[np.random.Generator], dict[str, Any]]] = {
    "clean": lambda rng: {"skill": 0.95},
    "noisy": lambda rng: {"skill": rng.uniform(0.4, 0.95, ANNOTATORS)},
    "a third spammers": lambda rng: {"skill": 0.9, "spammers": ANNOTATORS // 3},
}
REAL = {  # answers that the advice sees of each item
    "cifar10h-annotators": (1, 3, 10), "chaosnli-snli": (1, 3, 10), "chaosnli-mnli": (1, 3, 10), "popquorn": (1, 3, 5),
    "hs-brexit": (1, 3), "crowd-tweet-sentiment": (1, 3, 10), "crowd-bluebird": (1, 5, 20),
    "cifar10-models": (1, 3, 10),
}  # fmt: skip
WITH_GOLD = (
    "crowd-bluebird",
    "crowd-tweet-sentiment",
    "crowd-sentiment-polarity",
    "crowd-weather-cf",
    "crowd-adult",
    "crowd-relevance",
    "crowd-trec",
    "crowd-labelme",
    "cifar10h-annotators",
)


def quiet(notice: str) -> None:
    """Notices of matching are of no interest here."""


def kl(truth: np.ndarray, probs: np.ndarray) -> np.ndarray:
    """Of each item, in nats.  (n, k), (n, k) -> (n,)"""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(truth > 0, truth * (np.log(truth) - np.log(probs)), 0.0).sum(axis=1)


def apply_estimators(votes: Votes) -> dict[str, np.ndarray]:
    """What every estimator makes of all votes."""
    made = {name: make_labels(votes, recipe, 0) for name, recipe in estimators(votes).items()}
    return {
        name: (it if isinstance(it, Distributions) else aggregate_labels(it, "share").distributions).probs
        for name, it in made.items()
    }


def judge_advice(advice: LabelAdvice, errors: dict[str, np.ndarray]) -> dict[str, Any]:
    """The advised estimator beside the best there was, by errors that the advice has not seen.  errors: (n,) each"""
    means = {name: float(error.mean()) for name, error in errors.items()}
    best = min(means, key=lambda name: means[name])
    chosen = advice.recommended.estimator
    worse = errors[chosen] - errors[best] if np.isfinite(means[chosen]) else np.array([np.inf])
    noise = 2 * float(worse.std(ddof=1)) / np.sqrt(worse.size) if worse.size > 1 else 0.0
    lowest = chosen if advice.answers is None else advice.answers.lowest
    return {
        "chosen": chosen,
        "basis": advice.recommended.estimator_basis,
        "lowest": lowest,
        "best": best,
        "regret": means[chosen] - means[best],
        "within_noise": bool(chosen == best or worse.mean() <= noise),
        "errors": {name: round(value, 5) if np.isfinite(value) else None for name, value in means.items()},
    }


def right_class(advice: LabelAdvice, made: dict[str, np.ndarray], gold: np.ndarray) -> dict[str, Any]:
    """Accuracy of the advised way to the right class, and of all others."""
    known = gold >= 0
    accuracy = {name: float((probs.argmax(axis=1)[known] == gold[known]).mean()) for name, probs in made.items()}
    chosen = advice.recommended.right_class
    return {
        "gold": int(known.sum()),
        "chosen": chosen,
        "basis": advice.recommended.right_class_basis,
        "accuracy": accuracy,
        "regret": max(accuracy.values()) - accuracy[chosen],
    }


def simulate_regimes() -> list[dict[str, Any]]:
    """Every regime, some worlds of each."""
    rows = []
    for truth_name, concentration in TRUTHS.items():
        for crowd_name, crowd_of in CROWDS.items():
            for votes in VOTES:
                for world in range(FIRST, FIRST + WORLDS):
                    rng = np.random.default_rng([world, votes])
                    truth = simulate_truth(ITEMS, CLASSES, rng, concentration)
                    crowd = simulate_votes(truth, votes, ANNOTATORS, rng, **crowd_of(rng))
                    people = truth.probs @ crowd.confusion.mean(axis=0)  # what this crowd answers
                    advice, made = advise_labels(crowd.votes, rng), apply_estimators(crowd.votes)
                    row = {"truth": truth_name, "crowd": crowd_name, "votes": votes, "world": world}
                    row["estimator"] = judge_advice(advice, {name: kl(people, probs) for name, probs in made.items()})
                    if truth_name == "one right class":
                        row["right_class"] = right_class(advice, made, truth.probs.argmax(axis=1))
                    rows.append(row)
                _print_regime(rows[-WORLDS:])
    return rows


def _print_regime(rows: list[dict[str, Any]]) -> None:
    first = rows[0]
    fine = sum(row["estimator"]["within_noise"] for row in rows)
    chosen = sorted({row["estimator"]["chosen"] for row in rows})
    regret = np.mean([row["estimator"]["regret"] for row in rows])
    right = [row["right_class"]["regret"] for row in rows if "right_class" in row]
    classes = f"; right class: {np.mean(right):.4f}" if right else ""
    print(
        f"{first['truth']:16} {first['crowd']:17} {first['votes']:3} votes: {fine}/{len(rows)} right, regret "
        f"{regret:.4f} nats, {', '.join(chosen)}{classes}",
        flush=True,
    )


def coverage(worlds: int = 200) -> dict[str, Any]:
    """How often the 95% interval of a difference holds the mean difference of all worlds of its kind."""
    covered = {}
    for votes in (2, 5):
        apart = []
        for world in range(worlds):
            rng = np.random.default_rng([world, votes, 7])
            truth = simulate_truth(200, CLASSES, rng)
            answers = simulate_votes(truth, votes, ANNOTATORS, rng, skill=0.9).votes
            ways = {name: recipe for name, recipe in estimators(answers).items() if name in ("dirichlet", "shrinkage")}
            held = hold_out_answers(answers, ways, rng)
            difference = climb(held.log_loss, np.zeros(held.items.size, dtype=int)).rungs[1].difference
            assert difference is not None
            apart.append(difference)
        mean = float(np.mean([each.value for each in apart]))
        covered[str(votes)] = sum(each.low <= mean <= each.high for each in apart) / worlds
    return {"worlds": worlds, "items": 200, "by_votes": covered}


def false_steps(worlds: int = 1000) -> dict[str, Any]:
    """How often the ladder leaves the simplest way where none is better: differences of real losses, signs drawn."""
    votes = datasets.load("popquorn").labels
    assert isinstance(votes, Votes)
    held = hold_out_answers(votes, estimators(votes), np.random.default_rng(0))
    finite = {name: values for name, values in held.log_loss.items() if np.isfinite(values).all()}
    first, *others = finite
    rng = np.random.default_rng(0)
    steps = 0
    for _ in range(worlds):
        drawn = rng.permutation(held.items.size)[:200]
        signs = {name: rng.choice([-1.0, 1.0], drawn.size) for name in others}
        base = finite[first][drawn]
        null = {first: base} | {name: base + signs[name] * (finite[name][drawn] - base) for name in others}
        steps += climb(null, np.zeros(drawn.size, dtype=int)).chosen != first
    return {"worlds": worlds, "ways": len(finite), "items": 200, "share": steps / worlds}


def real() -> list[dict[str, Any]]:
    """Some answers of each item for the advice, the others for its judge."""
    rows = []
    for name, counts in REAL.items():
        labels = datasets.load(name).labels
        votes = Votes.of_counts(labels) if isinstance(labels, Distributions) else labels
        assert isinstance(votes, Votes)
        if votes.n_items > 2_000:
            votes = votes.select(items=np.sort(np.random.default_rng(0).permutation(votes.n_items)[:2_000]))
        for count in counts:
            rng = np.random.default_rng(count)
            seen, rest = _split_answers(votes, count, rng)
            advice, made = advise_labels(seen, rng), apply_estimators(seen)
            shares = rest.counts() / np.maximum(rest.per_item, 1)[:, None]
            used = rest.per_item > 0
            losses = {each: _cross_entropy(shares[used], probs[used]) for each, probs in made.items()}
            row = {
                "data": name,
                "seen": count,
                "rest": float(rest.per_item[used].mean()),
                **judge_advice(advice, losses),
            }
            rows.append(row)
            print(
                f"{name:24} {count:3} of each item: {row['chosen']}, best on the others {row['best']}, "
                f"regret {row['regret']:.4f}",
                flush=True,
            )
    return rows


def _split_answers(votes: Votes, count: int, rng: np.random.Generator) -> tuple[Votes, Votes]:
    order = np.lexsort((rng.random(votes.n_answers), votes.item))
    have = votes.per_item
    place = np.empty(votes.n_answers, dtype=np.int64)
    place[order] = np.arange(order.size) - np.repeat(np.cumsum(have) - have, have)
    return votes.select(answers=place < count), votes.select(answers=place >= count)


def _cross_entropy(shares: np.ndarray, probs: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(shares > 0, shares * np.log(probs), 0.0).sum(axis=1)


def beliefs() -> dict[str, Any]:
    """CIFAR-10S: the advised way to make labels of partial beliefs, judged by the votes of CIFAR-10H on its images."""
    stated, judge = datasets.load("cifar10s").labels, datasets.load("cifar10h").labels
    assert isinstance(stated, Beliefs) and isinstance(judge, Distributions)
    advice = advise_labels(stated, np.random.default_rng(0))
    shares = judge.select(item_positions(stated.items, judge.items)).probs
    made = {name: as_distributions(make_labels(stated, way, 0)).probs for name, way in estimators(stated).items()}
    row = judge_advice(advice, {name: _cross_entropy(shares, probs) for name, probs in made.items()})
    print(f"cifar10s: {row['chosen']}, best by CIFAR-10H {row['best']}, regret {row['regret']:.4f}")
    return row


def with_gold() -> list[dict[str, Any]]:
    """The advised way to the right class against gold, which no method sees."""
    rows = []
    for name in WITH_GOLD:
        items = datasets.load(name)
        votes, gold = items.labels, items.gold
        assert isinstance(votes, Votes)
        if votes.n_items > 3_000:
            some = np.sort(np.random.default_rng(0).permutation(votes.n_items)[:3_000])
            votes, gold = votes.select(items=some), gold[some]
        row = {
            "data": name,
            **right_class(advise_labels(votes, np.random.default_rng(0)), apply_estimators(votes), gold),
        }
        rows.append(row)
        print(
            f"{name:24} right class by {row['chosen']} ({row['basis']}): {row['accuracy'][row['chosen']]:.3f}, best "
            f"{max(row['accuracy'].values()):.3f}"
        )
    return rows


def check_choice() -> list[dict[str, Any]]:
    """Advice with features on some items, and the same study on other items: does the choice hold there?"""
    rows = []
    known = datasets.features("cifar10-resnet50")
    features = FeatureTable(known.values, known.items)
    whole = datasets.load("cifar10h-annotators").labels
    assert isinstance(whole, Votes)
    for count in (1, 3, 50):
        order = np.random.default_rng(count).permutation(whole.n_items)
        halves = []
        for some in (order[:1500], order[1500:3000]):
            votes = _split_answers(whole.select(items=np.sort(some)), count, np.random.default_rng(count))[0]
            halves.append(advise_labels(votes, np.random.default_rng(0), features, say=quiet))
        ladders = [half.study.ladder for half in halves if half.study is not None]
        chosen = ladders[0].chosen
        there = {rung.name: rung.loss for rung in ladders[1].rungs}
        row = {
            "data": "cifar10h-annotators",
            "votes": count,
            "chosen": chosen,
            "start": ladders[0].start,
            "lowest": ladders[0].lowest,
            "chosen_elsewhere": ladders[1].chosen,
            "lowest_elsewhere": ladders[1].lowest,
            "soft_nll_elsewhere": there,
            "regret_elsewhere": there.get(chosen, np.nan) - min(there.values()),
        }
        rows.append(row)
        print(
            f"cifar10h-annotators, {count} votes: {chosen}; on other items {row['chosen_elsewhere']}, "
            f"lowest {row['lowest_elsewhere']}, regret {row['regret_elsewhere']:.4f}"
        )
    return rows


PARTS: dict[str, Callable[[], Any]] = {
    "simulated": simulate_regimes,
    "coverage": coverage,
    "false_steps": false_steps,
    "real": real,
    "beliefs": beliefs,
    "with_gold": with_gold,
    "trained": check_choice,
}


def main() -> None:
    """Run all parts, or those named, and keep what the others gave before."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help=f"some of {', '.join(PARTS)}; all by default")
    wanted = parser.parse_args().parts or list(PARTS)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for part in wanted:
        started = time.perf_counter()
        results[part] = PARTS[part]()
        print(f"{part}: {time.perf_counter() - started:.0f} s")
        RESULTS.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
