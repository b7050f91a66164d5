"""`dissensus fit`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.features import FeatureFile, load_features
from dissensus.cli.options import takes_settings
from dissensus.cli.printing import AsJson, print_result
from dissensus.cli.reading import before_labels, errors, reads_labels, say
from dissensus.train.heads.fit_config import FitConfig

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels

# The kind of head is --head; the rest is chosen in studies and in Python.
NOT_OFFERED = ("kind", "targets", "keep", "scheduler", "factor", "plateau_patience", "patience", "min_delta")


@before_labels("features")
@reads_labels
@takes_settings(FitConfig, leave_out=NOT_OFFERED, names={"wraps": "wrap"})
def fit(
    labels: "Labels",
    file: str,
    features: FeatureFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Model to write: x.safetensors; x.safetensors.json is its card.")
    ],
    config: FitConfig,
    by_position: Annotated[
        bool,
        typer.Option(
            "--by-position",
            help="Assume that features and labels without item names are in the same order.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train a head on features and people's answers, and save it with a card.

    Example: dissensus fit features.npy votes.csv --head logistic -o model.safetensors
    """
    from dissensus.datasets.sources import describe_source
    from dissensus.train.heads.fitting import train_head
    from dissensus.train.heads.model_files import save_head
    from dissensus.train.model_files import check_model_place

    check_model_place(output)
    table = load_features(features)
    with errors.status(f"training a head ({config.head}) by {config.delivery}"):
        trained = train_head(table, labels, config, say, by_position=by_position, labels_from=describe_source(file))
    save_head(trained, output)
    card = trained.card
    scores = ", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in _scores(card).items())
    when = ", before they were added" if card["training"].get("then trained on all") else ""
    judged = f"; on {card['items held out']:,} items held out{when}: {scores}" if scores else ""
    sentence = f"{config.head} head on {card['items trained on']:,} items by {card['delivery']} -> {output}{judged}"
    print_result(card | {"classes": list(trained.classes), "output": str(output)}, sentence, as_json)


def _scores(card: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in card["scores on items held out"].items() if value is not None}
