"""Encode many items: in batches, resumable after any interruption, and whole or not at all."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import dissensus
from dissensus.files.folder_lock import lock_folder
from dissensus.files.notices import to_stderr
from dissensus.files.whole_files import whole_or_not
from dissensus.train.cards import FEATURES, card_of, check_card_place
from dissensus.train.heads.encodable_items import Items
from dissensus.train.heads.encoders import Encoder, Loaded, find_encoder
from dissensus.train.heads.features import FeatureTable, read_features
from dissensus.train.squares import FITS, Fit, check_fit, make_square_pixels

BATCH = 128
PAIRS = "u, v, |u - v|, u * v"


def embed(
    items: Items,
    encoder: str,
    output: str | Path,
    *,
    batch: int = BATCH,
    fit: Fit = "crop",
    say: Callable[[str], None] = to_stderr,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> FeatureTable:
    """Encode all items and write their features to a file, with a card beside it.

    The card, x.npy.json for x.npy, has the encoder and the names of the items, if they have names. Interrupted work
    resumes after its last whole batch if items, names and encoder are the same, and gives the same bits. Finished work
    is not repeated. Pairs of texts (u, v) become u, v, |u - v|, u * v (Conneau et al. 2017, sec. 3.2).

    Parameters
    ----------
    items : texts, pairs of texts or images, from `read_items`
    encoder : name of an encoder, as in `ENCODERS`; "hugging-face-text:roberta-base" names the model too
    output : file to write, with the ending .npy
    batch : number of items to encode at once
    fit : how images become square, as encoders need them: "crop" cuts out the central square, "pad" adds white around
        the whole, "stretch" passes it unchanged, and most encoders then distort it
    say : receives notices
    progress : called with the number of items done and of all

    Returns
    -------
    FeatureTable, as `read_features` reads it from the file

    Examples
    --------
    An encoder of your own is one more entry of `ENCODERS`; "minilm" and the others need the extra `encoders`.

    >>> from dissensus.train.heads.encoders import Encoder, Loaded
    >>> def count_letters(texts):
    ...     return np.array([[len(text)] for text in texts], dtype=np.float32)
    >>> ENCODERS["letters"] = Encoder("text", "number of letters", "CC0", lambda model: Loaded(count_letters, "1"))
    >>> with open("texts.csv", "w") as file:
    ...     _ = file.write("item,text\\na,What a day\\nb,Never again")
    >>> embed(read_items("texts.csv"), "letters", "features.npy").values.ravel()
    array([10., 11.], dtype=float32)
    >>> del ENCODERS["letters"]
    """
    output = Path(output)
    fit = check_fit(fit)
    chosen, model = find_encoder(encoder)
    _check(items, chosen, encoder, output, batch)
    loaded = chosen.load(model)
    about = {
        "format": FEATURES,
        "made by": f"dissensus {dissensus.__version__}",
        "encoder": encoder,
        "what": chosen.what,
        "licence": chosen.licence,
        "weights": loaded.weights,
        "pairs": PAIRS if items.takes == "pair" else None,
        "batch": batch,
        "content": items.fingerprint,
    } | ({"not square": FITS[fit]} if items.not_square else {})
    if _is_done(output, about):
        say(f"{output}: these features exist already")
        return read_features(output)
    if items.not_square:
        others = " or ".join(way for way in FITS if way != fit)
        say(
            f"{items.not_square:,} of {items.names.size:,} images are not square, and encoders take squares: encoding "
            f"{FITS[fit]}; `fit` can also be {others}"
        )
    part = output.parent / f".{output.name}.part"
    part.mkdir(exist_ok=True)
    with lock_folder(part, "another process is encoding into it; wait, or choose another output"):
        if not _is_moved(output, part, about, items.names.size):
            _encode_rest(items, loaded, part, about, batch, fit, say, progress)
            card_of(output).unlink(missing_ok=True)  # a card with old names must never accompany new features
            (part / "values.npy").replace(output)
        card = about | ({"items": items.names.tolist()} if items.named else {})
        whole_or_not(card_of(output), lambda out: _write_json(out, card))
        shutil.rmtree(part)
    return read_features(output)


def _check(items: Items, encoder: Encoder, name: str, output: Path, batch: int) -> None:
    takes = "image" if items.takes == "image" else "text"
    if encoder.takes != takes:
        raise ValueError(f"the encoder {name!r} takes {encoder.takes}s, and these items are {items.takes}s")
    if output.suffix != ".npy":
        raise ValueError(f"{output}: features are written as .npy; choose a name with this ending")
    if not output.parent.is_dir():
        raise ValueError(f"{output}: the folder {output.parent} does not exist; make it first")
    check_card_place(output, FEATURES)
    if batch < 1:
        raise ValueError(f"batch is {batch}; expected 1 or more")


def _encode_rest(
    items: Items,
    loaded: Loaded,
    part: Path,
    about: dict[str, Any],
    batch: int,
    fit: Fit,
    say: Callable[[str], None],
    progress: Callable[[int, int], None],
) -> None:
    total, done = items.names.size, _rows_done(part, about)
    if done:
        say(f"resuming after {done:,} of {total:,} items")
    else:  # otherwise other work, interrupted in its first batch, would leave its rows under the old record
        (part / "done.json").unlink(missing_ok=True)
    values: np.memmap[Any, Any] | None = None
    progress(done, total)
    for start in range(done, total, batch):
        rows = range(start, min(start + batch, total))
        content = items.get(rows)
        if items.takes == "image":
            content = [make_square_pixels(image, fit) for image in content]
        features = _features(loaded.encode, content, items.takes)
        if values is None:
            mode = "r+" if done else "w+"
            shape = (total, features.shape[1])
            values = np.lib.format.open_memmap(part / "values.npy", mode, dtype=np.float32, shape=shape)
        values[rows.start : rows.stop] = features
        values.flush()
        record = about | {"done": rows.stop}
        whole_or_not(part / "done.json", lambda out, record=record: _write_json(out, record))  # type: ignore[misc]
        progress(rows.stop, total)


def _features(encode: Callable[[Sequence[Any]], np.ndarray], content: list[Any], takes: str) -> np.ndarray:
    if takes != "pair":
        return encode(content)
    both = encode([first for first, _ in content] + [second for _, second in content])
    u, v = both[: len(content)], both[len(content) :]
    return np.concatenate([u, v, np.abs(u - v), u * v], axis=1)


def _rows_done(part: Path, about: dict[str, Any]) -> int:
    record = _read(part / "done.json")
    same = record is not None and {name: value for name, value in record.items() if name != "done"} == about
    return int(record["done"]) if record is not None and same and (part / "values.npy").is_file() else 0


def _is_moved(output: Path, part: Path, about: dict[str, Any], total: int) -> bool:
    """Whether the last run ended between moving its features into place and writing their card."""
    record = _read(part / "done.json")
    finished = record == about | {"done": total} and not (part / "values.npy").is_file()
    return finished and output.is_file() and not card_of(output).is_file()


def _is_done(output: Path, about: dict[str, Any]) -> bool:
    card = _read(card_of(output)) if output.is_file() else None
    return card is not None and {name: value for name, value in card.items() if name != "items"} == about


def _read(path: Path) -> dict[str, Any] | None:
    try:
        return dict(json.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def _write_json(out: Any, record: dict[str, Any]) -> None:
    out.write(json.dumps(record, indent=1, ensure_ascii=False).encode())
