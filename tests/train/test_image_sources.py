"""Folders, columns and array files of images -> one table, with names and with a word on everything that was done."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

from dissensus import datasets
from dissensus.train import ImageTable, as_images, read_images
from dissensus.train.decode_images import LAID_ON_WHITE
from dissensus.train.heads.encodable_items import folder_items
from dissensus.train.image_sources import IMAGE_COLUMNS, resize_images
from dissensus.train.images import fingerprint
from dissensus.train.matching import match_table
from dissensus.train.squares import FITS, how_scaled
from tests.facts import missing_facts, refuses, states
from tests.train.notices import quiet

Image = pytest.importorskip("PIL.Image")

PIXELS = np.random.default_rng(0).integers(0, 256, (4, 6, 5, 3), dtype=np.uint8)


def png(pixels):
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


BLOBS = [png(pixels) for pixels in PIXELS]


def parquet(path, **columns):
    pq.write_table(pa.table(columns), path)
    return path


def test_a_folder_gives_all_images_below_it_by_their_paths_as_embed_names_them(tmp_path):
    (tmp_path / "cats").mkdir()
    places = ["cats/10.png", "cats/2.PNG", "dog.webp", "z.bmp"]
    for place, pixels in zip(places, PIXELS, strict=True):
        Image.fromarray(pixels).save(tmp_path / place, **{"lossless": True} if place.endswith("webp") else {})
    (tmp_path / "notes.txt").write_text("not an image")
    said, heard = [], []
    table = read_images(tmp_path, say=said.append, progress=lambda done, n: heard.append((done, n)))
    assert table.items.tolist() == places == folder_items(tmp_path).names.tolist()
    assert np.array_equal(table.pixels, PIXELS) and table.named and table.source == {"path": str(tmp_path)}
    assert not said and heard == [(4, 4)]
    assert np.array_equal(folder_items(tmp_path).get(range(1, 3)), PIXELS[1:3])


@pytest.mark.parametrize("ending", ["parquet", "arrow"])
@pytest.mark.parametrize("kind", [pa.binary(), pa.large_binary(), pa.binary_view()])
def test_a_column_of_encoded_images_with_names_beside_it(tmp_path, ending, kind):
    table = pa.table({"item": ["b", "a", "d", "c"], "png": pa.array(BLOBS, kind), "label": [0, 1, 1, 0]})
    path, said = tmp_path / f"i.{ending}", []
    pq.write_table(table, path) if ending == "parquet" else feather.write_feather(table, path)
    images = read_images(path, say=said.append)
    assert np.array_equal(images.pixels, PIXELS) and images.items.tolist() == ["b", "a", "d", "c"]
    (took,) = said
    assert states(took, "item = item", "image = png")
    assert images.source == {"path": str(path), "image": "png", "item": "item"}


def hugging_face(paths, blobs=BLOBS):
    """The column of an Image feature, as Hugging Face's datasets write it."""
    kind = pa.struct({"bytes": pa.binary(), "path": pa.string()})
    return pa.array([{"bytes": blob, "path": path} for blob, path in zip(blobs, paths, strict=True)], kind)


def test_hugging_face_images_are_named_by_a_column_else_by_their_paths(tmp_path):
    """Their column `image` is the usual name of an item too, and must not be taken for one."""
    paths = ["a.png", "b.png", "c.png", "d.png"]
    said = []
    path = parquet(tmp_path / "paths.parquet", image=hugging_face(paths), label=[0, 1, 0, 1])
    images = read_images(path, say=said.append)
    assert np.array_equal(images.pixels, PIXELS) and images.items.tolist() == paths
    path = parquet(tmp_path / "ids.parquet", image=hugging_face(paths), image_id=[7, 5, 6, 4])
    assert read_images(path, say=said.append).items.tolist() == [7, 5, 6, 4]
    assert read_images(path, item="image.path", say=said.append).items.tolist() == paths
    path = parquet(tmp_path / "none.parquet", img=hugging_face([None] * 4), label=[0, 1, 0, 1])
    images = read_images(path, say=said.append)
    assert not images.named and images.items.tolist() == [0, 1, 2, 3]
    by_path, by_column, by_choice, unnamed, notice = said
    assert states(by_path, "item = image.path", "image = image") and by_choice == by_path
    assert states(by_column, "item = image_id", "image = image")
    assert states(unnamed, "image = img") and "item" not in unnamed
    assert states(notice, path, "stay unnamed")
    read_images(path, item="", say=said.append)  # whoever says that there are no names need not hear it
    assert said[5:] == [unnamed]


