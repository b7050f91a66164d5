"""Annotator models against crowd-kit: accuracy on classic crowd sets, time at 510 thousand votes, 20 million votes.

    python benchmarks/annotator_models.py accuracy [--models dawid-skene mace] [--peer] [--record]
    python benchmarks/annotator_models.py speed [--models majority] [--glad-iterations 2]
    python benchmarks/annotator_models.py large

accuracy  both with their defaults; ties within 0.002 count as reached. crowd-kit's side is read from
          results/crowdkit_accuracy.json; --peer fits it again and records it (GLAD: half an hour, one-coin: minutes).
          For cells below, ours is also stopped after as many iterations as crowd-kit made, with the papers' priors.
          --record keeps ours in results/annotator_accuracy.json. Sets marked † were held out while the class prior
          of MACE was chosen; benchmarks/annotator_defaults.py has each default against its paper's value.
speed     same votes, same number of iterations, no early stopping; processor seconds, the best of three runs of
          each, but crowd-kit's one-coin and GLAD run once.
large     seconds of one Dawid-Skene iteration and peak memory, each in a process of its own.

Needs crowd-kit (extra `bench`), except accuracy without --peer; accuracy needs DISSENSUS_DATA.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from dissensus.aggregate import dawid_skene, glad, mace, majority_vote, one_coin
from dissensus.aggregate.models.em import Fit
from dissensus.datasets import load
from dissensus.labels.distributions import Distributions
from dissensus.labels.simulate import simulate_truth, simulate_votes
from dissensus.labels.votes import Votes

SETS = (
    "bluebird",
    "tweet-sentiment",
    "weather-cf",
    "labelme",
    "sentiment-polarity",
    "trec",
    "adult",
    "relevance",
    "fact-eval",
)
OURS: dict[str, Callable[..., Any]] = {
    "majority": majority_vote,
    "dawid-skene": dawid_skene,
    "one-coin": one_coin,
    "mace": mace,
    "glad": glad,
}
PAPERS = {
    "dawid-skene": {"smoothing": 0.0},
    "one-coin": {"smoothing": 0.0},
    "mace": {"guess_prior": 10.0, "class_prior": "even"},
    "glad": {},
}
TARGETS = {"majority": 50, "dawid-skene": 30, "one-coin": 100, "mace": 40, "glad": 100}
TIE = 0.002
RECORDED = Path(__file__).parent / "results" / "crowdkit_accuracy.json"
OURS_RECORDED = Path(__file__).parent / "results" / "annotator_accuracy.json"
KEPT_ASIDE = ("tweet-sentiment", "weather-cf", "relevance", "fact-eval")


def peers(iterations: int | None = None) -> dict[str, Any]:
    """crowd-kit's models with their defaults, or with a fixed number of iterations."""
    from crowdkit.aggregation import GLAD, MACE, DawidSkene, MajorityVote, OneCoinDawidSkene

    fixed = {} if iterations is None else {"n_iter": iterations, "tol": -np.inf}
    # All restarts of MACE begin with the same random state, so more than one repeats the same run.
    restart = {"n_restarts": 1} | ({} if iterations is None else {"n_iter": iterations})
    return {
        "majority": MajorityVote(),
        "dawid-skene": DawidSkene(**fixed),
        "one-coin": OneCoinDawidSkene(**fixed),
        "mace": MACE(**restart),
        "glad": GLAD(**fixed),
    }


def frame(votes: Votes) -> Any:
    import pandas as pd

    return pd.DataFrame({"task": votes.item, "worker": votes.annotator, "label": votes.choice})


def accuracy_of(chosen: np.ndarray, gold: np.ndarray) -> float:
    return float((chosen == gold)[gold >= 0].mean())


def classes_of(found: Distributions | Fit) -> np.ndarray:
    return (found.distributions if isinstance(found, Fit) else found).probs.argmax(axis=1)


def measure_seconds(work: Callable[[], Any]) -> tuple[Any, float]:
    """The result, and the processor seconds it took: both sides work on one core, and others may use the machine."""
    start = time.process_time()
    result = work()
    return result, time.process_time() - start


