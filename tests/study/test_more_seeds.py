"""More seeds are one edit of one value; comments and everything else in the file stay."""

import pytest

from dissensus.study import read_study
from dissensus.study.more_seeds import add_seeds

REST = """
[data.d]
labels = "digits"
features = "pixels"
[model]
head = "mlp"  # seeds = 9
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("seeds = 3  # a few\n", "seeds = 5  # a few\n"),
        ("# seeds = 1\nseeds=3\n", "# seeds = 1\nseeds=5\n"),
        ("seeds = [0, 1, 2]\n", "seeds = [0, 1, 2, 3, 4]\n"),
        ("seeds = [2, 0, 1,]  # [9]\n", "seeds = [2, 0, 1, 3, 4,]  # [9]\n"),
        (
            "seeds = [\n  0,  # 7 ]\n  1,\n  2  # the last\n]\n",
            "seeds = [\n  0,  # 7 ]\n  1,\n  2, 3, 4  # the last\n]\n",
        ),
        ('"seeds" = 3\n', '"seeds" = 5\n'),
        ('name = "x"\n', 'name = "x"\n\nseeds = 7\n'),
    ],
)
def test_the_value_is_edited_and_nothing_else(tmp_path, before, after):
    file = tmp_path / "study.toml"
    file.write_text(before + REST)
    had = read_study(file).seeds
    added = add_seeds(file, 2)
    assert added == (max(had) + 1, max(had) + 2)
    assert read_study(file).seeds == had + added
    assert file.read_text().replace("\n\n", "\n") == (after + REST).replace("\n\n", "\n")


@pytest.mark.parametrize("odd", ["seeds = 0x3", "seeds = [0, 4294967295]"])
def test_what_cannot_be_edited_is_left_alone(tmp_path, odd):
    file = tmp_path / "study.toml"
    file.write_text(odd + "\n" + REST)
    with pytest.raises(ValueError, match=r"study\.toml"):
        add_seeds(file, 1)
    assert file.read_text() == odd + "\n" + REST


def test_a_file_with_the_ends_of_lines_of_windows_keeps_them(tmp_path):
    text = 'seeds = 2\r\n[data]\r\nlabels = "digits"\r\nfeatures = "pixels"\r\n[model]\r\nhead = "linear"\r\n'
    (tmp_path / "s.toml").write_bytes(text.encode())
    add_seeds(tmp_path / "s.toml", 1)
    assert (tmp_path / "s.toml").read_bytes() == text.replace("seeds = 2", "seeds = 3").encode()