def test_the_column_is_found_by_its_usual_names_or_because_it_is_the_only_one(tmp_path):
    for name in (*IMAGE_COLUMNS, "scan"):
        said = []
        read_images(parquet(tmp_path / "i.parquet", id=range(4), **{name: BLOBS}), say=said.append)
        (took,) = said
        assert states(took, "item = id", f"image = {name}")
    two = parquet(tmp_path / "two.parquet", id=range(4), image=BLOBS, mask=BLOBS[::-1])
    assert np.array_equal(read_images(two, say=quiet).pixels, PIXELS)
    assert np.array_equal(read_images(two, image="mask", say=quiet).pixels, PIXELS[::-1])


def test_an_index_names_images_only_where_it_can(tmp_path):
    """CIFAR-10's files here have it; it is the number of the image in the official set."""
    path = parquet(tmp_path / "i.parquet", index=[3, 1, 2, 0], webp=BLOBS)
    assert read_images(path, say=quiet).items.tolist() == [3, 1, 2, 0]
    assert not read_images(parquet(tmp_path / "i.parquet", index=[3, 1, 3, 0], webp=BLOBS), say=quiet).named


@pytest.mark.parametrize(
    ("columns", "options", "facts"),
    [
        (
            {"id": range(4), "left": BLOBS, "right": BLOBS},
            {},
            ("2 columns", "image='left'", "image='right'"),
        ),
        ({"id": range(4), "img": BLOBS, "png": BLOBS}, {}, ("2 columns", "image='img'", "image='png'")),
        (
            {"id": range(4), "image": list("abcd")},
            {},
            ("no column", "id (int64), image (string)", "folder"),
        ),
        ({"id": range(4), "image": BLOBS}, {"image": "id"}, ("column 'id'", "id (int64), image (binary)")),
        ({"id": range(4), "image": BLOBS}, {"image": "pic"}, ("image column 'pic'", "from: id, image")),
        ({"id": range(4), "image": BLOBS}, {"item": "name"}, ("item column 'name'", "from: id")),
        ({"id": range(4), "image": BLOBS}, {"item": "image"}, ("column 'image'", "name and image", "item=")),
        ({"id": list("abca"), "image": BLOBS}, {}, ("two images", "'a'", "column 'id'")),
        ({"id": ["a", None, "c", "d"], "image": BLOBS}, {}, ("row 2", "no value", "column 'id'")),
        (
            {"id": range(4), "image": [*BLOBS[:2], None, BLOBS[3]]},
            {},
            ("row 3", "item 2", "no image", "column 'image'", "1 of 4"),
        ),
        ({"id": range(4), "image": [*BLOBS[:3], BLOBS[3][:60]]}, {}, ("row 4", "item 3", "readable image")),
        ({"image": [BLOBS[0], b"GIF89a", *BLOBS[2:]]}, {}, ("row 2", "readable image")),
        (
            {"image": [*BLOBS[:3], png(PIXELS[0, :4])]},
            {},
            ("row 1 is 5 x 6", "row 4 is 5 x 4", "width x height", "1 of 4", "size=4"),
        ),
        ({"id": pa.array([], pa.int64()), "image": pa.array([], pa.binary())}, {}, ("no rows",)),
        ({"image": BLOBS}, {"size": 0}, ("size=0", "pixels", "1 to 4096")),
    ],
)
def test_errors_in_a_column_name_its_row_and_the_way_out(tmp_path, columns, options, facts):
    place = () if "size" in options else (tmp_path / "i.parquet",)  # a setting is wrong for every file
    with refuses(*place, *facts):
        read_images(parquet(tmp_path / "i.parquet", **columns), say=quiet, **options)


def test_bytes_that_are_only_paths_are_refused(tmp_path):
    path = parquet(tmp_path / "i.parquet", image=hugging_face(["a.png", "b.png"], [BLOBS[0], None]))
    with refuses(path, "row 2", "item b.png", "no image", "column 'image'", "1 of 2", "their paths"):
        read_images(path, say=quiet)