def measure_peer(models: list[str]) -> None:
    """Fit crowd-kit's models with their defaults and record what they reach, beside what other runs recorded."""
    for name in SETS:
        data = load(f"crowd-{name}")
        for model in models:
            fitted, seconds = measure_seconds(partial(peers()[model].fit, frame(data.labels)))
            chosen = fitted.labels_.reindex(range(data.labels.n_items)).fillna(-1).to_numpy()
            steps = 50 if model == "mace" else len(getattr(fitted, "loss_history_", []))
            records = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
            records.setdefault(name, {})[model] = {
                "accuracy": round(accuracy_of(chosen, np.asarray(data.gold)), 4),
                "iterations": steps,
                "seconds": round(seconds, 2),
                "crowd-kit": version("crowd-kit"),
                "command": f"python benchmarks/annotator_models.py accuracy --peer --models {model}",
            }
            RECORDED.parent.mkdir(exist_ok=True)
            RECORDED.write_text(json.dumps(records, indent=1) + "\n")
            print(f"crowd-kit {name} {model}: {records[name][model]}", file=sys.stderr, flush=True)


def accuracy(models: list[str], *, record: bool) -> None:
    theirs = json.loads(RECORDED.read_text())
    ours: dict[str, dict[str, float]] = {}
    below = []
    for name in SETS:
        data = load(f"crowd-{name}")
        votes, gold = data.labels, np.asarray(data.gold)
        ours[name] = {}
        for model in models:
            result = OURS[model](votes, **({"ties": "first"} if model == "majority" else {}))
            ours[name][model] = round(accuracy_of(classes_of(result), gold), 4)
            peer = theirs[name][model]
            if not is_tie_or_better(ours[name][model], peer["accuracy"]):
                options = PAPERS[model] | {"tolerance": 0.0, "most_iterations": peer["iterations"]}
                as_far = accuracy_of(classes_of(OURS[model](votes, **options)), gold)
                below.append(
                    f"{name} {model}: {peer['accuracy']:.4f} after {peer['iterations']} iterations against "
                    f"{ours[name][model]:.4f} after {result.iterations}; ours stopped as early, with the paper's "
                    f"priors: {as_far:.4f}"
                )
    if record:
        OURS_RECORDED.write_text(json.dumps(ours, indent=1) + "\n")
    print(accuracy_table(ours, theirs))
    print(f"\ncrowd-kit first, then ours; {len(below)} cells are more than {TIE} below", *below, sep="\n")


def is_tie_or_better(ours: float, theirs: float) -> bool:
    """Whether ours is at most TIE below; both are rounded to four digits."""
    return ours >= theirs - TIE - 1e-4


