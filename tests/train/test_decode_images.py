"""Encoded images to pixels: what each kind of file becomes, and which are refused."""

from __future__ import annotations

import io

import numpy as np
import pytest

from dissensus.train.decode_images import (
    ALMOST_BLACK,
    FIRST_FRAME,
    FROM_SIXTEEN,
    LAID_ON_WHITE,
    Remarks,
    SizesDifferError,
    decode_image,
    decode_images,
)
from dissensus.train.heads.encodable_items import folder_items
from dissensus.train.squares import how_scaled
from tests.facts import refuses, states

Image = pytest.importorskip("PIL.Image")

COLOUR = np.random.default_rng(0).integers(0, 256, (12, 10, 3), dtype=np.uint8)
GREY = COLOUR[..., 0]


def encoded(picture, format="PNG", **options):
    out = io.BytesIO()
    picture.save(out, format, **options)
    return out.getvalue()


def decoded(data):
    return np.asarray(decode_image(data, "here", Remarks()))


def number(row):
    return f"number {row}"


@pytest.mark.parametrize(("format", "options"), [("PNG", {}), ("BMP", {}), ("TIFF", {}), ("WEBP", {"lossless": True})])
def test_lossless_files_give_their_pixels_bit_for_bit(format, options):
    assert np.array_equal(decoded(encoded(Image.fromarray(COLOUR), format, **options)), COLOUR)
    if format != "WEBP":  # which has no grey
        assert np.array_equal(decoded(encoded(Image.fromarray(GREY), format, **options)), GREY)


def test_jpeg_is_what_pillow_makes_of_it():
    data = encoded(Image.fromarray(COLOUR), "JPEG", quality=90)
    assert np.array_equal(decoded(data), np.asarray(Image.open(io.BytesIO(data))))


def test_the_side_that_the_camera_noted_as_the_upper_one_is_up():
    """Orientation 6: the stored picture has to be turned clockwise by a quarter."""
    exif = Image.Exif()
    exif[0x0112] = 6
    data = encoded(Image.fromarray(np.rot90(COLOUR).copy()), exif=exif)
    assert np.array_equal(decoded(data), COLOUR)


def test_palettes_become_their_colours_and_bits_become_black_and_white():
    palette = Image.new("P", (2, 1))
    palette.putpalette([10, 20, 30, 200, 100, 50])
    palette.putdata([1, 0])
    assert decoded(encoded(palette)).tolist() == [[[200, 100, 50], [10, 20, 30]]]
    assert decoded(encoded(Image.fromarray(np.array([[True, False]])))).tolist() == [[255, 0]]


def test_what_is_transparent_is_laid_on_white_and_noted():
    """The mean of colour and white, weighted by opacity."""
    opacity = np.linspace(0, 255, 120).round().astype(np.uint8).reshape(12, 10)
    clear = Image.fromarray(np.dstack([COLOUR, opacity]))
    remarks = Remarks()
    pixels = np.asarray(decode_image(encoded(clear), "a.png", remarks))
    share = opacity[..., None] / 255
    assert np.abs(pixels - (share * COLOUR + (1 - share) * 255)).max() <= 1
    assert remarks.kinds == {LAID_ON_WHITE: 1} and remarks.first[LAID_ON_WHITE] == "a.png"
    grey = Image.fromarray(np.dstack([GREY, opacity]))
    assert np.abs(decoded(encoded(grey)) - (share * GREY[..., None] + (1 - share) * 255)[..., 0]).max() <= 1


@pytest.mark.parametrize("mode", ["L", "P", "RGB"])
def test_a_colour_that_a_file_declares_transparent_is_white_too(mode):
    """PNG can name one colour or one place of a palette as transparent, without a channel for it."""
    picture = Image.new("RGB", (2, 1), (0, 0, 0))
    picture.putpixel((1, 0), (90, 90, 90))
    picture = picture.quantize(2) if mode == "P" else picture.convert(mode)
    black = picture.getpixel((0, 0))
    assert decoded(encoded(picture, transparency=black)).reshape(2, -1)[:, 0].tolist() == [255, 90]