def test_what_was_converted_and_resized_is_said_once_and_stays_with_the_table(tmp_path):
    grey, clear = Image.fromarray(PIXELS[0]).convert("L"), Image.new("RGBA", (5, 6))
    for name, picture in {"a.png": Image.fromarray(PIXELS[1]), "b.png": grey, "c.png": clear}.items():
        picture.save(tmp_path / name)
    said = []
    table = read_images(tmp_path, size=4, say=said.append)
    assert table.pixels.shape == (3, 4, 4, 3) and (table.pixels[2] == 255).all()
    converted, laid, resized = said
    assert states(converted, "to RGB", "1 of mode L", "1 of mode RGBA", "3 images")
    assert states(laid, "1 of 3 images", LAID_ON_WHITE, tmp_path / "c.png")
    assert states(resized, "3 of 3 images", "4 x 4", how_scaled("crop"))
    assert table.source["changed"] == said


def test_embed_says_once_that_images_are_transparent(tmp_path):
    for name in ("a.png", "b.png", "c.png"):
        Image.new("RGBA", (5, 6)).save(tmp_path / name)
    said = []
    items = folder_items(tmp_path, said.append)
    assert all((image == 255).all() for image in [*items.get(range(1)), *items.get(range(1, 3))])
    (warning,) = said
    assert warning.startswith("warning: ") and states(warning, LAID_ON_WHITE, tmp_path / "a.png")


def test_arrays_come_from_npy_and_with_names_from_npz(tmp_path):
    said = []
    np.save(tmp_path / "i.npy", PIXELS)
    table = read_images(str(tmp_path / "i.npy"), say=said.append)
    assert np.array_equal(table.pixels, PIXELS) and not table.named
    assert said[0].startswith("warning: ") and states(said[0], tmp_path / "i.npy", "from 0", ".npz with `items`")
    for key in ("pixels", "images"):
        np.savez(tmp_path / "i.npz", **{key: PIXELS[..., 0]}, items=np.array(list("dbca")))
        table = read_images(tmp_path / "i.npz", say=said.append)
        assert table.items.tolist() == list("dbca") and np.array_equal(table.pixels, PIXELS[..., :1])
    assert len(said) == 1
    assert read_images(tmp_path / "i.npz", size=3, say=said.append).pixels.shape == (4, 3, 3, 1)
    assert states(said[1], "4 of 4 images", "3 x 3")


def test_other_arrays_of_an_npz_file_are_not_even_looked_at(tmp_path):
    """Labels as objects, or gigabytes of features."""
    np.savez(tmp_path / "i.npz", pixels=PIXELS, labels=np.array(["a", 1, None, "b"], dtype=object))
    assert np.array_equal(read_images(tmp_path / "i.npz", say=lambda notice: None).pixels, PIXELS)


def test_names_of_files_that_are_not_utf8_are_refused(tmp_path):
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.png")).write_bytes(b"")
    except OSError:
        pytest.skip("this file system has names in UTF-8 only")
    with refuses(r"caf\udce9.png", "UTF-8", "1 of 1 images"):
        read_images(tmp_path)


def test_arrays_are_resized_as_files_are(tmp_path):
    for row, pixels in enumerate(PIXELS):
        Image.fromarray(pixels).save(tmp_path / f"{row}.png")
    from_files = read_images(tmp_path, size=4, say=quiet)
    from_array = resize_images(ImageTable(PIXELS), 4, quiet)
    assert np.array_equal(from_files.pixels, from_array.pixels)
    assert resize_images(from_array, 4, quiet) is from_array


def test_images_that_are_not_square_can_be_kept_whole_and_their_source_says_how(tmp_path):
    for row, pixels in enumerate(PIXELS):
        Image.fromarray(pixels).save(tmp_path / f"{row}.png")
    said = []
    padded = read_images(tmp_path, size=6, fit="pad", say=said.append)
    assert np.array_equal(padded.pixels[:, :, :5], PIXELS) and (padded.pixels[:, :, 5] == 255).all()
    assert padded.source["fit"] == "pad" and states(said[0], "4 of 4 images", "6 x 6", FITS["pad"])
    assert np.array_equal(resize_images(ImageTable(PIXELS), 6, quiet, fit="pad").pixels, padded.pixels)
    assert "fit" not in read_images(tmp_path, size=6, say=quiet).source
    with refuses("fit 'squash'", "crop, pad, stretch"):
        read_images(tmp_path, size=6, fit="squash")


