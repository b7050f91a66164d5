"""`dissensus fit`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.features import FeatureFile, load_features
from dissensus.cli.printing import AsJson, print_result
from dissensus.cli.reading import before_labels, errors, reads_labels, say
from dissensus.deliver.deliveries import DELIVERIES, wrapper_forms

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels


@before_labels("features")
@reads_labels
def fit(
    labels: "Labels",
    file: str,
    features: FeatureFile,
    output: Annotated[
        Path, typer.Option("--output", "-o", help="Model to write: x.safetensors; x.safetensors.json is its card.")
    ],
    delivery: Annotated[str, typer.Option(help=f"{', '.join(DELIVERIES)}.")] = "soft",
    wrap: Annotated[
        list[str] | None, typer.Option(help=f"Wrap the delivery in {', '.join(wrapper_forms())}; repeat to add more.")
    ] = None,
    head: Annotated[str, typer.Option(help="mlp or linear (Adam), or logistic (linear, solved exactly).")] = "mlp",
    validation: Annotated[float, typer.Option(help="Share of the items held out, to stop and to choose by.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Decides the items held out, delivery, weights and batches.")] = 0,
    epochs: Annotated[int, typer.Option(help="Maximum number of epochs.")] = 20,
    learning_rate: Annotated[float, typer.Option(help="Learning rate of Adam.")] = 1e-3,
    weight_decay: Annotated[float, typer.Option(help="Weight decay of Adam.")] = 0.0,
    batch: Annotated[int, typer.Option(help="Items per step.")] = 32,
    hidden: Annotated[int, typer.Option(help="Hidden units of the MLP.")] = 128,
    dropout: Annotated[float, typer.Option(help="Dropout rate of the hidden layer.")] = 0.1,
    penalty: Annotated[
        float | None, typer.Option(help="L2 penalty of the logistic head; without it, chosen on held-out items.")
    ] = None,
    standardise: Annotated[bool, typer.Option("--standardise", help="Features to mean 0 and variance 1.")] = False,
    by_position: Annotated[
        bool,
        typer.Option(
            "--by-position",
            help="Features or labels have no names of items, and I vouch that both stand in the same order.",
        ),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Train a head on features from what people said, and save it with a card."""
    from dissensus.train.heads.config import HeadConfig
    from dissensus.train.heads.fitting import FitConfig, fit_head
    from dissensus.train.heads.model_files import save_head
    from dissensus.train.model_files import check_model_place

    config = FitConfig(
        head=head,
        delivery=delivery,
        wraps=tuple(wrap or ()),
        validation=validation,
        penalty=penalty,
        standardise=standardise,
        seed=seed,
        training=HeadConfig(
            epochs=epochs,
            learning_rate=learning_rate,
            weight_decay=weight_decay,
            batch=batch,
            hidden=hidden,
            dropout=dropout,
        ),
    )
    check_model_place(output)
    table = load_features(features)
    with errors.status(f"training a head ({head}) by {delivery}"):
        trained = fit_head(table, labels, config, say, by_position=by_position)
    save_head(trained, output)
    card = trained.card
    scores = ", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in _scores(card).items())
    when = ", before they were added" if card["training"].get("then trained on all") else ""
    judged = f"; on {card['items held out']:,} items held out{when}: {scores}" if scores else ""
    sentence = f"{head} head on {card['items trained on']:,} items by {card['delivery']} -> {output}{judged}"
    print_result(card | {"classes": list(trained.classes), "output": str(output)}, sentence, as_json)


def _scores(card: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in card["scores on items held out"].items() if value is not None}
