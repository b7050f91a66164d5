"""`dissensus plan`."""

from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.options import takes_settings
from dissensus.cli.printing import AsJson, HtmlPage, print_json
from dissensus.cli.reading import one_line_errors, say
from dissensus.cli.refusals import word_settings
from dissensus.cli.seeds import SEED_HELP, make_rng
from dissensus.plan.tradeoff import Preferences


@one_line_errors()
@takes_settings(Preferences, names={"ratio": "cost_ratio"})
@word_settings(d="dimensions", ratio="cost_ratio")
def plan(
    items: Annotated[int, typer.Option(help="Set the number of items to label.")],
    classes: Annotated[int, typer.Option(help="Set the number of classes.")],
    config: Preferences,
    budget: Annotated[
        float | None, typer.Option(help="Limit the total cost, in hard labels.", show_default="no limit")
    ] = None,
    pilot: Annotated[
        Path | None,
        typer.Option(
            help="Read a pilot: CSV with one row per answer and the columns kind, seconds, and optionally wrong, k_hat "
            "and annotator."
        ),
    ] = None,
    estimate: Annotated[
        str,
        typer.Option(
            help="Judge labels by their information ratio (information), or by simulation, for 3 to 90 items and "
            "classes."
        ),
    ] = "information",
    dimensions: Annotated[
        int | None,
        typer.Option(help="Set the dimensions of the simulated space: 5, 25 or 125.", show_default="25"),
    ] = None,
    seed: Annotated[int | None, typer.Option(help=SEED_HELP, show_default="0")] = None,
    html: HtmlPage = None,
    as_json: AsJson = False,
) -> None:
    """Recommend which labels to collect: hard, sparse or soft ones, and for how many classes.

    Example: dissensus plan --items 80 --classes 20 --cost-ratio 10
    """
    from dataclasses import replace

    from dissensus.plan.advice.label_plan import plan_labels
    from dissensus.plan.advice.page import describe_plan
    from dissensus.plan.estimates import find_estimate
    from dissensus.plan.pilot_file import read_pilot
    from dissensus.report.terminal import print_document

    rng = make_rng(seed or 0)
    judged_by = find_estimate(estimate, 25 if dimensions is None else dimensions)
    if dimensions is not None and estimate != "simulation":
        raise ValueError(f"--dimensions {dimensions} is for --estimate simulation; leave it out, or add that")
    if seed is not None and pilot is None:
        raise ValueError(f"--seed {seed} is for resampling a --pilot; leave it out, or add that")
    answers = [] if pilot is None else read_pilot(pilot)
    result = plan_labels(items, classes, replace(config, estimate=judged_by), rng, pilot=answers, budget=budget)
    if html is not None:
        from dissensus.files.whole_files import write_text
        from dissensus.report.html import html_page

        write_text(html_page(describe_plan(result)), html)
        say(f"wrote {html}")
    if as_json:
        print_json(result)
    else:
        print_document(describe_plan(result))