def test_an_opacity_that_hides_nothing_changes_nothing():
    remarks = Remarks()
    full = Image.fromarray(COLOUR).convert("RGBA")
    assert np.array_equal(np.asarray(decode_image(encoded(full), "a.png", remarks)), COLOUR)
    (line,) = remarks.lines(3)
    assert not remarks.kinds and states(line, "to RGB", "1 of mode RGBA", "1 images")


@pytest.mark.parametrize("format", ["GIF", "PNG", "TIFF", "WEBP", "MPO"])
def test_the_first_of_several_frames_is_taken_and_noted(format):
    """But for MPO, the photos of some telephones and cameras, whose further frames are previews."""
    frames = [Image.new("L", (4, 4), shade) for shade in (40, 200)]
    remarks = Remarks()
    options = {"lossless": True} if format == "WEBP" else {}
    data = encoded(frames[0], format, save_all=True, append_images=frames[1:], **options)
    assert np.unique(np.asarray(decode_image(data, "a.gif", remarks))).tolist() == [40]
    assert remarks.first == ({} if format == "MPO" else {FIRST_FRAME: "a.gif"})


def test_sixteen_bits_of_grey_become_eight_by_the_whole_range_and_are_noted():
    """Second road: Pillow alone, which cuts them off, so that all above 255, 99.6 % of the range, is white."""
    deep = GREY.astype(np.uint16) * 257
    data = encoded(Image.fromarray(deep))
    assert (np.asarray(Image.open(io.BytesIO(data)).convert("RGB")) == 255).mean() > 0.9
    remarks = Remarks()
    assert np.array_equal(np.asarray(decode_image(data, "scan.png", remarks)), GREY)
    assert remarks.first == {FROM_SIXTEEN: "scan.png"}
    converted, scaled = remarks.lines(1)
    assert states(converted, "to grey", "1 of mode I;16", "1 images")
    assert states(scaled, "1 of 1 images", "16 bits", "65535 becomes 255", "scan.png")
    every = np.arange(65536, dtype=np.uint16).reshape(256, 256)
    for format, order in (("PNG", "<u2"), ("TIFF", "<u2"), ("TIFF", ">u2")):
        pixels = decoded(encoded(Image.fromarray(every.astype(order)), format))
        assert np.array_equal(pixels, np.rint(every / 65535 * 255))
    pixels, said = decode_images([data, encoded(Image.fromarray(GREY))], number)
    assert pixels.shape == (2, 12, 10, 1) and np.array_equal(pixels[0], pixels[1]) and len(said) == 2


def test_twelve_bits_stored_in_sixteen_come_out_dark_with_a_notice():
    remarks = Remarks()
    pixels = np.asarray(decode_image(encoded(Image.fromarray(GREY.astype(np.uint16) * 16)), "x-ray.png", remarks))
    assert pixels.max() <= 16 and remarks.first == {ALMOST_BLACK: "x-ray.png"}
    assert states(remarks.lines(1)[1], "1 of 1 images", "16 bits", "above 4095", "almost black", "x-ray.png")


def test_a_grey_of_sixteen_bits_that_a_file_declares_transparent_is_white():
    remarks = Remarks()
    picture = Image.fromarray(np.array([[1000, 30_000]], dtype=np.uint16))
    data = encoded(picture, transparency=1000)
    assert np.asarray(decode_image(data, "a.png", remarks)).tolist() == [[255, 117]]
    assert remarks.first[LAID_ON_WHITE] == "a.png"


@pytest.mark.parametrize(("values", "mode"), [(GREY.astype(np.int32), "I"), ((GREY / 255).astype(np.float32), "F")])
def test_grey_without_a_known_range_is_refused_by_name(values, mode, tmp_path):
    data = encoded(Image.fromarray(values), "TIFF")
    with refuses("here", f"mode {mode}", "8 bits", "0..255"):
        decoded(data)
    (tmp_path / "deep.tiff").write_bytes(data)
    with refuses(tmp_path / "deep.tiff", f"mode {mode}", "8 bits", "0..255"):
        folder_items(tmp_path).get(range(1))  # `embed` comes through the same door


