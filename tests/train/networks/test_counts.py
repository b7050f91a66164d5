"""Networks are as large as papers and other implementations say, and as the papers' tables add up to."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from dissensus.train.networks import NETWORKS
from dissensus.train.networks.catalogue import parameter_count


def parameters(name: str, **options: Any) -> int:
    with torch.device("meta"):
        return sum(weights.numel() for weights in NETWORKS[name](**options).parameters())


# For 10 classes and images of 3 channels.
PUBLISHED = [
    # kuangliu/pytorch-cifar, as counted by its users
    ("resnet18", {}, 11_173_962),
    ("resnet34a", {"shortcuts": "projection"}, 21_282_122),
    ("resnet50", {}, 23_520_842),
    ("resnet50", {"depth": 101}, 42_512_970),
    ("resnet50", {"depth": 152}, 58_156_618),
    ("vgg11", {}, 9_231_114),
    ("vgg15", {"depth": 13}, 9_416_010),
    ("vgg15", {"depth": 19}, 20_040_522),
    # hysts/pytorch_image_classification, as trained by Peterson et al. (2019)
    ("vgg15", {}, 14_728_266),
    ("wrn28_10", {}, 36_479_194),
    ("densenet_bc_100_12", {}, 769_162),
    ("shake_shake26_2x64", {}, 11_709_514),
    # osmr/imgclsmob, in the tests of its modules *_cifar.py
    ("resnet110", {"shortcuts": "projection"}, 1_730_714),
    ("resnet110", {"shortcuts": "projection", "depth": 20}, 272_474),
    ("resnet110", {"shortcuts": "projection", "depth": 164, "block": "bottleneck"}, 1_704_154),
    ("preact_resnet164", {}, 1_703_258),
    ("preact_resnet164", {"depth": 272}, 2_816_090),
    ("wrn28_10", {"depth": 16}, 17_116_634),
    ("wrn28_10", {"depth": 40, "width": 8}, 35_748_314),
    ("wrn28_10", {"classes": 100}, 36_536_884),
    ("resnext29_8x64", {"cardinality": 16}, 68_155_210),
    ("resnext29_8x64", {"cardinality": 32, "width": 4}, 4_775_754),
    ("densenet_bc_100_12", {"depth": 190, "width": 40}, 25_624_430),
    ("densenet_bc_100_12", {"depth": 250, "width": 24}, 15_324_406),
    ("pyramidnet110_270", {}, 28_485_477),
    ("pyramidnet110_270", {"alpha": 84}, 3_904_446),
    ("shake_shake26_2x64", {"width": 32, "stem": 16}, 2_923_162),
    ("shake_shake26_2x64", {"width": 16, "depth": 20}, 541_082),
]


@pytest.mark.parametrize(("name", "options", "published"), PUBLISHED)
def test_a_network_has_as_many_parameters_as_published(name, options, published):
    assert parameters(name, **options) == published


# In millions, as printed.
IN_PAPERS = [
    ("resnet110", 1.7),  # He et al. (2016), table 6
    ("preact_resnet164", 1.7),  # Zagoruyko, Komodakis (2016), table 5: pre-act-ResNet[13]-164
    ("wrn28_10", 36.5),  # Zagoruyko, Komodakis (2016), table 4
    ("resnext29_8x64", 34.4),  # Xie et al. (2017), table 7
    ("densenet_bc_100_12", 0.8),  # Huang et al. (2017), table 2
]


@pytest.mark.parametrize(("name", "millions"), IN_PAPERS)
def test_a_network_has_as_many_parameters_as_its_paper_says(name, millions):
    assert round(parameters(name) / 1e6, 1) == millions


def test_projections_are_all_that_the_other_basic_resnet_110_has_more():
    """He et al. (2016), sec. 4.2, use shortcuts without parameters (option A); hysts and imgclsmob project."""
    ours, theirs = parameters("resnet110"), parameters("resnet110", shortcuts="projection")
    assert (ours, theirs) == (1_727_962, 1_730_714)
    assert theirs - ours == (16 * 32 + 2 * 32) + (32 * 64 + 2 * 64)


def test_projections_are_all_that_the_usual_resnet_34_has_more():
    """Three shortcuts with growing channels, 64 to 512."""
    ours, usual = parameters("resnet34a"), parameters("resnet34a", shortcuts="projection")
    assert (ours, usual) == (21_108_298, 21_282_122)
    assert usual - ours == sum(c * 2 * c + 2 * 2 * c for c in (64, 128, 256))


def test_the_stem_is_all_that_differs_from_the_released_shake_shake():
    """16 channels in Gastaldi's released code; 64 in hysts' code of 2018, which Peterson et al. (2019) trained."""
    wide, released = parameters("shake_shake26_2x64"), parameters("shake_shake26_2x64", stem=16)
    assert (wide, released) == (11_709_514, 11_653_978)
    stem, branches, skip = 29 * (64 - 16), 2 * 9 * 64 * (64 - 16), 16 * 64 + 2 * 64
    assert wide - released == stem + branches - skip


def test_the_pyramid_is_larger_than_its_authors_print():
    """28.3M in the table of jhkim89/PyramidNet; osmr/imgclsmob and we have 28,485,477."""
    assert parameters("pyramidnet110_270") / 1e6 == pytest.approx(28.3, rel=0.01)


@pytest.mark.parametrize("width", [1, 16, 40])
@pytest.mark.parametrize("n", [1, 5, 18])
def test_thin_residual_networks_add_up_as_section_4_2_says(width, n):
    """6n + 2 layers: a stem, 2n convolutions of each of 3 sizes, a linear layer; no parameters in shortcuts."""
    one, two, four = width, 2 * width, 4 * width
    convolutions = 3 * one + 2 * n * (one * one + two * two + four * four)
    convolutions += (one * two - two * two) + (two * four - four * four)  # the first of a stage sees half the channels
    normalisations = 2 * (one + 2 * n * (one + two + four))
    assert parameters("resnet110", width=width, depth=6 * n + 2) == 9 * convolutions + normalisations + 10 * four + 10


@pytest.mark.parametrize("growth", [1, 12])
@pytest.mark.parametrize("layers", [1, 16])
def test_dense_networks_add_up_as_table_1_says(growth, layers):
    """A layer on c maps: BN of c, 1 x 1 to 4k, BN of 4k, 3 x 3 to k; a transition: BN of c, 1 x 1 to c/2."""
    maps, total = 2 * growth, 27 * 2 * growth
    for block in range(3):
        for _ in range(layers):
            total += 2 * maps + maps * 4 * growth + 2 * 4 * growth + 9 * 4 * growth * growth
            maps += growth
        if block < 2:
            total += 2 * maps + maps * (maps // 2)
            maps //= 2
    total += 2 * maps + 7 * maps + 7
    assert parameters("densenet_bc_100_12", classes=7, width=growth, depth=6 * layers + 4) == total


@pytest.mark.parametrize("k", [1, 3, 10])
@pytest.mark.parametrize("n", [1, 4])
def test_wide_networks_add_up_as_table_1_says(k, n):
    """Stages of n blocks with 16k, 32k, 64k channels; a block: BN, 3 x 3, BN, 3 x 3, and 1 x 1 where channels grow."""
    total, ins = 27 * 16, 16
    for outs in (16 * k, 32 * k, 64 * k):
        for _ in range(n):
            total += 2 * ins + 9 * ins * outs + 2 * outs + 9 * outs * outs + (ins * outs if ins != outs else 0)
            ins = outs
    assert parameters("wrn28_10", width=k, depth=6 * n + 4) == total + 2 * ins + 10 * ins + 10


@pytest.mark.parametrize(("first", "expected"), [(64, 1_703_258), (16, 1_619_290)])
def test_preactivation_networks_add_up_for_both_first_stages(first, expected):
    """64 channels in He's released code and here, 16 in hysts/pytorch_image_classification."""
    total, ins = 27 * 16, 16
    for outs in (first, 128, 256):
        for _ in range(18):
            inner = outs // 4
            total += 2 * ins + ins * inner + 2 * inner + 9 * inner * inner + 2 * inner + inner * outs
            total += ins * outs if ins != outs else 0
            ins = outs
    total += 2 * ins + 10 * ins + 10
    assert total == expected
    assert (parameters("preact_resnet164") == total) == (first == 64)


def test_counting_takes_neither_memory_nor_random_numbers():
    before = torch.random.get_rng_state()
    assert parameter_count("wrn28_10", 100) == 36_536_884
    assert parameter_count("vgg15", depth=19) == 20_040_522
    assert torch.equal(torch.random.get_rng_state(), before)
