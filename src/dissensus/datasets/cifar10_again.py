"""CIFAR-10.1 and CINIC-10: newly collected images of the ten CIFAR-10 classes."""

from __future__ import annotations

import tarfile
from pathlib import Path, PurePosixPath

import numpy as np
import pyarrow as pa

from dissensus.datasets.cifar10 import CLASSES
from dissensus.datasets.dataset import DataCheck, DataSet, Download, Facts
from dissensus.datasets.image_files import PATIENCE, SIDE, Images, image_library
from dissensus.labels.progress import ProgressBar

OF_IMAGENET = 210_000  # images of CINIC-10; the other 60,000 are those of CIFAR-10
_CINIC = "CINIC-10.tar.gz"
_CINIC_MD5 = "md5:6ee4d0c996905fe93221de577967a372"


def read_cifar101(pixels: Path, labels: Path, quiet: bool = False) -> Images:
    """Read images and class codes of a version of CIFAR-10.1; reading arrays takes no progress bar."""
    codes = np.load(labels)
    if codes.ndim != 1 or not ((codes >= 0) & (codes < len(CLASSES))).all():
        raise ValueError(f"{labels}: the array has the shape {codes.shape}; expected one class code per image, 0 to 9")
    return Images(np.load(pixels), codes.astype(np.int32), CLASSES, pa.table({"index": np.arange(codes.size)}))


def read_cinic10(path: Path, quiet: bool = False, expected: int = OF_IMAGENET) -> Images:
    """Read the ImageNet images of CINIC-10 from its archive, in the order of the archive.

    A name is SPLIT/CLASS/FILE.png; files of CIFAR-10 begin with cifar10-, the others with the class of ImageNet.
    """
    library = image_library(path)
    pixels = np.empty((expected, SIDE, SIDE, 3), dtype=np.uint8)
    codes = np.empty(expected, dtype=np.int32)
    files: list[str] = []
    splits: list[str] = []
    with (
        tarfile.open(path, "r|gz") as archive,
        ProgressBar(f"decoding {path.name}", expected, quiet=quiet, patience=PATIENCE) as progress,
    ):
        for member in archive:
            name = PurePosixPath(member.name)
            if not member.isfile() or name.suffix != ".png" or name.name.startswith("cifar10-"):
                continue
            split, named = name.parts[-3:-1]
            row = len(files)
            if row == expected or named not in CLASSES:
                why = f"a class {named!r}" if named not in CLASSES else f"more than {expected:,} images of ImageNet"
                raise ValueError(f"{path} has {why}, with {member.name}; expected the archive as released")
            content = archive.extractfile(member)
            assert content is not None
            # Some of its pictures are grey.
            picture = np.asarray(library.open(content).convert("RGB"))
            if picture.shape != pixels.shape[1:]:
                raise ValueError(f"{path}: {member.name} has shape {picture.shape}; expected {pixels.shape[1:]}")
            pixels[row], codes[row] = picture, CLASSES.index(named)
            files.append(name.name)
            splits.append(split)
            progress.show(row + 1)
    if len(files) < expected:
        raise ValueError(f"{path} has {len(files):,} images of ImageNet; expected {expected:,}")
    return Images(pixels, codes, CLASSES, pa.table({"filename": files, "split": splits}))


def _version(version: str, n: int) -> DataSet:
    files = tuple(
        tuple(f"{folder}cifar10.1_{version}_{part}.npy" for folder in ("cifar10_1/", "")) for part in ("data", "labels")
    )
    return DataSet(
        name=f"cifar10.1-{version}",
        title=f"CIFAR-10.1 {version} images",
        kind="images",
        what=f"{n:,} images that were collected and labelled as CIFAR-10's were, years later",
        source="https://github.com/modestyachts/CIFAR-10.1",
        licence="MIT",
        citation="Recht, Roelofs, Schmidt, Shankar (2018), Do CIFAR-10 Classifiers Generalize to CIFAR-10?",
        facts=Facts(items=n, classes=10),
        files=files,
        read=read_cifar101,
        obtain=f"take cifar10.1_{version}_data.npy and cifar10.1_{version}_labels.npy from the folder datasets of "
        "GitHub modestyachts/CIFAR-10.1",
    )


DATASETS = (
    _version("v4", 2_021),
    _version("v6", 2_000),
    DataSet(
        name="cinic10-imagenet",
        title="CINIC-10 images of ImageNet",
        kind="images",
        what="210,000 images of ImageNet in the ten classes of CIFAR-10, at 32 x 32 pixels, from all three splits; "
        "those that are CIFAR-10's own are left out",
        source="https://datashare.ed.ac.uk/handle/10283/3192",
        licence="CC BY 4.0",
        citation="Darlow, Crowley, Antoniou, Storkey (2018), CINIC-10 is not ImageNet or CIFAR-10",
        facts=Facts(items=OF_IMAGENET, classes=10),
        files=((_CINIC,),),
        read=read_cinic10,
        checks=(
            DataCheck(
                "21,000 images of each class",
                lambda images: bool((np.bincount(images.labels, minlength=10) == OF_IMAGENET // 10).all()),
            ),
        ),
        checksums={_CINIC: _CINIC_MD5},
        downloads=(
            Download("https://datashare.ed.ac.uk/bitstream/handle/10283/3192/CINIC-10.tar.gz", _CINIC_MD5, _CINIC),
        ),
    ),
)
