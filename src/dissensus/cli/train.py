"""`dissensus embed`, `dissensus fit` and `dissensus predict`."""

import inspect
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console

from dissensus.cli.reading import errors, one_line_errors, reads_labels, say

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels
    from dissensus.train.heads.features import FeatureTable
    from dissensus.train.heads.inputs import Items

out = Console(highlight=False, emoji=False)
AsJson = Annotated[bool, typer.Option("--json", help="Print what was done as JSON.")]
FeatureFile = Annotated[str, typer.Argument(help="A .npy file of features, or a data set of features.")]
_FIRST = ("cifar10h", "cifar10s")  # their items are the CIFAR-10 test images


def embed(
    items: Annotated[str, typer.Argument(help="A data set, a folder of images, or a table with a text column.")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Features to write: .npy; a card comes beside it.")],
    encoder: Annotated[str | None, typer.Option(help="minilm, efficientnet-lite0, with :MODEL sentence-transformers, "
                                                "hugging-face-text, hugging-face-image or timm.")] = None,
    text: Annotated[str | None, typer.Option(help="Column that holds the text.")] = None,
    second: Annotated[str | None, typer.Option(help="Column with the other text, where items are pairs.")] = None,
    item: Annotated[str | None, typer.Option(help="Column that names the item.")] = None,
    batch: Annotated[int, typer.Option(help="Items between two savings of the work.")] = 128,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Items to features by a frozen encoder; interrupted work goes on where it stood."""
    from dissensus.train.heads.embed_items import embed as run
    from dissensus.train.heads.encoders import DEFAULTS

    with one_line_errors():
        with errors.status(f"reading {items}"):
            found = _items(items, text, second, item)
        name = encoder or DEFAULTS["image" if found.takes == "image" else "text"]
        with _bar(f"encoding by {name}") as progress:
            features = run(found, name, output, batch=batch, say=say, progress=progress)
    n, d = features.values.shape
    source = {key: value for key, value in (features.source or {}).items() if value is not None}
    done = {"items": n, "features": d, "output": str(output)} | source
    _report(done, f"{n:,} items, {d:,} features each by {name} -> {output}", as_json)


@reads_labels
def fit(
    labels: "Labels",
    file: str,
    features: FeatureFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Model to write: .safetensors, a card beside it.")],
    delivery: Annotated[str, typer.Option(help="soft, majority, sls, multipass, deterministic_control, deaggregated, "
                                          "posterior, class_means, random or uniform.")] = "soft",
    wrap: Annotated[list[str] | None, typer.Option(help="smoothed=AMOUNT, tempered=T, stale=EPOCHS, mixup=ALPHA or "
                                                   "shuffled around the delivery; again for another.")] = None,
    head: Annotated[str, typer.Option(help="mlp or linear (Adam), or logistic (linear, solved exactly).")] = "mlp",
    validation: Annotated[float, typer.Option(help="Share of the items held out, to stop and to choose by.")] = 0.2,
    seed: Annotated[int, typer.Option(help="Decides the items held out, delivery, weights and batches.")] = 0,
    epochs: Annotated[int, typer.Option(help="At most so many.")] = 20,
    learning_rate: Annotated[float, typer.Option(help="Of Adam.")] = 1e-3,
    weight_decay: Annotated[float, typer.Option(help="Of Adam.")] = 0.0,
    batch: Annotated[int, typer.Option(help="Items a step.")] = 32,
    hidden: Annotated[int, typer.Option(help="Hidden units of the MLP.")] = 128,
    dropout: Annotated[float, typer.Option(help="Of the MLP's hidden units.")] = 0.1,
    penalty: Annotated[float | None, typer.Option(help="L2 of the logistic head; chosen on items held out.")] = None,
    standardise: Annotated[bool, typer.Option("--standardise", help="Features to mean 0 and variance 1.")] = False,
    as_json: AsJson = False,
) -> None:  # fmt: skip
    """Train a head on features from what people said, and save it with a card."""
    from dissensus.train.heads.config import HeadConfig
    from dissensus.train.heads.fitting import FitConfig, fit_head
    from dissensus.train.heads.model_files import save_head

    config = FitConfig(
        head=head, delivery=delivery, wraps=tuple(wrap or ()), validation=validation, penalty=penalty,
        standardise=standardise, seed=seed,
        training=HeadConfig(epochs=epochs, learning_rate=learning_rate, weight_decay=weight_decay, batch=batch,
                            hidden=hidden, dropout=dropout),
    )  # fmt: skip
    if output.suffix != ".safetensors":
        raise ValueError(f"{output}: models are written as .safetensors; choose a name with this ending")
    table = _features(features)
    with errors.status(f"training a head ({head}) by {delivery}"):
        trained = fit_head(table, labels, config, say)
    save_head(trained, output)
    card = trained.card
    scores = ", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in _scores(card).items())
    when = ", before they were added" if card["training"].get("then trained on all") else ""
    told = f"; on {card['items held out']:,} items held out{when}: {scores}" if scores else ""
    sentence = f"{head} head on {card['items trained on']:,} items by {card['delivery']} -> {output}{told}"
    _report(card | {"classes": list(trained.classes), "output": str(output)}, sentence, as_json)


def predict(
    model: Annotated[Path, typer.Argument(help="A model that `dissensus fit` wrote.")],
    features: FeatureFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Distributions to write: .parquet, .npz, .npy, …")],
    as_json: AsJson = False,
) -> None:
    """What a trained head believes about items: one distribution each."""
    from dissensus.files.write_labels import write
    from dissensus.train.heads.model_files import load_head

    with one_line_errors():
        head = load_head(model)
        table = _features(features)
        found = head.predict(table)
        if not table.named:
            say(f"{features}: features have no names: items are numbered from 0")
        write(found, output, say=say)
    done = {"model": str(model), "items": found.n_items, "classes": list(found.classes), "output": str(output)}
    _report(done, f"{found.n_items:,} distributions over {found.n_classes} classes by {model} -> {output}", as_json)


def _features_first(verb: Callable[..., None]) -> Callable[..., None]:
    """FEATURES before the file of labels, as people say it."""
    known = inspect.signature(verb).parameters
    file = known["file"].replace(
        annotation=Annotated[str, typer.Argument(metavar="LABELS", help="A label file, or a data set with labels.")]
    )
    rest = [parameter for name, parameter in known.items() if name not in ("features", "file")]
    verb.__signature__ = inspect.Signature([known["features"], file, *rest])  # type: ignore[attr-defined]
    verb.__annotations__["file"] = file.annotation
    return verb


fit = _features_first(fit)


def _features(name: str) -> "FeatureTable":
    from dissensus.datasets import DATASETS, features
    from dissensus.train.heads.features import FeatureTable, read_features

    if not Path(name).exists() and name in DATASETS:
        found = features(name)
        return FeatureTable(found.values, found.items, source={"data set": name})
    return read_features(Path(name))


def _items(name: str, text: str | None, second: str | None, item: str | None) -> "Items":
    from dissensus.train.heads.inputs import folder_items, table_items

    path = Path(name)
    if path.is_dir():
        return folder_items(path)
    if path.is_file():
        return table_items(path, item=item, text=text, second=second)
    given = [f"--{option}" for option, value in (("text", text), ("second", second), ("item", item)) if value]
    if given:
        raise ValueError(f"{name}: no such file, and a data set knows its columns: leave {', '.join(given)} out")
    return _data_set(name)


def _data_set(name: str) -> "Items":
    from dissensus.datasets import images, load, lookup
    from dissensus.train.heads.inputs import pixel_items, text_items

    dataset = lookup(name)
    if dataset.kind == "images":
        family, _, split = name.rpartition("-")
        pixels = images(family, split, quiet=True).pixels
        return pixel_items(range(len(pixels)), pixels)
    if dataset.kind != "labels":
        raise ValueError(f"data set {name!r} holds {dataset.kind}; expected items with texts or images")
    table = load(name).items
    names = table["item"].to_pylist()
    if name.startswith((*_FIRST, "cifar10n")):
        pixels = images("cifar10", "test" if name.startswith(_FIRST) else "train", quiet=True).pixels
        return pixel_items(names, pixels[names])
    if {"premise", "hypothesis"} <= set(table.column_names):
        return text_items(names, table["premise"].to_pylist(), table["hypothesis"].to_pylist())
    if "text" not in table.column_names:
        raise ValueError(
            f"data set {name!r} has neither texts nor images to encode: it has {', '.join(table.column_names)}"
        )
    return text_items(names, table["text"].to_pylist())


@contextmanager
def _bar(title: str) -> Iterator[Callable[[int, int], None]]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=errors, transient=True) as bar:
        task = bar.add_task(title, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _scores(card: dict[str, Any]) -> dict[str, float]:
    return {name: value for name, value in card["scores on items held out"].items() if value is not None}


def _report(done: dict[str, Any], sentence: str, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(done))
    else:
        out.print(sentence, markup=False)
