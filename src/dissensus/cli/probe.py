"""`dissensus probe`."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dissensus.cli.evaluate import LABELS
from dissensus.cli.images import (
    ByPosition,
    ImageColumn,
    ImageFit,
    ImageItem,
    ImageSize,
    ImageSource,
    load_for_network,
    load_images,
)
from dissensus.cli.notices import progress_bar, say_or_warn
from dissensus.cli.options import setting_help
from dissensus.cli.panels import in_panels
from dissensus.cli.printing import AsJson, HtmlPage, print_json
from dissensus.cli.reading import reads_labels, say
from dissensus.cli.refusals import word_settings
from dissensus.cli.seeds import Seed, check_seed
from dissensus.labels.refusals import add_place
from dissensus.probe.probes import PROBES
from dissensus.train.train_config import TrainConfig

if TYPE_CHECKING:
    import numpy as np

    from dissensus.labels.shares import Labels
    from dissensus.train.images import ImageTable
    from dissensus.train.network import Network

PANELS = {
    "Comparison": ("other", "ood", "reference", "epsilon"),
    "Images": ("image", "image_item", "size", "fit", "by_position"),
    "Items": ("items", "held_out", "batch", "seed", "device"),
}


OPTIONS = {"networks": "other", "outside": "ood", "reference": "reference", "epsilons": "epsilon"}  # of Probed


@in_panels(PANELS)
@reads_labels
def probe(
    labels: "Labels",
    model: Annotated[Path, typer.Argument(metavar="MODEL", help="Network: a file of `dissensus train`.")],
    images: ImageSource,
    file: LABELS,
    what: Annotated[
        str | None,
        typer.Option(
            help=f"Run some of {', '.join(PROBES)}, separated by commas.", show_default="all that are possible"
        ),
    ] = None,
    other: Annotated[Path | None, typer.Option(help="Compare with this network, by barrier, cka and saliency.")] = None,
    ood: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]IMAGES",
            help="Detect these images from outside the training data, such as cifar100-test-8k; repeat for more.",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(
            metavar="IMAGES",
            help="Use these images of the training set: for knn, and to renew batch norm for barrier.",
        ),
    ] = None,
    epsilon: Annotated[
        list[str] | None,
        typer.Option(
            help="Largest change of a pixel by attacks, of 255; repeat, or 4..8 for 4 to 8.", show_default="4"
        ),
    ] = None,
    items: Annotated[
        int | None,
        typer.Option(
            help="Draw this many items at random, and at most as many of each set of --ood.", show_default="all"
        ),
    ] = None,
    held_out: Annotated[
        bool,
        typer.Option("--held-out", help="Probe only items that were held out of training, according to the card."),
    ] = False,
    batch: Annotated[
        int | None,
        typer.Option(help="Process this many images at once; affects memory, speed and renewed batch norm only."),
    ] = None,
    seed: Seed = 0,
    device: Annotated[str, typer.Option(help=setting_help(TrainConfig, "device"))] = TrainConfig.device,
    image: ImageColumn = None,
    image_item: ImageItem = None,
    size: ImageSize = None,
    fit: ImageFit = None,
    by_position: ByPosition = False,
    as_json: AsJson = False,
    html: HtmlPage = None,
) -> None:
    """Probe a network: attacks, out-of-distribution images, loss curvature, and another network.

    Example: dissensus probe model.safetensors digits digits --what attacks,gradients --html probes.html
    """

    from dissensus.files.whole_files import check_writable, write_text
    from dissensus.labels.streams import Stream, stream
    from dissensus.probe.attacks import check_epsilon
    from dissensus.probe.inputs import image_batches
    from dissensus.probe.probe_page import describe_probes
    from dissensus.probe.probed import Probed, choose_items
    from dissensus.probe.probing import check_probes, probe_network
    from dissensus.report.html import html_page
    from dissensus.report.terminal import print_document
    from dissensus.train.network_files import load_network
    from dissensus.train.network_fitting import match_images

    chosen = None if what is None else check_probes(name.strip() for name in what.split(","))
    epsilons = _parse_epsilons(epsilon or ["4"])
    for number in epsilons:
        check_epsilon(number)
    check_seed(seed)
    if chosen is not None:
        _report_unused(
            chosen, {"other": other and not held_out, "ood": ood, "reference": reference, "epsilon": epsilon}
        )
    if html is not None:
        check_writable(html)
    networks = {name: load_network(path) for name, path in _name_networks(model, other).items()}
    network = next(iter(networks.values()))
    item_rng, ood_rng, reference_rng = stream(seed, Stream.PROBED_ITEMS).spawn(3)
    table = load_for_network(network, model, images, item=image_item, image=image, size=size, fit=fit)
    matched = match_images(table, labels, say, by_position)
    notes: list[str] = []
    drawn, people = choose_items(
        networks, matched.images, matched.labels, item_rng, notes.append, items=items, held_out=held_out
    )
    for note in notes:
        say_or_warn(note)
    outside = _load_outside(ood or [], network, size, fit, ood_rng, items)
    known = (
        None
        if reference is None
        else _shuffle(_load_others(f"--reference {reference}", reference, network, size, fit), reference_rng)
    )
    _move_to(device, networks)
    batches = image_batches(network, drawn, people, **({} if batch is None else {"batch": batch}))
    probed = Probed(
        networks, batches, outside=outside, reference=known, epsilons=epsilons, seed=seed, notes=tuple(notes)
    )
    with word_settings(**OPTIONS):
        findings = probe_network(probed, chosen, bar=progress_bar)
    document = describe_probes(findings, f"{Path(images).name} and {Path(file).name}")
    if html is not None:
        write_text(html_page(document), html)
        say(f"wrote {html}")
    if as_json:
        print_json(findings.as_json())
    else:
        print_document(document)


def _report_unused(chosen: tuple[str, ...], given: dict[str, object]) -> None:
    for field, option in OPTIONS.items():
        probes = [name for name, probe in PROBES.items() if field in probe.uses]
        if given[option] and not set(probes) & set(chosen):
            say(f"--{option} is ignored: it is for {', '.join(probes)}, and --what is {', '.join(chosen)}")


def _name_networks(model: Path, other: Path | None) -> dict[str, Path]:
    """Name each network by its file, with the folder if both files have the same name."""
    if other is None:
        return {model.stem: model}
    if other.resolve() == model.resolve():
        raise ValueError(f"--other {other}: is the file of the model; expected another network")
    if other.stem != model.stem:
        return {model.stem: model, other.stem: other}
    return {str(path.with_suffix("")): path for path in (model, other)}


def _parse_epsilons(texts: list[str]) -> tuple[float, ...]:
    """Parse numbers, and ranges such as 4..8, in order."""
    numbers: set[float] = set()
    for text in texts:
        low, dots, high = text.partition("..")
        try:
            more = [float(number) for number in range(int(low), int(high) + 1)] if dots else [float(low)]
        except ValueError:
            more = []
        if not more:
            raise ValueError(f"--epsilon {text}: expected a number of 255, such as 4, or a range, such as 4..8")
        numbers.update(more)
    return tuple(sorted(numbers))


def _load_outside(
    texts: list[str],
    network: "Network",
    size: int | None,
    fit: str | None,
    rng: "np.random.Generator",
    most: int | None,
) -> "dict[str, ImageTable]":
    """Load the images of each set by name, at most as many as there may be items."""
    sets: dict[str, ImageTable] = {}
    for text in texts:
        before, equals, after = text.partition("=")
        own = bool(equals) and not Path(text).exists()
        name, place = (before, after) if own else (Path(text).stem, text)
        if not name or not place or name in sets:
            raise ValueError(
                f"--ood {text}: {'this name is taken' if name in sets else 'no name, or no images'}; "
                "expected IMAGES or NAME=IMAGES, each name once"
            )
        table = _shuffle(_load_others(f"--ood {text}", place, network, size, fit), rng)
        sets[name] = table if most is None or len(table) <= most else table.select(range(most))
        if len(sets[name]) < len(table):
            say(f"{name}: {most:,} of {len(table):,} images, drawn at random")
    return sets


def _load_others(option: str, place: str, network: "Network", size: int | None, fit: str | None) -> "ImageTable":
    """Load images besides those that are probed; errors name their option."""
    try:
        return load_images(place, size=size, fit=fit, network=network)
    except ValueError as problem:
        refusal = add_place(problem, place)
        raise refusal.change(place=option + refusal.place.removeprefix(place)) from None


def _shuffle(table: "ImageTable", rng: "np.random.Generator") -> "ImageTable":
    return table.select(rng.permutation(len(table)))


def _move_to(device: str, networks: "dict[str, Network]") -> None:
    from dissensus.train.preparing import choose_device

    for network in networks.values():
        network.module.to(choose_device(device))
