"""Run every verb and load every public name with what is installed, and print as JSON what each of them said.

It needs nothing but dissensus: `make extras` runs it in fresh environments, and fewer_packages.py does the same in this
one with packages hidden.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import pkgutil
import socket
import struct
import sys
import tempfile
import traceback
import zlib
from pathlib import Path
from typing import Any

# What to call a verb with. A verb that is not here is called with a data set, as those that read labels are.
WORDS: dict[str, list[str]] = {
    "plan": ["--items", "20", "--classes", "5"],
    "elicit init": ["new"],
    "elicit check": ["survey"],
    "elicit serve": ["survey", "--port", "{busy}"],
    "elicit key": ["survey"],
    "elicit links": ["survey", "--count", "2"],
    "elicit rehearse": ["survey", "--annotators", "2", "--at-once", "2"],
    "elicit export": ["survey", "-o", "answers.csv"],
    "elicit status": ["survey"],
    "elicit forget": ["survey", "nobody"],
    "data list": [],
    "convert": ["anesthesia", "votes.parquet"],
    "count": ["votes.parquet", "-o", "counts.npz"],
    "aggregate": ["anesthesia", "-o", "labels.parquet"],
    "embed": ["texts.csv", "-o", "texts.npy"],
    "embed pictures": ["pictures", "-o", "pictures.npy"],
    "fit": ["own.npy", "anesthesia", "--epochs", "1", "-o", "own.safetensors"],
    "train": ["digits", "digits", "--width", "4", "--depth", "1", "--epochs", "1", "-o", "network.safetensors"],
    "predict": ["own.safetensors", "own.npy", "-o", "predicted.parquet"],
    "probe": ["network.safetensors", "digits", "digits", "--what", "gradients", "--items", "20"],
    "advise": ["anesthesia", "own.npy", "--seeds", "1"],
    "study init": ["study.toml"],
    "study check": ["quick.toml"],
    "study run": ["quick.toml", "-o", "quick"],
    "study add-seeds": ["quick.toml", "1"],
    "study status": ["quick"],
    "study table": ["quick"],
    "study report": ["quick"],
    "study diff": ["quick", "quick"],
    "study networks": ["run", "networks.toml", "-o", "networks", "--jobs", "1"],
    "study ray": ["run", "one_cell.toml", "-o", "by-ray", "--engine", "ray", "--jobs", "1"],
    "study slurm": ["run", "one_cell.toml", "-o", "by-slurm", "--engine", "submitit", "--address", "local"],
    "reproduce": [],
    "evaluate": ["predicted.parquet", "anesthesia", "--no-ceiling", "--replicates", "10"],
}
# What cannot be tried to its end says this when everything it needs is installed.
EXPECTED = {"elicit serve": "port {busy}", "elicit forget": "nobody", "data pretrain": "expected images"}


def outcomes(only: list[str] | None = None) -> dict[str, dict[str, str]]:
    """By verb, all or only some, and by public name: "works", "needs EXTRA", or what went wrong."""
    from dissensus.cli.main import app, main

    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder), socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        busy = str(taken.getsockname()[1])
        _make_inputs(Path(folder))
        verbs = _verbs(app)
        done = {}
        for verb in [*verbs, *(extra for extra in WORDS if extra not in verbs)]:
            if only is not None and verb not in only:
                continue
            words = [word.format(busy=busy) for word in WORDS.get(verb, ["anesthesia"])]
            name = verb if verb in verbs else verb.partition(" ")[0]
            done[verb] = _run(main, [*name.split(), *words], EXPECTED.get(verb, "").format(busy=busy))
    return {"verbs": done, "names": _names()}


def _verbs(app: Any) -> list[str]:
    """Every verb, and every one of a group of verbs."""
    import typer

    found = []
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        found += [f"{name} {part}" for part in command.commands] if hasattr(command, "commands") else [name]
    return found


def _run(main: Any, words: list[str], expected: str) -> str:
    sys.argv = ["dissensus", *words]
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    code: Any = 0
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            main()
        except SystemExit as end:
            code = end.code or 0
        except BaseException:
            traceback.print_exc()
            code = "traceback"
    text = said.buffer.getvalue().decode()  # type: ignore[attr-defined]
    lines = [line for line in text.splitlines() if line.startswith("error: ")]
    if code == 2 and len(lines) == 1 and "pip install" in lines[0]:
        return f"needs {_extra(lines[0])}"
    if code == 0 or (expected and len(lines) == 1 and expected in lines[0]):
        return "works"
    return f"exit {code}: {text}"


def _names() -> dict[str, str]:
    import dissensus

    fronts = [
        "dissensus",
        *(f"dissensus.{part.name}" for part in pkgutil.iter_modules(dissensus.__path__) if part.ispkg),
    ]
    fronts += ["dissensus.train.heads", "dissensus.train.networks"]
    done = {}
    for front in fronts:
        package = importlib.import_module(front)
        for name in getattr(package, "__all__", ()):
            try:
                getattr(package, name)
                done[f"{front}.{name}"] = "works"
            except ModuleNotFoundError as missing:
                good = "pip install" in str(missing) and "\n" not in str(missing)
                done[f"{front}.{name}"] = f"needs {_extra(str(missing))}" if good else repr(missing)
            except Exception as problem:
                done[f"{front}.{name}"] = repr(problem)
    return done


def _extra(advice: str) -> str:
    """The extra that a line asks to install, written as the README writes it."""
    before, _, after = advice.partition("pip install -c constraints.txt '.[")
    return after.partition("]'")[0] or before


def _make_inputs(folder: Path) -> None:
    import numpy as np

    from dissensus.elicit.survey.template import make_survey

    (folder / "texts.csv").write_text("item,text\na,one\nb,two\n", encoding="utf-8")
    (folder / "pictures").mkdir()
    (folder / "pictures" / "grey.png").write_bytes(_png(8))
    make_survey(
        folder / "survey", title="Grey?", kind="choose", classes=["yes", "no"], source="links", items="items.csv"
    )
    (folder / "survey" / "grey.png").write_bytes(_png(8))
    (folder / "survey" / "items.csv").write_text("item,image\ngrey,grey.png\n", encoding="utf-8")
    on_digits = '[data]\nlabels = "digits"\n{}\n[model]\n{}\nepochs = 1\n'
    heads = on_digits.format('features = "pixels"', 'head = "linear"')
    networks = on_digits.format('images = "digits"', 'network = "small"\nwidth = 4\ndepth = 1')
    for name, study in (
        ("quick", 'seeds = 2\ndelivery = ["soft", "majority"]\n' + heads),
        ("one_cell", 'seeds = 1\ndelivery = "soft"\n' + heads),  # every job of an engine is a process
        ("networks", 'seeds = 1\ndelivery = "soft"\n' + networks),
    ):
        (folder / f"{name}.toml").write_text(study, encoding="utf-8")
    np.save(folder / "own.npy", np.random.default_rng(0).normal(size=(45, 3)))
    (folder / "own.npy.json").write_text(json.dumps({"items": list(range(1, 46))}), encoding="utf-8")


def _png(side: int) -> bytes:
    """A grey picture, without the library that may be missing."""
    rows = b"".join(b"\0" + bytes([128]) * side for _ in range(side))
    parts = (b"IHDR" + struct.pack(">IIBBBBB", side, side, 8, 0, 0, 0, 0), b"IDAT" + zlib.compress(rows), b"IEND")
    body = (struct.pack(">I", len(part) - 4) + part + struct.pack(">I", zlib.crc32(part)) for part in parts)
    return b"\x89PNG\r\n\x1a\n" + b"".join(body)


if __name__ == "__main__":
    os.environ["COLUMNS"] = "200"
    print(json.dumps(outcomes(), indent=1))
