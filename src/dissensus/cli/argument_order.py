"""IMAGES and LABELS that were given in the wrong order."""

from pathlib import Path

from dissensus.files.formats import ENDINGS


def refuse_exchanged(images: str, labels: str) -> None:
    """Warn if a table of labels was given as IMAGES, and a folder or data set of images as LABELS."""
    from dissensus.datasets.sources import is_data_set

    may_hold_images = ENDINGS.get(Path(images).suffix.lower(), "") in ("parquet", "arrow", "npy", "npz")
    if Path(images).is_file() and (Path(labels).is_dir() or (not may_hold_images and is_data_set(labels))):
        raise ValueError(
            f"{images} was given as images and {labels} as labels: IMAGES come first, then LABELS; did you mean "
            f"`{labels} {images}`?"
        )
