"""The command line: each verb parses, calls one stage and prints."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dissensus.cli.aggregate import aggregate, annotators
from dissensus.cli.data import data
from dissensus.cli.elicit import elicit
from dissensus.cli.embed import embed
from dissensus.cli.evaluate import evaluate
from dissensus.cli.fit import fit
from dissensus.cli.plan import plan
from dissensus.cli.predict import predict
from dissensus.cli.reading import errors, one_line_errors, reads_labels, say, split_classes
from dissensus.labels.completion import COMPLETIONS

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels
    from dissensus.labels.summary import Summary

app = typer.Typer(
    name="dissensus", help="Labels on which people disagree, from file to distribution.", no_args_is_help=True,
    pretty_exceptions_enable=False, context_settings={"help_option_names": ["-h", "--help"]},
)  # fmt: skip
app.add_typer(data)
app.add_typer(elicit)
app.command()(aggregate)
app.command()(annotators)
app.command()(embed)
app.command()(fit)
app.command()(predict)
app.command()(evaluate)
app.command()(plan)
out = Console(highlight=False, emoji=False)
AsJson = Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")]
COUNTED = 3  # annotators and items named in the terminal; the page has more


@app.callback(invoke_without_command=True)
def about(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    """Labels on which people disagree, from file to distribution."""
    if version:
        from dissensus import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.command()
@reads_labels
def describe(
    labels: "Labels",
    file: str,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    html: Annotated[Path | None, typer.Option(help="Write a page with figures to this file.")] = None,
) -> None:
    """What is in a label file: how much, by whom, and how far people disagree."""
    from dissensus.labels.summary import summarise

    summary = summarise(labels)
    if html is not None:
        from dissensus.files.door import write_text
        from dissensus.report.labels_page import labels_page

        write_text(labels_page(summary, Path(file).name), html)
        say(f"wrote {html}")
    if as_json:
        typer.echo(json.dumps(summary.as_json(), indent=2))
    else:
        _print_summary(summary, file)


@app.command()
@reads_labels
def build(
    labels: "Labels",
    file: str,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .parquet, .csv, .npz, …")],
    method: Annotated[str | None, typer.Option(help=f"share for votes; {', '.join(COMPLETIONS)} for beliefs.")] = None,
    gamma: Annotated[float | None, typer.Option(help="Mass kept for classes left possible (clamp only, 0.1).")] = None,
    contradictions: Annotated[str | None, typer.Option(help="Classes both used and ruled out (clamp only): released, "
                                                       "mass or error.")] = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """One distribution per item from votes or beliefs."""
    from dissensus.aggregate.building import build as built
    from dissensus.files.door import write

    options = {"gamma": gamma, "contradictions": contradictions}
    chosen, distributions = built(labels, method, **{name: v for name, v in options.items() if v is not None})
    write(distributions, output, say=say)
    done = {
        "method": chosen,
        "items": distributions.n_items,
        "classes": list(distributions.classes),
        "output": str(output),
    }
    n, k = distributions.n_items, distributions.n_classes
    _report(done, f"{n:,} distributions over {k} classes by {chosen} -> {output}", as_json)


@app.command()
@reads_labels
def convert(
    labels: "Labels",
    file: str,
    output: Annotated[Path, typer.Argument(help="File to write; its ending says the format.")],
    to: Annotated[str | None, typer.Option(help="Format, where the ending does not tell (label-studio, …).")] = None,
    to_layout: Annotated[str | None, typer.Option(help="crowd-kit, or annotators (one column each).")] = None,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """The same labels in another format; nothing is lost, or you are told what."""
    from dissensus.files.door import write

    write(labels, output, format=to, layout=to_layout, say=say)
    kind = type(labels).__name__.lower()
    done = {"kind": kind, "items": labels.n_items, "classes": list(labels.classes), "output": str(output)}
    _report(done, f"{file} -> {output}: {kind}, {labels.n_items:,} items", as_json)


@app.command()
def count(
    file: Annotated[Path, typer.Argument(help="Parquet file with one row per vote, of any length.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write: .npy (counts), .npz, .parquet, …")],
    item: Annotated[str | None, typer.Option(help="Column that names the item.")] = None,
    label: Annotated[str | None, typer.Option(help="Column that holds the label.")] = None,
    classes: Annotated[str | None, typer.Option(help="All classes in order, as one row of CSV.")] = None,
    as_json: AsJson = False,
) -> None:
    """The count matrix of a large vote file, in bounded memory; repeated answers count again."""
    from dissensus.files.door import write
    from dissensus.files.stream import count_votes

    with one_line_errors():
        with errors.status(Text(f"counting {file}")):
            counted = count_votes(file, item=item, label=label, classes=split_classes(classes))
        write(counted.distributions(), output, say=say)
    (n, k), votes = counted.counts.shape, int(counted.counts.sum())
    done = {"votes": votes, "items": n, "classes": list(counted.classes), "output": str(output)}
    _report(done, f"{votes:,} votes on {n:,} items over {k} classes -> {output}", as_json)


def _report(done: dict[str, Any], sentence: str, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(done))
    else:
        out.print(sentence, markup=False)


def _print_summary(summary: "Summary", file: str) -> None:
    found = summary.distributions
    facts = summary.as_json(disputed=COUNTED)
    table = Table.grid(padding=(0, 2))
    rows: list[tuple[str, Any]] = [("kind", facts["kind"]), ("items", f"{found.n_items:,}")]
    rows.append(("annotators", "not recorded" if summary.annotators is None else f"{summary.annotators.size:,}"))
    if summary.answers is not None and summary.per_item is not None:
        low, mean, high = summary.per_item.min(), summary.per_item.mean(), summary.per_item.max()
        rows += [("answers", f"{summary.answers:,}"), ("per item", f"min {low} / mean {mean:.2f} / max {high}")]
    rows.append(
        ("classes", f"{found.n_classes}: {', '.join(found.classes[:20])}{', …' if found.n_classes > 20 else ''}")
    )
    rows.append(("entropy / log k", f"{summary.entropy.mean():.3f} ± {summary.entropy.std():.3f}"))
    if summary.first is not None and summary.within is not None:
        rows.append(("  of first choices", f"{summary.first.mean():.3f} ± {summary.first.std():.3f}"))
        rows.append(("  within an answer", f"{summary.within.mean():.3f} ± {summary.within.std():.3f}"))
    rows.append(("top-2 mass", f"{summary.top_two.mean():.3f}"))
    if summary.median_seconds is not None:
        rows.append(("median time", f"{summary.median_seconds:.1f} s an answer"))
    if summary.unanswered:
        rows.append(("without answers", f"{summary.unanswered:,} items"))
    if "per_annotator" in facts:
        given, agree = facts["per_annotator"]["answers"], facts["per_annotator"]["agreement_with_others"]
        rows.append(("per annotator", f"{given['min']:g} to {given['max']:g} answers, median {given['median']:g}"))
        if agree is not None:
            told = f"{agree['min']:.2f} to {agree['max']:.2f}, median {agree['median']:.2f}"
            rows.append(("agree with others", told))
    for name, value in rows:
        table.add_row(name, Text(str(value)))
    out.print(file, style="bold", markup=False)
    out.print(table)
    out.print("\nitems by entropy", style="bold")
    _print_histogram(summary)
    out.print("\nmost disputed", style="bold")
    for i in summary.disputed(COUNTED):
        order = (-found.probs[i]).argsort(kind="stable")[:3]
        said = ", ".join(f"{found.classes[j]} {found.probs[i, j]:.0%}" for j in order if found.probs[i, j] > 0)
        out.print(f"  {found.items[i]}  {summary.entropy[i]:.3f}  {said}", markup=False)


def _print_histogram(summary: "Summary") -> None:
    from dissensus.report.labels_page import entropy_histogram

    counts = entropy_histogram(summary.entropy)
    for i, count in enumerate(counts):
        bar = "█" * round(40 * int(count) / max(int(counts.max()), 1)) or ("▏" if count else "")
        out.print(f"  {i / 10:.1f}–{(i + 1) / 10:.1f} {bar} {count:,}", markup=False)


def main() -> None:
    """The `dissensus` command."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # "±" on an ASCII terminal is no reason to fail
    app()
