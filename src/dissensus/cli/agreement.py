"""`dissensus agreement`."""

from typing import TYPE_CHECKING, Annotated, Literal

import typer

from dissensus.cli.printing import AsJson, print_json, print_line
from dissensus.cli.reading import errors, reads_labels, say
from dissensus.cli.seeds import seeded

if TYPE_CHECKING:
    from dissensus.aggregate.agreement_summary import AgreementReport
    from dissensus.labels.shares import Labels

Ordered = Annotated[
    bool | None,
    typer.Option(
        "--ordered/--unordered",
        help="The classes stand in an order, or do not. Without it: ordered where their names are rising numbers.",
    ),
]


@reads_labels
def agreement(
    labels: "Labels",
    file: str,
    ordered: Ordered = None,
    over: Annotated[
        Literal["items", "annotators"],
        typer.Option(help="What the intervals are about: other items, or other annotators."),
    ] = "items",
    replicates: Annotated[int, typer.Option(help="Resampled crowds behind the intervals.")] = 1000,
    seed: Annotated[int, typer.Option(help="Of the resampling.")] = 0,
    as_json: AsJson = False,
) -> None:
    """How far people agree: Krippendorff's alpha, Fleiss' kappa, pairwise and class by class."""
    from dissensus.aggregate.agreement_summary import agreement_report

    with errors.status("comparing answers"):
        report = agreement_report(labels, seeded(seed), ordered=ordered, over=over, replicates=replicates)
    for notice in report.notices:
        say(notice)
    if as_json:
        print_json(report.as_json())
    else:
        _print(report)


def _print(report: "AgreementReport") -> None:
    from dissensus.report.tables import Column, print_table, shown_interval

    size = f"{report.answers:,} answers to {report.items:,} items"
    print_line(f"{size} can be compared; 95 % intervals over {report.over}")
    ordered = len(report.scale.levels) > 1
    overrule = "" if report.scale.told else f" (--{'un' * ordered}ordered overrules)"
    print_line(f"{report.scale}{overrule}\n")
    said = report.readings()
    for name, interval in report.measures.items():
        print_line(f"{name:18}  {shown_interval(interval)}")
        print_line(f"  {said[name]}")
    pairs = report.pair_facts()
    if pairs is not None:
        low, high = pairs["lowest"], pairs["highest"]
        shared = f"{pairs['shared_at_least']} or more items in common"
        print_line(f"Cohen's kappa       {pairs['median_kappa']:.3f}")
        print_line(
            f"  the median of {pairs['pairs']:,} pairs of annotators with {shared}: from {low['kappa']:.3f} "
            f"({' and '.join(low['pair'])}) to {high['kappa']:.3f} ({' and '.join(high['pair'])})"
        )
    by_class = report.classes
    titles = ("share of answers", "specific agreement", "kappa")
    print_line("")
    print_table(
        [Column("class"), *(Column(title, number=True) for title in titles)],
        [
            (name, f"{by_class.share[c]:.3f}", shown_interval(by_class.specific[c]), shown_interval(by_class.kappa[c]))
            for c, name in enumerate(by_class.classes)
        ],
    )
    print_line(report.class_reading())
