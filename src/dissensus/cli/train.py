"""`dissensus train`."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dissensus.cli.images import ByPosition, ImageColumn, ImageFit, ImageItem, ImageSize, ImageSource, load_images
from dissensus.cli.notices import progress_bar
from dissensus.cli.options import is_given, takes_settings
from dissensus.cli.overwriting import check_table_place, refuse_overwriting
from dissensus.cli.panels import in_panels
from dissensus.cli.printing import AsJson, print_result
from dissensus.cli.reading import before_labels, reads_labels, say
from dissensus.cli.resuming import choose_checkpoint, remove_checkpoint
from dissensus.cli.writing import write_labels
from dissensus.train.network_config import NetworkConfig
from dissensus.train.recipes import RECIPES
from dissensus.train.train_config import SAVE_EVERY

if TYPE_CHECKING:
    from dissensus.labels.shares import Labels
    from dissensus.train.folds import Folds
    from dissensus.train.loop import Training
    from dissensus.train.network import Network

# Chosen in studies and in Python.
NOT_OFFERED = ("nesterov", "plateau_patience", "min_delta", "channels_last", "warmup", "border", "alternate_flip")
PANELS = {
    "Network and delivery": ("recipe", "network", "width", "depth", "start", "delivery", "wrap"),
    "Images": ("image", "image_item", "size", "fit", "by_position", "crop", "no_flip", "cutout"),
    "Steps": (
        "epochs",
        "batch",
        "optimizer",
        "learning_rate",
        "momentum",
        "weight_decay",
        "schedule",
        "milestones",
        "factor",
        "seed",
    ),
    "Held-out items": ("validation", "patience", "folds", "jobs", "predictions"),
    "Resuming": ("checkpoint", "resume", "save_every"),
    "Machine": ("device", "precision", "accumulate", "compile"),
}


@in_panels(PANELS)
@before_labels("images")
@reads_labels
@takes_settings(NetworkConfig, leave_out=NOT_OFFERED, names={"wraps": "wrap"}, recipes=RECIPES)
def train(
    context: typer.Context,
    labels: "Labels",
    file: str,
    images: ImageSource,
    output: Annotated[
        Path,
        typer.Option(
            "--output",
            "-o",
            help="Model to write: x.safetensors is the network of the best epoch by soft NLL on the held-out items, "
            "x-last.safetensors that of the last epoch. With --folds: x-fold-1.safetensors, …",
        ),
    ],
    config: NetworkConfig,
    folds: Annotated[
        int | None, typer.Option(help="Train one network per fold, each without that part of the items.")
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            help="Number of folds trained at a time, without effect on the result.", show_default="one per core"
        ),
    ] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            "--from", help="Fine-tune this network, a file of `dissensus train` or a name of `dissensus data pretrain`."
        ),
    ] = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="Save the state of training in this folder; rerun to resume an interrupted run."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume", help="Save the state of training beside the model until the model is written; rerun to resume."
        ),
    ] = False,
    save_every: Annotated[float, typer.Option(help="Seconds between two saves of the state.")] = SAVE_EVERY,
    predictions: Annotated[
        Path | None,
        typer.Option(
            help="With --folds, write the predictions for each item by the network trained without it; x-last for the "
            "last epochs."
        ),
    ] = None,
    image: ImageColumn = None,
    image_item: ImageItem = None,
    size: ImageSize = None,
    fit: ImageFit = None,
    by_position: ByPosition = False,
    as_json: AsJson = False,
) -> None:
    """Train a network on images and people's answers, and save its best and its last epoch with their cards.

    Example: dissensus train digits digits --recipe fast --epochs 10 -o model.safetensors
    """
    from dissensus.datasets.sources import describe_source
    from dissensus.train.folds import train_folds
    from dissensus.train.network_fitting import read_start, train_network

    _check_folds(folds, jobs, predictions, is_given(context, "validation"))
    places = _places(output, folds)
    _check_places(places, _both(predictions), {"file": file, "images": images, "start": start})
    begun = read_start(start)
    if begun is not None and not is_given(context, "network"):
        config = replace(config, network=None)  # a recipe names a network for those who start without one
    folder = choose_checkpoint(output, checkpoint, resume, folds is not None)
    table = load_images(images, item=image_item, image=image, size=size, fit=fit, network=begun)
    if folds is None:
        training = train_network(
            table,
            labels,
            config,
            say,
            by_position=by_position,
            start=begun,
            labels_from=describe_source(file),
            checkpoint=folder,
            save_every=save_every,
        )
        _save([training], places)
        remove_checkpoint(folder, kept=checkpoint is not None)
        _print_training(training, places, as_json)
        return
    with progress_bar(f"training {folds} folds, epochs") as move:
        done: dict[int, float] = {}

        def after_epoch(fold: int, record: dict[str, float]) -> None:
            done[fold] = record["epoch"]
            move(int(sum(done.values())), folds * config.training.epochs)

        result = train_folds(
            table,
            labels,
            config,
            say,
            folds=folds,
            jobs=jobs,
            by_position=by_position,
            start=begun,
            labels_from=describe_source(file),
            checkpoint=folder,
            save_every=save_every,
            after_epoch=after_epoch,
        )
    _save(result.trainings, places)
    _write_predictions(result, predictions)
    remove_checkpoint(folder, kept=checkpoint is not None)
    _print_folds(result, places, predictions, as_json)


def _check_folds(folds: int | None, jobs: int | None, predictions: Path | None, has_validation: bool) -> None:
    if folds is not None and has_validation:
        raise ValueError("--folds holds out each part of the items in turn; leave --validation out")
    if folds is None and jobs is not None:
        raise ValueError("--jobs is for --folds; leave it out, or add --folds")
    if folds is None and predictions is not None:
        raise ValueError(
            "--predictions is for --folds, whose networks predict held-out items; else use "
            "`dissensus predict MODEL IMAGES -o FILE`"
        )


def _places(output: Path, folds: int | None) -> list[Path]:
    """Where models go: the best and the last, of each fold in turn."""
    if folds is None:
        return _both(output)
    stems = [output.with_name(f"{output.stem}-fold-{fold}{output.suffix}") for fold in range(1, folds + 1)]
    return [place for stem in stems for place in _both(stem)]


def _both(path: Path | None) -> list[Path]:
    return [] if path is None else [path, path.with_name(f"{path.stem}-last{path.suffix}")]


def _check_places(models: list[Path], tables: list[Path], read: dict[str, Any]) -> None:
    """Refuse places that cannot be written or would replace input files, before any training."""
    from dissensus.train.model_files import check_model_place

    refuse_overwriting(read | {f"output {place}": path for place, path in enumerate([*models, *tables])})
    for path in models:
        check_model_place(path)
    for path in tables:
        check_table_place(path)


def _save(trainings: "Iterable[Training]", places: list[Path]) -> None:
    from dissensus.train.network_files import save_network

    networks: list[Network] = [network for training in trainings for network in (training.best, training.last)]
    for network, path in zip(networks, places, strict=True):
        save_network(network, path)


def _write_predictions(result: "Folds", path: Path | None) -> None:
    for distributions, place in zip((result.best, result.last), _both(path), strict=False):
        write_labels(distributions, place)


def _print_training(training: "Training", places: list[Path], as_json: bool) -> None:
    card = training.best.card
    epochs = {"best": training.best_epoch, "last": len(training.history)}
    lines = [f"{card['network']} on {card['items trained on']:,} items by {card['delivery']}"]
    if training.scores:
        lines[0] += f"; on {card['items held out']:,} held out, by which the best epoch was chosen:"
        for (which, scores), place in zip(training.scores.items(), places, strict=True):
            lines.append(f"{which}, epoch {epochs[which]}: {_format_scores(scores)} -> {place}")
    else:
        lines[0] += f", epoch {epochs['last']} -> {places[0]}"
    facts = card | {"classes": list(training.best.classes), "best epoch": training.best_epoch}
    print_result(facts | {"output": str(places[0]), "last": str(places[1])}, "\n".join(lines), as_json)


def _print_folds(result: "Folds", places: list[Path], predictions: Path | None, as_json: bool) -> None:
    first, k = result.trainings[0].best, len(result.trainings)
    facts = {
        "network": first.card["network"],
        "delivery": first.card["delivery"],
        "items": int(result.fold.size),
        "classes": list(first.classes),
        "scores": result.scores,
        "folds": [training.best.card for training in result.trainings],
        "outputs": [str(place) for place in places],
        "predictions": [str(place) for place in _both(predictions)],
    }
    lines = [
        f"{k} times {facts['network']} by {facts['delivery']} -> {places[0]}, …; each of {facts['items']:,} items "
        "predicted by a network that was not trained on it; the best epochs were chosen by these items:"
    ]
    written = [f" -> {place}" for place in _both(predictions)] or ["", ""]
    for (which, scores), where in zip(result.scores.items(), written, strict=True):
        lines.append(f"{which}: {_format_scores(scores)}{where}")
    print_result(facts, "\n".join(lines), as_json)


def _format_scores(scores: dict[str, float]) -> str:
    finite = {name.replace("_", " "): value for name, value in scores.items() if value == value}
    return ", ".join(f"{name} {value:.3f}" for name, value in finite.items())
