"""The advice as a page: recommendation, maps as in figure 1 with the user's cell ringed, curves as in figure 6."""

from __future__ import annotations

from dataclasses import replace
from html import escape

import numpy as np

from dissensus.labels.intervals import Interval
from dissensus.plan.advice.advice import Advice, about_columns, loss_curves, option_columns, option_rows
from dissensus.plan.advice.words import describe_label
from dissensus.plan.estimates import by_information
from dissensus.plan.grid import figure_1_grid
from dissensus.plan.label_kinds import PARTIAL_KINDS, WHOLE_KINDS
from dissensus.plan.pilot import PilotOption
from dissensus.plan.tradeoff import UTILITIES, preference_map
from dissensus.report.charts import Line, grid_map, line_chart
from dissensus.report.named_rows import interval_chart
from dissensus.report.page import page
from dissensus.report.tables import Column, facts_list, html_table, scrolling, shown_interval

CELLS = 16  # steps of each axis of a map
SHOWN = 0.25  # differences of loss beyond which a map is fully dark or white
BETAS = (0.1, 1.0, 10.0)
CARD = """
.dissensus .card{background:var(--tint);border-left:5px solid var(--accent);padding:1rem 1.3rem;margin:1rem 0 1.4rem}
.dissensus .card strong{display:block;font-size:1.3rem;margin-bottom:.4rem}
.dissensus .card p{color:var(--ink);max-width:none}.dissensus li{margin:.25rem 0;max-width:46rem}
.dissensus .maps{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,18rem),1fr));gap:.6rem 1rem}
@media(min-width:62rem){.dissensus .maps.nine{grid-template-columns:repeat(3,minmax(0,1fr))}}
.dissensus .maps>svg{width:100%}
.dissensus tr.best td{font-weight:650;background:var(--tint)}
"""


def advice_page(advice: Advice) -> str:
    """A whole page of its own, without anything fetched from elsewhere."""
    kind, k_hat = advice.recommended
    title = f"{advice.n:,} items, {advice.k:,} classes: what to collect"
    reasons = "".join(f"<p>{escape(sentence)}</p>" for sentence in advice.why)
    listed = "".join(f"<li>{escape(sentence)}</li>" for sentence in advice.alternatives)
    otherwise = f"<section><h2>When to choose otherwise</h2><ul>{listed}</ul></section>" if listed else ""
    parts = [
        f"<style>{CARD}</style><h1>{escape(title)}</h1>{_facts(advice)}",
        '<div class="grid tables"><section class="card" aria-label="recommendation"><strong>Collect '
        f"{escape(describe_label(kind, k_hat))}</strong>{reasons}</section>{otherwise}",
        _pilot(advice) if advice.pilot else "",
        f"{_options(advice)}{_curves(advice)}</div>",
        _preferences(advice),
        f"{_information(advice)}{_simulated(advice)}",
    ]
    return page("".join(parts), title)


def _facts(advice: Advice) -> str:
    wanted = advice.preferences
    ratio = advice.k if wanted.costs.ratio is None else wanted.costs.ratio
    utility = wanted.utility if isinstance(wanted.utility, str) else "your own"
    facts = [
        ("items", f"{advice.n:,}"),
        ("classes", f"{advice.k:,}"),
        ("regime", advice.regime),
        ("a soft label costs", f"{ratio:.3g} hard ones"),
        ("utility", utility),
        ("beta", f"{wanted.beta:g}"),
    ]
    facts.append(("scale", "the set's own" if wanted.reference is None else f"{wanted.reference:,g} hard labels are 1"))
    if advice.budget is not None:
        facts.append(("budget", f"{advice.budget:,g} hard labels"))
    return facts_list(facts)


def _options(advice: Advice) -> str:
    return (
        "<section><h2>The options side by side</h2><p>Lower loss is better: beta times cost, minus utility, each on "
        "the scale below. Pairwise similarities are listed for comparison: they say nothing about the classes.</p>"
        f"{scrolling(html_table(option_columns(advice), option_rows(advice)), 'options')}"
        f"<p>{'<br/>'.join(map(escape, about_columns(advice).splitlines()))}</p></section>"
    )


def _curves(advice: Advice) -> str:
    if advice.k < 3:
        return ""
    curves = loss_curves(advice)
    lines = [Line(name, asked, loss) for name, (asked, loss) in curves.items()]
    lowest = {name: int(asked[np.argmin(loss)]) for name, (asked, loss) in curves.items() if name in PARTIAL_KINDS}
    places = " and ".join(f"{name} at {count}" for name, count in lowest.items())
    all_items = "" if advice.budget is None else " This assumes that all items are labelled, whatever the budget."
    return (
        "<section><h2>How many classes to ask for</h2><p>The loss by how many classes get a number; 1 is a hard label. "
        f"Lowest for {places} of {advice.k}.{all_items}</p>"
        + line_chart(lines, "classes asked for", "loss", marks=False)
        + "</section>"
    )


def _axis(size: int) -> np.ndarray:
    """From 3 to 90 as in the paper, or in equal factors to beyond a larger set, whose cell is among them."""
    if size <= 90:
        return np.unique(np.append(np.linspace(3, 90, CELLS - 1).round(), max(size, 1)).astype(int))
    return np.unique(np.append(np.geomspace(3, 4 * size, CELLS - 1).round(), size).astype(int))


