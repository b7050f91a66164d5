"""Models in files: safetensors with a card in the header and next to it, never a pickle."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from dissensus.files.whole_files import check_writable, whole_or_not, write_text
from dissensus.labels.as_json import json_text
from dissensus.train.cards import HEAD, MODELS, NETWORK, card_of, check_card_place

NAMES = {HEAD: "a head", NETWORK: "a network"}
_VERBS = {HEAD: "`dissensus fit`", NETWORK: "`dissensus train`"}
_LOADED_BY = {HEAD: "takes features, and load_head loads it", NETWORK: "takes images, and load_network loads it"}


def check_model_place(path: Path) -> None:
    """Refuse a place where a model or its card cannot be written, before it is trained."""
    if path.suffix != ".safetensors":
        raise ValueError(f"{path}: models are written as .safetensors; choose a name with this ending")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist; make it first")
    check_card_place(path, *MODELS)
    check_writable(path)
    check_writable(card_of(path))


def write_model(path: Path, card: dict[str, Any], content: Callable[[dict[str, str]], bytes]) -> None:
    """Write x.safetensors, with the card in its header and in x.safetensors.json for readers.

    content  the bytes of the file, given its metadata
    """
    check_model_place(path)
    try:
        text = json_text(card, indent=1, ascii_only=False)
        if not _is_unicode(text):  # a path of bytes that are not UTF-8, which JSON escapes
            text = json_text(card, indent=1)
    except (TypeError, ValueError) as problem:
        raise ValueError(f"{path}: the card of the model cannot be written as JSON ({problem})") from None
    written = content({"card": text})
    whole_or_not(path, lambda out: cast(None, out.write(written)))
    write_text(text + "\n", card_of(path))


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def read_model(path: Path, kind: str, framework: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Read card and tensors of a model of this kind; the card inside the file counts, not the copy."""
    from safetensors import SafetensorError, safe_open

    other = model_kind(path)
    if other != kind:
        raise ValueError(f"{path}: is {NAMES[other]}, not {NAMES[kind]}; {NAMES[other]} {_LOADED_BY[other]}")
    try:
        with safe_open(path, framework=framework) as content:
            card = json.loads(content.metadata()["card"])
            tensors = {name: content.get_tensor(name) for name in content.keys()}  # noqa: SIM118 (no mapping)
    except (SafetensorError, OSError) as problem:
        raise ValueError(unreadable(path, problem)) from None
    card.pop("format")
    return card, tensors


def model_kind(path: Path) -> str:
    """Return the kind of a model file, HEAD or NETWORK; anything else is refused."""
    from safetensors import SafetensorError, safe_open

    if not path.is_file():
        raise ValueError(f"{path}: {'is a folder, not a file' if path.is_dir() else 'no such file'}")
    try:
        with safe_open(path, framework="numpy") as content:
            metadata = content.metadata() or {}
    except (SafetensorError, OSError) as problem:
        raise ValueError(unreadable(path, problem)) from None
    try:
        kind = json.loads(metadata["card"])["format"]
        if kind not in MODELS:
            raise ValueError(kind)
    except (KeyError, ValueError, TypeError, RecursionError) as problem:
        expected = " or ".join(_VERBS.values())
        raise ValueError(f"{path}: not a model of dissensus ({problem!r}); expected a file of {expected}") from None
    return str(kind)


def wrong_content(path: Path, kind: str, problem: Exception | str) -> ValueError:
    """Return the error for a card of the right kind that does not match the content of its file."""
    return ValueError(f"{path}: not {NAMES[kind]} of dissensus ({problem}); expected a file of {_VERBS[kind]}")


def unreadable(path: Path, problem: Exception) -> str:
    return f"{path}: not a readable safetensors file, or cut short ({problem})"