def test_damaged_files_are_refused_wherever_they_are_cut():
    for format in ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"):
        whole = encoded(Image.fromarray(COLOUR), format)
        for end in range(0, len(whole) - 64, 7):
            with refuses("here", "not a readable image"):
                decoded(whole[:end])


def test_changed_bytes_give_pixels_or_an_error_with_the_place(recwarn):
    rng = np.random.default_rng(1)
    for format in ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF"):
        whole = np.frombuffer(encoded(Image.fromarray(COLOUR[:6, :5]), format), np.uint8)
        for _ in range(60):
            changed = whole.copy()
            changed[rng.integers(0, min(whole.size, 120), 2)] = rng.integers(0, 256, 2)
            try:
                assert decoded(changed.tobytes()).dtype == np.uint8
            except ValueError as problem:
                assert str(problem).startswith("here: ")


def test_grey_images_have_one_channel_as_long_as_all_are_grey():
    grey, colour = encoded(Image.fromarray(GREY)), encoded(Image.fromarray(COLOUR))
    pixels, said = decode_images([grey, grey], number)
    assert pixels.shape == (2, 12, 10, 1) and np.array_equal(pixels[0, ..., 0], GREY) and not said
    pixels, said = decode_images([grey, colour, grey], number)
    (converted,) = said
    assert pixels.shape == (3, 12, 10, 3) and states(converted, "to RGB", "2 of mode L", "3 images")
    assert np.array_equal(pixels[1], COLOUR)
    assert np.array_equal(pixels[0], np.dstack([GREY] * 3)) and np.array_equal(pixels[2], pixels[0])


def test_conversions_are_counted_in_one_notice():
    modes = ["RGB", "P", "CMYK", "P", "1", "RGBA"]
    formats = {"CMYK": "TIFF"}
    data = [encoded(Image.fromarray(COLOUR).convert(mode), formats.get(mode, "PNG")) for mode in modes]
    pixels, said = decode_images(data, number)
    assert pixels.shape == (6, 12, 10, 3)
    (converted,) = said
    assert states(converted, "to RGB", "1 of mode 1", "1 of mode CMYK", "2 of mode P", "1 of mode RGBA", "6 images")


def test_images_of_several_sizes_are_refused_by_name_with_the_number_of_them():
    """A picture that lies on its side in the file counts as it stands upright."""
    exif = Image.Exif()
    exif[0x0112] = 6
    first = encoded(Image.fromarray(COLOUR))
    turned = encoded(Image.fromarray(np.rot90(COLOUR).copy()), exif=exif)
    small, smaller = (encoded(Image.fromarray(COLOUR[:n, :n])) for n in (9, 8))
    with refuses(
        "number 0 is 10 x 12",
        "number 2 is 9 x 9",
        "width x height",
        "2 of 5",
        how_scaled("crop"),
        ways={"size": 8, "fit": "pad"},
        error=SizesDifferError,
    ):
        decode_images([first, turned, small, smaller, first], number)


def test_a_size_brings_all_to_the_middle_square_and_leaves_those_of_that_size_alone():
    square = COLOUR[:10]
    data = [encoded(Image.fromarray(square)), encoded(Image.fromarray(COLOUR)), encoded(Image.fromarray(COLOUR[:4]))]
    pixels, said = decode_images(data, number, size=10)
    assert np.array_equal(pixels[0], square) and np.array_equal(pixels[1], COLOUR[1:11])
    (resized,) = said
    assert states(resized, "2 of 3 images", "10 x 10", how_scaled("crop"))


def test_progress_is_heard_to_the_end():
    heard = []
    decode_images([encoded(Image.fromarray(GREY))] * 250, number, progress=lambda done, n: heard.append((done, n)))
    assert heard == [(100, 250), (200, 250), (250, 250)]


class Many:
    """More images than any memory holds."""

    def __len__(self):
        return 10**12

    def __getitem__(self, row):
        return encoded(Image.fromarray(COLOUR))


def test_images_that_no_memory_holds_are_refused_before_they_are_read():
    with refuses("1,000,000,000,000 images", "10 x 12", "360,000 GB", ways={"size": 32}):
        decode_images(Many(), number)