def _preferences(advice: Advice) -> str:
    items, classes = _axis(advice.n), _axis(advice.k)
    drawn = []
    for utility in UTILITIES:
        for beta in BETAS:
            wanted = replace(advice.preferences, utility=utility, beta=beta, estimate=by_information)
            prefer = np.clip(preference_map(items, classes, wanted), -SHOWN, SHOWN)  # (N, K)
            drawn.append(
                grid_map(
                    prefer.T,
                    items.tolist(),
                    classes.tolist(),
                    "items",
                    "classes",
                    f"{utility}, beta {beta:g}",
                    low=-SHOWN,
                    high=SHOWN,
                    mark=(advice.n, advice.k),
                    ends=("hard", "soft"),
                )
            )
    return (
        "<h2>Hard or soft, by how you weigh cost</h2><p>Judged by the information ratio. Dark where soft labels are "
        "the better deal, white where hard ones are, and in between where it makes no difference; your data set is "
        "ringed. Rows differ by what better labels are worth to you, columns by the weight of cost. "
        f"{escape(_scale_of_maps(advice))}</p>"
        f'<div class="maps nine">{"".join(drawn)}</div>'
    )


def _scale_of_maps(advice: Advice) -> str:
    if advice.preferences.reference is None:
        return (
            "Every cell has its own scale: a cost of 1 is as many hard labels for each of its items as it has classes, "
            "a utility of 1 what soft labels tell there."
        )
    return f"In every cell a cost of 1 is {advice.preferences.reference:,g} hard labels."


def _information(advice: Advice) -> str:
    items, classes = _axis(advice.n), _axis(advice.k)
    drawn = []
    for kind in WHOLE_KINDS:
        ratio = by_information(kind, items[:, None], classes[None, :])
        drawn.append(
            grid_map(
                ratio.T,
                items.tolist(),
                classes.tolist(),
                "items",
                "classes",
                f"{kind} labels",
                low=0.0,
                high=0.25,
                mark=(advice.n, advice.k),
                ends=("0", "a quarter"),
            )
        )
    return (
        "<h2>What labels tell</h2><p>The share of all comparisons between items and classes that labels answer.</p>"
        f'<div class="maps">{"".join(drawn)}</div>'
    )


def _simulated(advice: Advice) -> str:
    """The maps in the middle of figure 1, every second cell of them; nothing for sets beyond them."""
    grid = figure_1_grid()
    items, classes = np.array(grid.config.items), np.array(grid.config.classes)
    if not (items[0] <= advice.n <= items[-1] and classes[0] <= advice.k <= classes[-1]):
        return ""
    drawn = []
    for kind in WHOLE_KINDS:
        for d in grid.config.dimensions:
            here = grid.at(kind, advice.n, advice.k, d)
            drawn.append(
                grid_map(
                    grid.mean(kind, d)[1::2, 1::2].T,
                    items[1::2].tolist(),
                    classes[1::2].tolist(),
                    "items",
                    "classes",
                    f"{kind} labels, {d} dimensions: {here:.2f}",
                    low=0.0,
                    high=1.0,
                    mark=(advice.n, advice.k),
                )
            )
    return (
        "<h2>What a learner gets back</h2><p>As many simulated items and classes as you have, in spaces of few and "
        "of many dimensions: the rank correlation between the similarities learned from the labels and the true ones. "
        f'The number in each title is for your data set.</p><div class="maps">{"".join(drawn)}</div>'
    )


def _pilot(advice: Advice) -> str:
    titles = (
        "answers",
        "people",
        "seconds",
        "cost of an answer",
        "wrong",
        "of all",
        "loss",
        "probability of being best",
    )
    columns = [Column("labels"), *(Column(title, number=True) for title in titles)]
    known = all(option.people != 1 for option in advice.pilot)
    rows = [
        (
            option.name,
            f"{option.answers:,}",
            "not known" if option.people is None else f"{option.people:,}",
            _with_bounds(option, option.seconds, ".3g"),
            f"{option.each.value:.3g}",
            "not known" if option.flip_rate is None else _with_bounds(option, option.flip_rate, ".1%"),
            f"{option.ratio.value:.2%}",
            f"{option.loss.value:.4f}",
            f"{option.best:.0%}" if known else "not known",
        )
        for option in advice.pilot
    ]
    losses = [(option.name, option.loss.value, option.loss.low, option.loss.high) for option in advice.pilot]
    about = (
        "with 95 % intervals for people like those who answered"
        if known
        else ("of one person for some kinds, which says nothing about others")
    )
    return (
        "<section><h2>What the pilot says</h2><p>Seconds (geometric mean over people of each one's median) and error "
        f"rates {about}. Cost is counted in hard labels; what is right among all comparisons, and the loss, are those "
        f"of the options.</p>{scrolling(html_table(columns, rows), 'pilot')}"
        f"{interval_chart(losses, 'loss') if known else ''}</section>"
    )


def _with_bounds(option: PilotOption, interval: Interval, form: str) -> str:
    return f"{interval.value:{form}}" if option.people == 1 else shown_interval(interval, form)