class Dangerous:
    """What a pickle could do when it is loaded."""

    def __reduce__(self):
        return (pytest.fail, ("a pickle was executed",))


@pytest.mark.parametrize(
    ("name", "content", "facts"),
    [
        ("i.npy", np.array([Dangerous()]), ("pickled objects", "np.save")),
        ("i.npz", {"pixels": PIXELS, "items": np.array([Dangerous()] * 4)}, ("pickled objects", "np.save")),
        ("i.npz", {"x": PIXELS}, ("pixels or images", "`items`", "holds x")),
        ("i.npz", {"pixels": PIXELS, "images": PIXELS}, ("one array", "`items`", "holds pixels, images")),
        ("i.npz", {"pixels": PIXELS, "items": ["a"]}, ("4 images", "1 names")),
        ("i.npy", PIXELS / 255, ("float64", "uint8", "0 to 1", '(x * 255).round().astype("uint8")')),
        ("i.npy", b"\x93NUMPY broken", ("readable .npy", "version")),
        ("i.npz", b"PK broken", ("readable .npz",)),
        ("i.parquet", b"PAR1 broken", ("readable parquet", "cut short")),
        ("i.csv", b"item,image\n", ("'.csv'", "a folder", ".parquet", ".npz")),
        ("i.png", BLOBS[0], ("'.png'", "a folder", ".parquet", ".npz")),
        (".", None, ("no image", ".png", ".tiff")),
        ("nowhere", None, ("no such file",)),
    ],
)
def test_files_without_images_are_refused(tmp_path, name, content, facts):
    path = tmp_path / name
    if isinstance(content, dict):
        np.savez(path, **content)
    elif isinstance(content, bytes):
        path.write_bytes(content)
    elif content is not None:
        np.save(path, content)
    with refuses(path, *facts):
        read_images(path, say=quiet)


def test_two_columns_of_one_name_are_refused(tmp_path):
    table = pa.Table.from_arrays([pa.array(BLOBS), pa.array(BLOBS[::-1])], names=["image", "image"])
    with pa.ipc.new_file(tmp_path / "i.arrow", table.schema) as file:
        file.write_table(table)
    with refuses(tmp_path / "i.arrow", "two columns", "'image'"):
        read_images(tmp_path / "i.arrow", say=quiet)


def test_columns_of_what_has_none_are_refused(tmp_path):
    np.save(tmp_path / "i.npy", PIXELS)
    with refuses(tmp_path / "i.npy", "Parquet and Arrow", "item", "image"):
        read_images(tmp_path / "i.npy", item="id", image="png")
    with refuses(tmp_path, "Parquet and Arrow", "image") as refused:
        read_images(tmp_path, image="png")
    assert missing_facts(str(refused.value), "item") == ["item"]  # which was not asked for


def test_cifar10_as_a_file_is_cifar10_as_a_data_set_bit_for_bit(data_folder):
    """Two readers; and the rows of the official test set are what CIFAR-10H calls its items."""
    said = []
    table = read_images(data_folder / "cifar10" / "images_test.parquet", say=said.append)
    known = datasets.images("cifar10", "test", quiet=True)
    assert np.array_equal(table.pixels, known.pixels) and fingerprint(table) == fingerprint(as_images(known))
    assert states(said[0], "item = index", "image = webp") and len(said) == 1
    labels = datasets.load("cifar10h").labels
    for images in (table, as_images(known)):
        matched, own = match_table(images, labels, said.append)
        assert len(said) == 1 and matched.items.tolist() == own.items.tolist() == list(range(10_000))


def test_without_pillow_the_error_names_the_extra(tmp_path):
    (tmp_path / "a.png").write_bytes(BLOBS[0])
    code = (
        "import sys; sys.modules['PIL'] = None\n"
        "from dissensus.train import as_images, read_images\n"
        "try: read_images(sys.argv[1])\n"
        "except ModuleNotFoundError as problem: print(problem)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=True)
    assert states(done.stdout, "PIL", "pip install", "'.[images]'")
