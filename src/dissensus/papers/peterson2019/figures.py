"""What the page draws: figures 2 to 4, and tables 1 and 2 beside the paper's numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.papers.figures import Figure, Series, interval_series
from dissensus.papers.paper import Results, Scale
from dissensus.papers.peterson2019 import published
from dissensus.papers.peterson2019.section_5 import HELD, Judged, split_by_role
from dissensus.papers.peterson2019.section_6 import table_1
from dissensus.papers.peterson2019.section_7 import EPSILON
from dissensus.papers.peterson2019.sets import SHIFTED
from dissensus.papers.peterson2019.tuned import ROWS
from dissensus.papers.reading import interval_of

KINDS = {"soft": "human labels", "hard": "classes"}


def figures(results: Results, scale: Scale) -> Sequence[Figure]:
    """Those that can be drawn from what was run."""
    drawn = []
    for models in split_by_role(results, scale):
        drawn += [
            _shift_series(models, "accuracy"),
            _shift_series(models, "cross_entropy"),
            _second_best(models),
            _confidence(models),
        ]
    return [*drawn, _fine_tuned(results), *_fgsm(results), _pgd(results)]


def _shift_series(models: Judged, score: str) -> Figure:
    """Figure 2, left and centre."""
    factor, unit = (100, "accuracy in %") if score == "accuracy" else (1, "cross-entropy to the class, nats")
    theirs = published.ACCURACY if score == "accuracy" else published.CROSS_ENTROPY
    ours = [
        interval_series(
            shown,
            [SHIFTED[on] for on in models.sets],
            [interval_of([factor * value for value in models.runs(kind, on, score).values()]) for on in models.sets],
        )
        for kind, shown in KINDS.items()
    ]
    paper = tuple(
        Series(shown, tuple(SHIFTED[on] for on in theirs), tuple(theirs[on][place] for on in theirs))
        for place, shown in ((1, KINDS["soft"]), (0, KINDS["hard"]))
    )
    return Figure(
        key=f"figure-2-{score}-{models.part}",
        title=f"{unit.partition(',')[0].capitalize()} on images further and further away: {models.what}",
        source="Peterson 2019, figure 2, numbers of section 5.2",
        kind="dots",
        x_title="images",
        y_title=unit,
        series=tuple(ours),
        published=paper,
        parts=(models.part,),
        note="Means with 95% intervals over models and folds; the paper's are over its eight networks, and its "
        "far set is another one.",
    )


def _second_best(models: Judged) -> Figure:
    """Figure 2, right."""
    return Figure(
        key=f"figure-2-second-best-{models.part}",
        title=f"How often the second choice is people's: {models.what}",
        source="Peterson 2019, figure 2, right",
        kind="dots",
        x_title="model",
        y_title="second-best accuracy in %",
        series=_by_model(
            models,
            lambda kind, name: interval_of(
                [100 * value for value in models.runs(kind, HELD, "second_best", name).values()]
            ),
        ),
        parts=(models.part,),
        note="Images held out on which people have a second choice; 95% intervals over folds.",
    )


def _confidence(models: Judged) -> Figure:
    """Figure 3A."""
    outcomes = ("right", "wrong")
    series = [
        interval_series(
            shown,
            [f"when {outcome}" for outcome in outcomes],
            [
                interval_of(
                    [
                        100 * value
                        for value in models.runs(kind, HELD, f"confidence_{outcome}").values()
                        if not np.isnan(value)
                    ]
                )
                for outcome in outcomes
            ],
        )
        for kind, shown in KINDS.items()
    ]
    return Figure(
        key=f"figure-3-{models.part}",
        title=f"Confidence when right and when wrong: {models.what}",
        source="Peterson 2019, figure 3A",
        kind="dots",
        x_title="outcome",
        y_title="mean confidence in %",
        series=tuple(series),
        parts=(models.part,),
        note="Images held out; right is people's most frequent class; 95% intervals over models and folds.",
    )


def _by_model(models: Judged, of: Callable[[str, str], Interval]) -> tuple[Series, ...]:
    names = list(models.models)
    return tuple(interval_series(shown, names, [of(kind, name) for name in names]) for kind, shown in KINDS.items())


def _fine_tuned(results: Results) -> Figure:
    """Table 1, the column of people."""
    table = table_1(results)
    rows = ("pretrained", *ROWS)
    ours = [
        interval_series(published.ROWS[row], list(table), [interval_of(table[name][row]["soft_nll"]) for name in table])
        for row in rows
    ]
    paper = tuple(
        Series(published.ROWS[row], tuple(names), tuple(published.TABLE_1[name][row][0] for name in names))
        for row in rows
        if (names := [name for name in table if name in published.TABLE_1])
    )
    return Figure(
        key="table-1",
        title="Cross-entropy to people after fine-tuning in six ways",
        source="Peterson 2019, table 1",
        kind="dots",
        x_title="network",
        y_title="cross-entropy to people, nats",
        series=tuple(ours),
        published=paper,
        parts=("tuned",),
        note="Images held out; 95% intervals over folds. Where networks are smaller than the "
        "paper's, only the order can be compared.",
    )


def _fgsm(results: Results) -> list[Figure]:
    """Table 2."""
    networks, drawn = results.numbers["attacked"]["networks"], []
    for score, unit, first in (
        ("cross_entropy", "cross-entropy to the class, nats", 2),
        ("accuracy", "accuracy in %", 0),
    ):
        factor = 100 if score == "accuracy" else 1
        ours = [
            interval_series(
                shown,
                list(networks),
                [
                    interval_of([factor * fold["fgsm"][EPSILON][score] for fold in rows[row]])
                    for rows in networks.values()
                ],
            )
            for row, shown in (("soft", KINDS["soft"]), ("control", KINDS["hard"]))
        ]
        known = [name for name in networks if name in published.TABLE_2]
        paper = tuple(
            Series(shown, tuple(known), tuple(float(published.TABLE_2[name][first + place]) for name in known))
            for place, shown in ((1, KINDS["soft"]), (0, KINDS["hard"]))
            if known
        )
        drawn.append(
            Figure(
                key=f"table-2-{score}",
                title=f"{unit.partition(',')[0].capitalize()} after FGSM of 4 of 255",
                source="Peterson 2019, table 2",
                kind="dots",
                x_title="network",
                y_title=unit,
                series=tuple(ours),
                published=paper,
                parts=("attacked",),
                note="Images held out; 95% intervals over folds.",
            )
        )
    return drawn


def _pgd(results: Results) -> Figure:
    """Figure 4, as the mean over networks."""
    networks, series = results.numbers["attacked"]["networks"], []
    for row, shown in (("soft", KINDS["soft"]), ("control", KINDS["hard"])):
        ways = np.array([fold["pgd"]["cross_entropy"] for rows in networks.values() for fold in rows[row]])
        series.append(
            interval_series(
                shown,
                [float(step) for step in range(ways.shape[1])],
                [interval_of(ways[:, step]) for step in range(ways.shape[1])],
            )
        )
    return Figure(
        key="figure-4",
        title="Cross-entropy along the steps of PGD",
        source="Peterson 2019, figure 4",
        kind="lines",
        x_title="step",
        y_title="cross-entropy to the class, nats",
        series=tuple(series),
        parts=("attacked",),
        note="Steps of 1 of 255 within 4 of 255; mean over networks and folds with 95% intervals. The paper draws a "
        "line for each network, without numbers.",
    )