def accuracy_table(ours: dict[str, dict[str, float]], theirs: dict[str, dict[str, Any]]) -> str:
    """As in docs/aggregate.md: crowd-kit's accuracy first, bold where ours is lower; sets held out are marked."""
    models = list(next(iter(ours.values())))
    lines = ["| set | " + " | ".join(models) + " |", "|---" * (len(models) + 1) + "|"]
    for name, row in ours.items():
        cells = []
        for model, value in row.items():
            peer = theirs[name][model]["accuracy"]
            cells.append(
                f"{peer:.3f} / {value:.3f}" if is_tie_or_better(value, peer) else f"**{peer:.3f}** / {value:.3f}"
            )
        lines.append(f"| {name}{' †' if name in KEPT_ASIDE else ''} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def speed(models: list[str], glad_iterations: int) -> None:
    rng = np.random.default_rng(0)
    truth = simulate_truth(10_000, 10, rng, concentration=1.0)
    votes = simulate_votes(truth, 51, 2_571, rng, skill=rng.uniform(0.1, 0.5, 2_571)).votes
    table = frame(votes)
    print(f"{votes.n_answers:,} votes on {votes.n_items:,} items by {votes.n_annotators:,} annotators, 10 classes")
    print(f"{'model':12}{'iterations':>11}{'crowd-kit s':>13}{'ours s':>9}{'ratio':>8}{'wanted':>8}{'same class':>12}")
    for model in models:
        iterations = glad_iterations if model == "glad" else 8
        peer = peers(iterations)[model]
        peer_runs = [
            measure_seconds(partial(peer.fit, table)) for _ in range(1 if model in ("one-coin", "glad") else 3)
        ]
        options: dict[str, Any] = {"ties": "first"}
        if model != "majority":
            options = PAPERS[model] | {"tolerance": 0.0, "most_iterations": iterations}
        runs = [measure_seconds(partial(OURS[model], votes, **options)) for _ in range(3)]
        (found, _), (fitted, _) = runs[0], peer_runs[0]
        seconds, peer_seconds = (min(spent for _, spent in each) for each in (runs, peer_runs))
        steps = getattr(found, "iterations", 0)
        assert steps in (0, iterations), f"{model} stopped after {steps} of {iterations} iterations"
        same = (classes_of(found) == fitted.labels_.reindex(range(votes.n_items)).to_numpy()).mean()
        ratio = f"{peer_seconds / seconds:7.0f}x{TARGETS[model]:7}x"
        print(f"{model:12}{steps or '-':>11}{peer_seconds:13.2f}{seconds:9.4f}{ratio}{same:12.2%}", flush=True)


def large_votes() -> Votes:
    rng = np.random.default_rng(0)
    n, each, a, k = 1_000_000, 20, 20_000, 10
    item = np.repeat(np.arange(n, dtype=np.int32), each)
    choice = rng.integers(0, k, n, dtype=np.int32)[item]
    wrong = rng.random(item.size, dtype=np.float32) < 0.4
    choice[wrong] = rng.integers(0, k, int(wrong.sum()), dtype=np.int32)
    annotator = rng.integers(0, a, item.size, dtype=np.int32)
    return Votes(
        item=item,
        items=np.arange(n),
        annotator=annotator,
        annotators=np.arange(a),
        choice=choice,
        classes=tuple(map(str, range(k))),
    )


def large_ours() -> list[float]:
    stamps: list[float] = []
    dawid_skene(large_votes(), tolerance=0.0, most_iterations=5, progress=lambda *_: stamps.append(time.perf_counter()))
    return stamps


def large_peer() -> list[float]:
    from crowdkit.aggregation import DawidSkene

    stamps: list[float] = []

    class Watched(DawidSkene):  # type: ignore[misc, unused-ignore]
        @staticmethod
        def _e_step(*arguments: Any) -> Any:
            stamps.append(time.perf_counter())
            return DawidSkene._e_step(*arguments)

    Watched(n_iter=2, tol=-np.inf).fit(frame(large_votes()))
    return stamps


def large() -> None:
    program = (
        "import json, resource, sys, warnings; warnings.simplefilter('ignore'); import numpy as np; "
        "sys.path.insert(0, sys.argv[1]); import annotator_models as here; stamps = getattr(here, sys.argv[2])(); "
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20; "
        "print(json.dumps([float(np.median(np.diff(stamps))), peak]))"
    )
    seconds = {}
    print("Dawid-Skene, 20,000,000 votes on 1,000,000 items by 20,000 annotators, 10 classes")
    for name, function in (("dissensus", "large_ours"), ("crowd-kit", "large_peer")):
        done = subprocess.run(
            [sys.executable, "-c", program, sys.path[0], function], capture_output=True, text=True, check=True
        )
        seconds[name], memory = json.loads(done.stdout.splitlines()[-1])
        print(f"{name:10} {seconds[name]:7.2f} s an iteration, peak {memory:5.2f} GB", flush=True)
    print(f"crowd-kit / dissensus = {seconds['crowd-kit'] / seconds['dissensus']:.0f}x an iteration")


def main() -> None:
    warnings.simplefilter("ignore")  # crowd-kit's use of pandas warns at every step
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["accuracy", "speed", "large"])
    parser.add_argument("--models", nargs="+", choices=list(OURS), default=list(OURS), help="for accuracy and speed")
    parser.add_argument("--peer", action="store_true", help="accuracy: fit crowd-kit again and record it")
    parser.add_argument("--record", action="store_true", help="accuracy: record ours")
    parser.add_argument("--glad-iterations", type=int, default=2)
    asked = parser.parse_args()
    if asked.part == "accuracy":
        if asked.peer:
            measure_peer(asked.models)
        accuracy(asked.models, record=asked.record)
    elif asked.part == "speed":
        speed(asked.models, asked.glad_iterations)
    else:
        large()


if __name__ == "__main__":
    main()
