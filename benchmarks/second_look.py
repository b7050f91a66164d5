"""Answers worth a second look, against cleanlab and chance; and Wawa against crowd-kit.

    python benchmarks/second_look.py review [--cleanlab]
    python benchmarks/second_look.py wawa

review  ranks the answers of a simulated crowd with known mistakes, and of crowd sets with gold classes, by how likely
        each is right. Printed: the share of mistakes among all answers (chance), and among the first 100 of each list.
        cleanlab receives the smoothed vote shares as predictions, since these sets have no features.
        The ranking was chosen on other sets: bluebird, weather, labelme, sentiment polarity and trec.
wawa    the largest difference between probabilities, with repeated answers removed and ties broken in the same order.

Needs DISSENSUS_DATA; crowd-kit and cleanlab are not dependencies: install them to compare.
"""

from __future__ import annotations

import argparse
import warnings
from typing import Any

import numpy as np

from dissensus.aggregate import review, share, wawa
from dissensus.datasets import load
from dissensus.labels.simulate import simulate_one_coin, simulate_votes
from dissensus.labels.transforms import one_hot
from dissensus.labels.votes import Votes

UNSEEN = ("crowd-tweet-sentiment", "crowd-adult", "crowd-relevance", "crowd-fact-eval")
SETS = (*UNSEEN, "crowd-bluebird", "crowd-weather-cf", "crowd-labelme", "crowd-sentiment-polarity", "crowd-trec")
FIRST = 100


def plant_errors(seed: int) -> tuple[Votes, np.ndarray]:
    """1,000 items, 4 answers each by 30 people who are right 50 to 98% of the time; the classes are known."""
    rng = np.random.default_rng(seed)
    gold = rng.integers(0, 4, 1000)
    truth = one_hot(gold, np.arange(1000), tuple("abcd"))
    return simulate_votes(truth, 4, 30, rng, confusion=simulate_one_coin(rng.uniform(0.5, 0.98, 30), 4)).votes, gold


def drop_repeats(votes: Votes) -> Votes:
    """Without answers that an annotator repeats; cleanlab's table has one cell for each annotator and item."""
    pair = votes.item.astype(np.int64) * votes.n_annotators + votes.annotator
    return votes.select(answers=np.sort(np.unique(pair, return_index=True)[1]))


def cleanlab_quality(votes: Votes) -> np.ndarray:
    import pandas as pd
    from cleanlab.multiannotator import get_label_quality_multiannotator

    table = np.full((votes.n_items, votes.n_annotators), np.nan)
    table[votes.item, votes.annotator] = votes.choice
    counts = votes.counts() + 1 / votes.n_classes
    found = get_label_quality_multiannotator(
        pd.DataFrame(table), counts / counts.sum(axis=1, keepdims=True), verbose=False
    )
    return np.asarray(found["detailed_label_quality"].to_numpy()[votes.item, votes.annotator])


def compare_reviews(with_cleanlab: bool) -> None:
    print(
        f"{'mistakes in the first ' + str(FIRST):26} {'answers':>8} {'chance':>7} {'share':>7} {'review':>7} cleanlab"
    )
    worlds = [(f"simulated {seed}", *plant_errors(seed)) for seed in (100, 101, 102)]
    for name in UNSEEN:
        data = load(name)
        worlds.append((name, drop_repeats(data.labels), data.gold))
    for name, votes, gold in worlds:
        known = gold[votes.item] >= 0
        wrong = votes.choice != gold[votes.item]
        scores = [share(votes).probs[votes.item, votes.choice], review(votes).quality]
        scores += [cleanlab_quality(votes)] if with_cleanlab else []
        hits = [wrong[known][np.argsort(score[known], kind="stable")[:FIRST]].mean() for score in scores]
        print(
            f"{name:26} {known.sum():8,} {wrong[known].mean():7.3f} " + " ".join(f"{hit:7.2f}" for hit in hits),
            flush=True,
        )


def compare_wawa() -> None:
    import pandas as pd
    from crowdkit.aggregation import MajorityVote, Wawa

    for name in SETS:
        votes = drop_repeats(load(name).labels)
        frame: Any = pd.DataFrame({"task": votes.item, "worker": votes.annotator, "label": votes.choice})
        skill = Wawa().fit(frame).skills_
        # Its own predict fails with scikit-learn 1.9; this is what it calls.
        order = list(MajorityVote().fit(frame).probas_.columns)
        order += [code for code in range(votes.n_classes) if code not in order]
        theirs = MajorityVote().fit(frame, skills=skill).probas_.reindex(columns=order, fill_value=0).sort_index()
        ours = wawa(
            Votes(
                item=votes.item,
                items=votes.items,
                annotator=votes.annotator,
                annotators=votes.annotators,
                choice=np.argsort(order)[votes.choice],
                classes=tuple(votes.classes[code] for code in order),
            ),
            ties="first",
        )
        print(f"{name:26} {np.abs(ours.distributions.probs - theirs.to_numpy()).max():.1e}", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("part", choices=("review", "wawa"))
    parser.add_argument("--cleanlab", action="store_true", help="compare with cleanlab too")
    asked = parser.parse_args()
    warnings.filterwarnings("ignore")  # of the peers
    compare_wawa() if asked.part == "wawa" else compare_reviews(asked.cleanlab)
