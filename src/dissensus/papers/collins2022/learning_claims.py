"""What the paper claims about learning, made from its printed tables."""

from __future__ import annotations

from dissensus.papers.claims import Claim
from dissensus.papers.collins2022.published import (
    BY,
    CONTROLS_OF,
    LABEL_CLAIMS,
    LOWER,
    METRICS,
    NAMES,
    NEAR,
    OVER,
    SCORES,
    SETS,
    SMOOTHING,
    beside,
    change,
)


def _table_1(set_: str, metric: str) -> str:
    """A column of table 1."""
    column = list(METRICS).index(metric)
    return ", ".join(f"{NAMES[kind]} {SCORES[set_][kind][column].replace('±', ' ± ')}"
                     for kind in ("hard", "random", "uniform", "h aggregated", "s aggregated"))  # fmt: skip


def _learning_claims() -> list[Claim]:
    claims = []
    for key, source, kind, other, said in (*NEAR[:1], *LOWER[:1]):
        claims += [_pair(key, source, said, kind, other, set_, metric) for set_ in SETS for metric in METRICS]
    for set_ in SETS:
        claims += [
            Claim(key=f"table-1-{key}-{set_}", source="table 1", claim=f"{said}: cross-entropy, {SETS[set_]}",
                  published=f"{_table_1(set_, 'ce')}; {OVER}")
            for key, (_, _, said) in CONTROLS_OF["ce"].items()
        ]  # fmt: skip
    for metric in ("calibration", "fgsm"):
        claims += [
            Claim(key=f"table-1-{key}-{metric}", source="table 1", claim=f"{said}: {METRICS[metric]}, both sets",
                  published=f"{'; '.join(f'{BY[set_]}: {_table_1(set_, metric)}' for set_ in SETS)}; {OVER}")
            for key, (_, _, said) in CONTROLS_OF[metric].items()
        ]  # fmt: skip
    for key, source, kind, other, said in LOWER[1:2]:
        claims += [_pair(key, source, said, kind, other, set_, metric) for set_ in SETS for metric in METRICS]
    claims += [
        Claim(key=f"deaggregated-{metric}", source="tables 1 and 2; section 5.2",
              claim=f"One annotator at a time beats the mean of all, for votes and stated labels: {METRICS[metric]}",
              published="; ".join(f"{name} {BY[set_]}: {SCORES[set_][kind][column]} against "
                                  f"{SCORES[set_][f'{kind} aggregated'][column]}".replace("±", " ± ")
                                  for set_ in SETS for kind, name in (("h", "CIFAR-10H"), ("s", "CIFAR-10S")))
              + f"; {OVER}")
        for column, metric in enumerate(METRICS)
    ]  # fmt: skip
    for key, source, kind, other, said in LOWER[2:4]:
        claims += [_pair(key, source, said, kind, other, set_, metric) for set_ in SETS for metric in METRICS]
    claims += [
        Claim(key=f"table-3-larger-{set_}", source="table 3; section 5.2",
              claim="The gain of stated labels over votes is larger with one annotator than with two: cross-entropy, "
              f"{SETS[set_]}",
              published=f"{change('s 1', 'h 1', set_, 'ce'):.0f}% with one, {change('s 2', 'h 2', set_, 'ce'):.0f}% "
              "with two, from the printed means")
        for set_ in SETS
    ]  # fmt: skip
    for set_ in SETS:
        texts = [f"{NAMES[name]} {SCORES[set_][name][0].replace('±', ' ± ')}"
                 for name in ("t1-uniform", "t1-clamp", "t2-uniform", "s")]  # fmt: skip
        claims.append(Claim(
            key=f"table-4-best-{set_}", source="table 4",
            claim="Labels made of everything that was elicited (T2, clamp) have the lowest cross-entropy: "
            f"{SETS[set_]}",
            published=f"{', '.join(texts)}; {OVER}",
        ))  # fmt: skip
    for key, source, kind, other, said in NEAR[1:]:
        claims += [_pair(key, source, said, kind, other, set_, metric)
                   for set_ in SETS for metric in ("calibration", "fgsm")]  # fmt: skip
    for key, source, kind, other, said in LOWER[4:]:
        claims += [_pair(key, source, said, kind, other, set_, metric) for set_ in SETS for metric in METRICS]
    for (key, source, kind, other), beaten in zip(SMOOTHING, ("stated labels", "votes"), strict=True):
        claims += [_pair(key, source, f"Smoothed labels {{beat}} {beaten}", kind, other, set_, metric)
                   for set_ in SETS for metric in METRICS]  # fmt: skip
    for metric in METRICS:
        claims.append(Claim(
            key=f"figure-6-{metric}", source="figure 6; section 5.2",
            claim=f"With as many annotators for each image, stated labels beat votes: {METRICS[metric]}, both sets",
            published="a figure without numbers; those for one and two annotators stand in table 3",
        ))  # fmt: skip
    claims.append(Claim(
        key="figure-6-few", source="figure 6; abstract",
        claim="Fewer annotators are enough for stated labels: six of them beat 8 who vote: cross-entropy, both sets",
        published="significantly more efficient by most metrics and sets; a figure without numbers",
    ))  # fmt: skip
    for set_ in SETS:
        claims.append(Claim(
            key=f"figure-10-{set_}", source="figure 10; section 5.2",
            claim=f"For the same seconds, stated labels are not clearly better than votes: cross-entropy, {SETS[set_]}",
            published="a figure without numbers; 32 s for an elicitation, 1.8 s for a vote",
        ))  # fmt: skip
    return claims


def _pair(key: str, source: str, claim: str, kind: str, other: str, set_: str, metric: str) -> Claim:
    claim = claim.format(beat="beat" if change(kind, other, set_, metric) < 0 else "do not beat")
    return Claim(key=f"{key}-{set_}-{metric}", source=source, claim=f"{claim}: {METRICS[metric]}, {SETS[set_]}",
                 published=beside(kind, other, set_, metric))  # fmt: skip


CLAIMS = (*LABEL_CLAIMS, *_learning_claims())
