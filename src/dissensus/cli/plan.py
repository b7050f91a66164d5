"""`dissensus plan`."""

from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.printing import AsJson, print_json
from dissensus.cli.reading import one_line_errors, say
from dissensus.cli.seeds import seeded


def plan(
    items: Annotated[int, typer.Option(help="Set the number of items to label.")],
    classes: Annotated[int, typer.Option(help="Set the number of classes.")],
    cost_ratio: Annotated[
        float | None,
        typer.Option(help="Set the cost of a soft label, in hard labels.", show_default="the number of classes"),
    ] = None,
    utility: Annotated[
        str, typer.Option(help="Choose the utility of information: linear, sigmoid or inverse-sigmoid.")
    ] = "linear",
    beta: Annotated[
        float,
        typer.Option(
            help="Set the weight of cost: 0 ignores cost; at 1, a soft label is worth as many hard labels as there "
            "are classes."
        ),
    ] = 1.0,
    reference: Annotated[
        float | None,
        typer.Option(
            help="Set how many hard labels are a cost of 1; 8100 gives the maps of Sucholutsky 2023.",
            show_default="items x classes",
        ),
    ] = None,
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
    dimensions: Annotated[int, typer.Option(help="Set the dimensions of the simulated space: 5, 25 or 125.")] = 25,
    seed: Annotated[int, typer.Option(help="Set the random seed for resampling the pilot.")] = 0,
    html: Annotated[Path | None, typer.Option(help="Write a page with figures to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Recommend which labels to collect: hard, sparse or soft ones, and for how many classes.

    Example: dissensus plan --items 80 --classes 20 --cost-ratio 10
    """
    from dissensus.plan.advice.label_plan import plan_labels
    from dissensus.plan.advice.page import describe_plan
    from dissensus.plan.estimates import find_estimate
    from dissensus.plan.pilot_file import read_pilot
    from dissensus.plan.tradeoff import Costs, Preferences
    from dissensus.report.terminal import print_document

    with one_line_errors():
        judged_by = find_estimate(estimate, dimensions)
        wanted = Preferences(Costs(ratio=cost_ratio), utility, beta, reference, judged_by)
        answers = [] if pilot is None else read_pilot(pilot)
        result = plan_labels(items, classes, wanted, seeded(seed), pilot=answers, budget=budget)
        if html is not None:
            from dissensus.files.whole_files import write_text
            from dissensus.report.html import html_page

            write_text(html_page(describe_plan(result)), html)
            say(f"wrote {html}")
    if as_json:
        print_json(result)
    else:
        print_document(describe_plan(result))
