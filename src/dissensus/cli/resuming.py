"""The folder for the state of a training, from which an interrupted run resumes."""

import shutil
from pathlib import Path

from dissensus.cli.reading import say


def choose_checkpoint(output: Path, checkpoint: Path | None, resume: bool, in_folds: bool) -> Path | None:
    """Return the folder for the state of training, or None if none is kept, and report its content.

    An interrupted training beside the output is refused without --resume, which may have been forgotten.
    """
    from dissensus.train.checkpoints import STATE

    beside = output.with_name(f".{output.name}.training")
    if checkpoint is None and not resume:
        if _is_begun(beside):
            raise ValueError(
                f"{beside}: contains an interrupted training of {output.name}: resume it with --resume, or remove the "
                "folder to begin anew"
            )
        return None
    folder = checkpoint or beside
    if _is_begun(folder):
        if in_folds == (folder / STATE).exists():
            kept, asked = ("without folds", "--folds") if in_folds else ("in folds", "none")
            raise ValueError(
                f"{folder}: holds a training {kept}, and {asked} were asked for; choose another folder, or remove it"
            )
        say(f"{folder}: contains the state of a training, which resumes there")
    elif checkpoint is None:
        say(f"{folder}: keeps the state of training until the model is written")
    return folder


def remove_checkpoint(folder: Path | None, *, kept: bool) -> None:
    """Remove the folder beside the output when the model is written; one that the user named stays."""
    if folder is not None and not kept:
        shutil.rmtree(folder, ignore_errors=True)


def _is_begun(folder: Path) -> bool:
    from dissensus.train.checkpoints import STATE

    return (folder / STATE).exists() or any(folder.glob(f"fold-*/{STATE}"))
