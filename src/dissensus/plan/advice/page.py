"""A plan as a page: recommendation, options, pilot, and maps that mark the data set."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.plan.advice.label_plan import LabelPlan
from dissensus.plan.advice.words import count, describe_label, describe_scale, three_digit_format, three_digits
from dissensus.plan.estimates import by_information
from dissensus.plan.grid import figure_1_grid
from dissensus.plan.label_kinds import PARTIAL_KINDS, WHOLE_KINDS
from dissensus.plan.pilot import PilotOption
from dissensus.plan.tradeoff import loss_curve, preference_map
from dissensus.plan.utilities import UTILITIES
from dissensus.report.charts import Line, line_chart
from dissensus.report.document import Document, Figure, Section, Text
from dissensus.report.maps import grid_map
from dissensus.report.named_rows import interval_chart
from dissensus.report.tables import Cell, Column, Row, Table

CELLS = 16  # steps of each axis of a map
SHOWN = 0.25  # differences of loss beyond which a map is fully dark or white
BETAS = (0.1, 1.0, 10.0)
LISTED = 200  # classes up to which the numbers of the curves are listed


def describe_plan(plan: LabelPlan) -> Document:
    """Describe a plan as a page: the recommendation, then the options, the pilot, reasons and maps.

    Parameters
    ----------
    plan : what `plan_labels` returns

    Returns
    -------
    Document : for `html_page`, `print_document` and the other renderers of `dissensus.report`

    Examples
    --------
    >>> plan = plan_labels(80, 20, Preferences(Costs(ratio=10)), np.random.default_rng(0))
    >>> describe_plan(plan).answer.partition(":")[0]
    'Collect sparse labels'
    """
    main, *reasons = plan.reasons
    return Document(
        f"Labels to collect for {count(plan.n, 'item')} and {count(plan.k, 'class', 'classes')}",
        f"Collect {describe_label(*plan.recommended)}. {main}",
        _facts(plan),
        (
            Section("Options", [*_curves(plan), _options(plan)], columns=2),
            *_pilot(plan),
            Section(
                "",
                [
                    Section("Reasons", [Text("\n".join(reasons), "list")]),
                    Section("When to choose other labels", [Text("\n".join(plan.alternatives), "list")]),
                ],
                columns=2,
            ),
            _preference_maps(plan),
            _information_maps(plan),
            *_simulated_maps(plan),
        ),
        name="plan",
    )


def loss_curves(plan: LabelPlan) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Losses over k_hat: sparse and top-class, with hard and soft as level lines.  name: (k,), (k,)"""
    preferences, asked = plan.preferences, np.arange(1, plan.k + 1)
    curves = {}
    for kind in PARTIAL_KINDS:
        curve = loss_curve(kind, plan.n, plan.k, preferences)
        curves[str(kind)] = (curve.k_hat, curve.loss)
    for whole in WHOLE_KINDS:
        curves[str(whole)] = (asked, np.full(asked.size, float(preferences.loss(whole, plan.n, plan.k))))
    return curves


def _facts(plan: LabelPlan) -> list[tuple[str, Any]]:
    preferences = plan.preferences
    ratio = plan.k if preferences.costs.ratio is None else preferences.costs.ratio
    facts: list[tuple[str, Any]] = [
        ("items", plan.n),
        ("classes", plan.k),
        ("regime", plan.regime),
        ("cost of a soft label", f"{three_digits(ratio)} hard labels"),
        ("utility", preferences.utility if isinstance(preferences.utility, str) else "your own"),
        ("beta", f"{preferences.beta:g}"),
    ]
    return facts + ([] if plan.budget is None else [("budget", f"{plan.budget:,g} hard labels")])


def _options(plan: LabelPlan) -> Table:
    numbers = [
        Column("items"),
        Column("comparisons", ",.0f"),
        Column("of all", ".2%"),
        Column("cost"),
        Column("loss", ".4f"),
    ]
    rows = [
        Row(
            (
                option.name,
                *(["pilot" if plan.is_measured(option) else "assumed"] if plan.pilot else []),
                option.items,
                option.constraints,
                option.information_ratio,
                Cell(option.cost, format=three_digit_format(option.cost)),
                option.loss,
            ),
            style="best" if (option.kind, option.k_hat) == plan.recommended else "",
        )
        for option in plan.options
    ]
    note = (
        "Cost is in hard labels. Loss is beta x cost - utility; lower is better, and 0 is collecting nothing. "
        f"{describe_scale(plan.n, plan.k, plan.preferences)}."
    )
    if plan.pilot:
        note += (
            " Basis: pilot rows have the seconds and errors that it measured; assumed rows are interpolated between "
            "them, and beyond them scaled like the nearest one. Comparisons are those answered correctly."
        )
    columns = [Column("labels"), *([Column("basis")] if plan.pilot else []), *numbers]
    return Table(columns, rows, note=note)


def _curves(plan: LabelPlan) -> list[Section]:
    if plan.k < 3:
        return []
    curves = loss_curves(plan)
    best = {name: int(asked[np.argmin(loss)]) for name, (asked, loss) in curves.items() if name in PARTIAL_KINDS}
    places = " and ".join(f"{k_hat:,} ({name})" for name, k_hat in best.items())
    all_items = "" if plan.budget is None else " All items are assumed to be labelled, whatever the budget."
    listed = None
    if plan.k <= LISTED:
        asked = np.arange(1, plan.k + 1)
        columns = [Column("classes"), *(Column(name, ".4f") for name in curves)]
        listed = Table(columns, list(zip(asked.tolist(), *(loss.tolist() for _, loss in curves.values()), strict=True)))
    lines = [Line(name, asked, loss) for name, (asked, loss) in curves.items()]
    figure = Figure(
        "Loss by number of classes asked for",
        line_chart(lines, "classes asked for", "loss", marks=False),
        listed,
        f"Lowest at {places} of {plan.k:,} classes; 1 class is a hard label.{all_items}",
    )
    return [Section("", [figure], detail=True)]


