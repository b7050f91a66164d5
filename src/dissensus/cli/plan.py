"""`dissensus plan`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.printing import AsJson, out, print_json, print_line
from dissensus.cli.reading import one_line_errors, say
from dissensus.cli.seeds import seeded

if TYPE_CHECKING:
    from dissensus.plan.advice.advice import Advice


def plan(
    items: Annotated[int, typer.Option(help="How many items there are to label.")],
    classes: Annotated[int, typer.Option(help="How many classes there are.")],
    cost_ratio: Annotated[
        float | None,
        typer.Option(help="What a soft label costs, in hard labels; by default as many as there are classes."),
    ] = None,
    utility: Annotated[
        str, typer.Option(help="What better labels are worth: linear, sigmoid or inverse-sigmoid.")
    ] = "linear",
    beta: Annotated[
        float,
        typer.Option(
            help="The weight of cost: 0 where it does not matter, 1 where soft labels are "
            "worth as many hard ones as there are classes."
        ),
    ] = 1.0,
    reference: Annotated[
        float | None,
        typer.Option(
            help="How many hard labels count as a cost of 1; by default as "
            "many for each item as there are classes. 8100 for the maps of "
            "Sucholutsky 2023."
        ),
    ] = None,
    budget: Annotated[float | None, typer.Option(help="What may be spent, in hard labels.")] = None,
    pilot: Annotated[
        Path | None,
        typer.Option(
            help="CSV file of a pilot, one row per answer: kind, seconds, and optionally wrong, k_hat and annotator."
        ),
    ] = None,
    estimate: Annotated[
        str,
        typer.Option(
            help="How labels are judged: by their information ratio (information), or by "
            "simulation (3 to 90 items and classes)."
        ),
    ] = "information",
    dimensions: Annotated[int, typer.Option(help="Dimensions of the simulated space: 5, 25 or 125.")] = 25,
    seed: Annotated[int, typer.Option(help="Seed for resampling the pilot.")] = 0,
    html: Annotated[Path | None, typer.Option(help="Write a page with the maps to this file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Which labels to collect: hard, sparse or soft ones, and why."""
    from dissensus.plan.advice.advice import plan_labels
    from dissensus.plan.estimates import estimate_named
    from dissensus.plan.pilot_file import read_pilot
    from dissensus.plan.tradeoff import Costs, Preferences

    with one_line_errors():
        judged_by = estimate_named(estimate, dimensions)
        wanted = Preferences(Costs(ratio=cost_ratio), utility, beta, reference, judged_by)
        answers = [] if pilot is None else read_pilot(pilot)
        advice = plan_labels(items, classes, wanted, seeded(seed), pilot=answers, budget=budget)
        if html is not None:
            from dissensus.files.whole_files import write_text
            from dissensus.plan.advice.page import advice_page

            write_text(advice_page(advice), html)
            say(f"wrote {html}")
    if as_json:
        print_json(advice.as_json())
    else:
        _print(advice)


def _print(advice: "Advice") -> None:
    from dissensus.plan.advice.advice import about_columns, option_columns, option_rows
    from dissensus.plan.advice.words import describe_label
    from dissensus.report.tables import print_table

    print_line(f"Collect {describe_label(*advice.recommended)}.", "bold")
    for sentence in advice.why:
        print_line(f"  {sentence}")
    out.print()
    print_table(option_columns(advice), option_rows(advice))
    print_line(about_columns(advice))
    if advice.alternatives:
        out.print("\nWhen to choose otherwise", style="bold")
        for sentence in advice.alternatives:
            print_line(f"  {sentence}")