def _pilot(plan: LabelPlan) -> list[Section]:
    if not plan.pilot:
        return []
    is_known = all(option.people != 1 for option in plan.pilot)
    columns = [
        Column("labels"),
        Column("answers"),
        Column("seconds", ".3g"),
        Column("wrong", ".1%"),
        Column("cost", ".3g"),
        Column("loss", ".4f"),
        Column("best", ".0%", name="probability_best"),
    ]
    rows = [
        (
            option.name,
            Cell(option.answers, note="" if option.people is None else count(option.people, "person", "people")),
            _with_interval(option, option.seconds),
            None if option.flip_rate is None else _with_interval(option, option.flip_rate),
            option.each.value,
            option.loss.value,
            option.best if is_known else None,
        )
        for option in plan.pilot
    ]
    about = "95% intervals are about people like those who answered." if is_known else "One person has no interval."
    note = (
        "Seconds are the geometric mean of each person's median; wrong is the share of wrong comparisons. "
        f"{about} Cost is in hard labels; best is the probability of the lowest loss."
    )
    losses = [(option.name, option.loss.value, option.loss.low, option.loss.high) for option in plan.pilot]
    figure = [Figure("Loss with 95% interval", interval_chart(losses, "loss"))] if is_known else []
    return [Section("Pilot", [*figure, Table(columns, rows, note=note)], columns=len(figure) + 1)]


def _with_interval(option: PilotOption, interval: Interval) -> Interval | float:
    return interval.value if option.people == 1 else interval


def _axis(size: int) -> np.ndarray:
    """From 3 to 90 as in the paper, or in equal factors to beyond a larger set, whose cell is among them."""
    if size <= 90:
        return np.unique(np.append(np.linspace(3, 90, CELLS - 1).round(), max(size, 1)).astype(int))
    return np.unique(np.append(np.geomspace(3, 4 * size, CELLS - 1).round(), size).astype(int))


def _preference_maps(plan: LabelPlan) -> Section:
    items, classes = _axis(plan.n), _axis(plan.k)
    drawn = []
    for utility in UTILITIES:
        for beta in BETAS:
            wanted = replace(plan.preferences, utility=utility, beta=beta, estimate=by_information)
            prefer = np.clip(preference_map(items, classes, wanted), -SHOWN, SHOWN)  # (N, K)
            title, ends = f"{utility}, beta {beta:g}", ("hard", "soft")
            drawn.append(_map(plan, prefer.T, items, classes, title, low=-SHOWN, high=SHOWN, ends=ends))
    scale = "In every cell, a cost of 1 is k hard labels per item and a utility of 1 is that of soft labels."
    if plan.preferences.reference is not None:
        scale = f"In every cell, a cost of 1 is {plan.preferences.reference:,g} hard labels."
    about = (
        "Dark cells favour soft labels, white cells hard ones, judged by the information ratio. The ring marks your "
        f"data set. Rows differ in the utility of information, columns in the weight of cost. {scale}"
    )
    return Section("Hard or soft labels, by the weight of cost", [Text(about), _grid(drawn)], detail=True, long=True)


def _information_maps(plan: LabelPlan) -> Section:
    items, classes = _axis(plan.n), _axis(plan.k)
    drawn = []
    for kind in WHOLE_KINDS:
        ratio = by_information(kind, items[:, None], classes[None, :])
        title, ends = f"{kind} labels", ("0", "a quarter")
        drawn.append(_map(plan, ratio.T, items, classes, title, low=0.0, high=0.25, ends=ends))
    about = "The share of all comparisons between items and classes that labels answer."
    return Section("Information in hard and soft labels", [Text(about), _grid(drawn)], detail=True, long=True)


def _simulated_maps(plan: LabelPlan) -> list[Section]:
    """Every second cell of the simulated grid; nothing for sets beyond it."""
    grid = figure_1_grid()
    items, classes = np.array(grid.config.items), np.array(grid.config.classes)
    if not (items[0] <= plan.n <= items[-1] and classes[0] <= plan.k <= classes[-1]):
        return []
    drawn = []
    for kind in WHOLE_KINDS:
        for d in grid.config.dimensions:
            title = f"{kind} labels, {d} dimensions: {grid.at(kind, plan.n, plan.k, d):.2f}"
            drawn.append(
                _map(plan, grid.mean(kind, d)[1::2, 1::2].T, items[1::2], classes[1::2], title, low=0.0, high=1.0)
            )
    about = (
        "Rank correlation between the similarities learned from simulated labels and the true ones. The number in each "
        "title is for a set of your size."
    )
    return [Section("Similarities recovered in simulation", [Text(about), _grid(drawn)], detail=True, long=True)]


def _map(
    plan: LabelPlan, values: np.ndarray, items: np.ndarray, classes: np.ndarray, title: str, **scale: Any
) -> Figure:
    mark = (plan.n, plan.k)
    drawing = grid_map(values, items.tolist(), classes.tolist(), "items", "classes", title, mark=mark, **scale)
    return Figure("", drawing, name=title)


def _grid(figures: list[Figure]) -> Section:
    return Section("", figures, columns=min(3, len(figures)))
