"""What the paper prints, and what it claims."""

from __future__ import annotations

from dissensus.papers.claims import Claim
from dissensus.papers.peterson2019.sizes import ARCHITECTURES

# Table 1: cross-entropy to held-out human labels, to held-out classes, on CIFAR-10.1 v4 and v6. No ± is given.
COLUMNS = ("c10H", "c10", "v4", "v6")
ROWS = {
    "pretrained": "trained on CIFAR-10", "control": "tuned on classes", "mixup": "tuned on classes with mixup",
    "category": "tuned on class means of human labels", "soft": "tuned on human labels",
    "sampled": "tuned on sampled human labels",
}  # fmt: skip
TABLE_1: dict[str, dict[str, tuple[float, float, float, float]]] = {
    "ResNet": {
        "pretrained": (0.82, 0.25, 0.84, 0.82), "control": (0.57, 0.19, 0.60, 0.58), "mixup": (0.36, 0.18, 0.48, 0.46),
        "category": (0.42, 0.21, 0.53, 0.51), "soft": (0.35, 0.19, 0.50, 0.49), "sampled": (0.35, 0.19, 0.48, 0.46),
    },
    "ResNet preact": {
        "pretrained": (0.75, 0.20, 0.69, 0.66), "control": (0.65, 0.19, 0.61, 0.59), "mixup": (0.40, 0.18, 0.45, 0.43),
        "category": (0.44, 0.23, 0.47, 0.46), "soft": (0.35, 0.21, 0.49, 0.48), "sampled": (0.34, 0.19, 0.42, 0.41),
    },
    "VGG": {
        "pretrained": (0.71, 0.26, 0.79, 0.76), "control": (0.54, 0.20, 0.62, 0.59), "mixup": (0.47, 0.20, 0.56, 0.53),
        "category": (0.42, 0.22, 0.51, 0.49), "soft": (0.34, 0.21, 0.49, 0.48), "sampled": (0.35, 0.21, 0.49, 0.47),
    },
    "DenseNet": {
        "pretrained": (0.61, 0.15, 0.54, 0.54), "control": (0.59, 0.14, 0.51, 0.50), "mixup": (0.36, 0.13, 0.43, 0.42),
        "category": (0.39, 0.18, 0.42, 0.42), "soft": (0.32, 0.17, 0.40, 0.40), "sampled": (0.31, 0.16, 0.40, 0.39),
    },
    "PyramidNet": {
        "pretrained": (0.54, 0.12, 0.42, 0.42), "control": (0.51, 0.11, 0.38, 0.38), "mixup": (0.49, 0.11, 0.40, 0.40),
        "category": (0.36, 0.14, 0.32, 0.32), "soft": (0.28, 0.13, 0.35, 0.34), "sampled": (0.28, 0.12, 0.32, 0.32),
    },
    "ResNext": {
        "pretrained": (0.47, 0.10, 0.37, 0.36), "control": (0.46, 0.10, 0.35, 0.34), "mixup": (0.47, 0.10, 0.37, 0.36),
        "category": (0.37, 0.17, 0.37, 0.36), "soft": (0.29, 0.13, 0.34, 0.33), "sampled": (0.28, 0.13, 0.34, 0.33),
    },
    "Wide ResNet": {
        "pretrained": (0.46, 0.14, 0.40, 0.39), "control": (0.42, 0.12, 0.37, 0.36), "mixup": (0.40, 0.12, 0.37, 0.36),
        "category": (0.36, 0.15, 0.33, 0.33), "soft": (0.27, 0.13, 0.32, 0.31), "sampled": (0.28, 0.13, 0.31, 0.30),
    },
    "Shake-Shake": {
        "pretrained": (0.60, 0.09, 0.34, 0.33), "control": (0.51, 0.07, 0.28, 0.27), "mixup": (0.63, 0.08, 0.34, 0.33),
        "category": (0.33, 0.12, 0.28, 0.28), "soft": (0.26, 0.10, 0.27, 0.26), "sampled": (0.27, 0.10, 0.27, 0.27),
    },
}  # fmt: skip
ENSEMBLE = 0.41  # cross-entropy to human labels of the eight pretrained networks together, section 6.3
# Table 2: accuracy in % after FGSM of 4 of 255 when tuned on classes and on human labels, then cross-entropy.
TABLE_2 = {
    "VGG": (7, 8, 7.9, 4.1), "DenseNet": (17, 19, 6.9, 3.0), "PyramidNet": (22, 19, 5.7, 2.8),
    "ResNet": (15, 23, 6.1, 3.1), "ResNext": (25, 24, 4.2, 2.7), "Wide ResNet": (24, 35, 4.1, 2.2),
    "ResNet preact": (17, 29, 6.3, 2.6), "Shake-Shake": (39, 39, 4.0, 2.1),
}  # fmt: skip
# Section 5.2, means over networks: hard, soft.
ACCURACY = {"cifar10": (83.5, 84.5), "far": (49.4, 51.4)}
CROSS_ENTROPY = {"cifar10": (0.7, 0.5), "far": (2.9, 1.8)}
SETS = {
    "cifar10": "CIFAR-10's training images", "v6": "CIFAR-10.1 v6", "v4": "CIFAR-10.1 v4", "imagenet": "CINIC-10",
    "far": "ImageNet-Far",
}  # fmt: skip
NO_SPREAD = "no ± is given"


def _labels() -> list[Claim]:
    return [
        Claim(key="section-4-judgments", source="section 4; abstract", published="511,400",
              claim="CIFAR-10H has 511,400 answers of people"),
        Claim(key="section-4-images", source="section 4.1", published="10,000 images, 1,000 of each of 10 classes",
              claim="It covers all test images of CIFAR-10, as many of each class"),
        Claim(key="section-4-per-image", source="section 4.2", published="51 on average, 47 to 63",
              claim="Each image has about 51 answers"),
        Claim(key="section-4-people", source="section 4.2", published="2,571 people, 14 of them removed",
              claim="2,571 people took part, and few failed the attention checks"),
        Claim(key="section-4-each", source="section 4.2", published="200 images, 20 of each class",
              claim="Everybody saw as many images of each class"),
        Claim(key="section-4-time", source="section 4.2", published="15 minutes, $1.50",
              claim="Taking part took a quarter of an hour"),
        Claim(key="section-8-bulk", source="section 8", published="approximately 30% of the images",
              claim="Most of the uncertainty of people lies in 30% of the images"),
    ]  # fmt: skip


def _generalisation() -> list[Claim]:
    claims = []
    for name, shown in SETS.items():
        said = {"accuracy": "higher, a figure", "cross_entropy": "lower, a figure"}
        if name in ACCURACY:
            said = {"accuracy": "hard {:.1f}%, soft {:.1f}%".format(*ACCURACY[name]),
                    "cross_entropy": "hard {:.1f}, soft {:.1f}".format(*CROSS_ENTROPY[name])}  # fmt: skip
        claims += [
            Claim(key=f"figure-2-{name}-accuracy", source=f"figure 2 left, {shown}; section 5.2",
                  claim=f"Networks that learn human labels are more accurate on {shown}",
                  published=f"{said['accuracy']}; mean over 8 networks, {NO_SPREAD}"),
            Claim(key=f"figure-2-{name}-cross_entropy", source=f"figure 2 centre, {shown}; section 5.2",
                  claim=f"Networks that learn human labels have a lower cross-entropy on {shown}",
                  published=f"{said['cross_entropy']}; mean over 8 networks, {NO_SPREAD}"),
        ]  # fmt: skip
    for score, shown, sign in (("accuracy", "accuracy", "higher"), ("cross_entropy", "cross-entropy", "lower")):
        claims.append(Claim(
            key=f"figure-2-every-{score}", source="figure 2, caption",
            claim=f"The {shown} is better with human labels for every network and every set",
            published=f"{sign} in 40 of 40",
        ))  # fmt: skip
    return [
        *claims,
        Claim(key="section-5-folds", source="section 5.2", published="in every fold of every network (not shown)",
              claim="The gain in accuracy is there in every fold"),
        Claim(key="section-5-shift-accuracy", source="section 5.2", published="+1.0 points on CIFAR-10, +2.0 on "
              f"ImageNet-Far, {NO_SPREAD}", claim="The gain in accuracy grows with the distance from the images "
              "learned"),
        Claim(key="section-5-shift-cross_entropy", source="section 5.2", published="-29% on CIFAR-10, -38% on "
              f"ImageNet-Far, {NO_SPREAD}", claim="The gain in cross-entropy grows with the distance from the images "
              "learned"),
        Claim(key="section-5-rate", source="section 5.1", published="0.1 in all cases",
              claim="Of the learning rates 0.2, 0.1, 0.01 and 0.001, 0.1 is best"),
        Claim(key="figure-2-second-best", source="figure 2 right; section 5.2",
              published=f"+5% on average, {NO_SPREAD}",
              claim="With human labels, the second choice of a network is more often that of people"),
        Claim(key="figure-2-second-best-every", source="figure 2 right", published="in 8 of 8, a figure",
              claim="The second choice is better for every network"),
        Claim(key="figure-3-wrong", source="figure 3A", published="far less, a figure",
              claim="With human labels, networks are less confident when they are wrong"),
        Claim(key="figure-3-right", source="figure 3A", published="only slightly less, a figure",
              claim="Confidence falls less where they are right than where they are wrong"),
        Claim(key="figure-3-people", source="figure 3B", published="a figure of some images",
              claim="Where all choose the same class, networks with human labels spread the rest more like people"),
        Claim(key="section-5-fit", source="section 5.2", published="a better fit, no number",
              claim="Over all images held out, networks with human labels are closer to people"),
    ]  # fmt: skip


def _table_1() -> list[Claim]:
    claims = []
    for name in ARCHITECTURES:
        rows = TABLE_1[name]
        numbers = ", ".join(f"{row} {rows[row][0]:.2f}" for row in ROWS)
        claims.append(Claim(
            key=f"table-1-{slug(name)}", source=f"table 1, {name}, c10H",
            claim=f"{name}: fine-tuning on human labels, whole or sampled, comes closest to people",
            published=f"cross-entropy to people: {numbers}; mean over 10 folds, {NO_SPREAD}",
        ))  # fmt: skip
    pretrained = ", ".join(f"{TABLE_1[name]['pretrained'][0]:.2f}" for name in ARCHITECTURES)
    return [
        *claims,
        Claim(key="table-1-control", source="table 1, rows 1 and 2, c10H",
              claim="Fine-tuning on classes alone brings every network closer to people, as it sees more images",
              published="lower in 8 of 8"),
        Claim(key="table-1-tuning", source="table 1, c10H; section 6.3",
              claim="Every way of fine-tuning brings every network closer to people than it was before",
              published="lower in 38 of 40 cells of the table, not for ResNext and Shake-Shake with mixup; the text "
              "says so of all"),
        Claim(key="table-1-classes", source="table 1, c10",
              claim="Judged by the classes, fine-tuning on classes, alone or with mixup, has the lowest cross-entropy",
              published="lowest or tied for it in 8 of 8; human labels 0.00 to 0.03 above classes alone"),
        Claim(key="table-1-pretrained", source="table 1, row 1; section 6.3",
              claim="Before fine-tuning, every network fits the classes better than people",
              published="c10 below c10H in 8 of 8"),
        Claim(key="table-1-category", source="table 1, row 4, c10H; section 6.3",
              claim="Class means of human labels help, but less than labels of each image",
              published="between the control and human labels in 8 of 8"),
        Claim(key="table-1-mixup", source="table 1, row 3, c10H; section 6.3",
              claim="mixup comes closer to people than classes alone",
              published="lower in 6 of 8 rows of the table; the text says so of all"),
        Claim(key="table-1-mixup-human", source="table 1, row 3, c10H; section 6.3",
              claim="mixup stays behind every use of human labels",
              published="behind whole and sampled labels in 8 of 8, behind class means in 5 of 8 rows of the table; "
              "the text says so of all"),
        Claim(key="table-1-sampled", source="table 1, rows 5 and 6, c10H",
              claim="Sampling a label anew in each epoch does as well as the whole distribution",
              published="0.01 apart at most"),
        Claim(key="table-1-v4", source="table 1, v4", published="lowest or tied for it with whole or sampled labels in "
              "8 of 8", claim="Human labels give the lowest cross-entropy on CIFAR-10.1 v4"),
        Claim(key="table-1-v6", source="table 1, v6", published="lowest or tied for it with whole or sampled labels in "
              "8 of 8", claim="Human labels give the lowest cross-entropy on CIFAR-10.1 v6"),
        Claim(key="section-6-ensemble", source="section 6.3",
              claim="All eight pretrained networks together are closer to people than any of them",
              published=f"{ENSEMBLE:.2f} against {pretrained}"),
        Claim(key="section-6-no-substitute", source="section 6.3; table 1",
              claim="The eight together are further from people than each network fine-tuned on human labels",
              published=f"{ENSEMBLE:.2f} against 0.26 to 0.35"),
        Claim(key="section-6-recency", source="section 6.3",
              claim="Newer networks are not closer to people: Shake-Shake is not among the three closest",
              published=f"fourth of 8 before fine-tuning: {pretrained}"),
        Claim(key="section-6-accuracy", source="section 6.3", published="no loss (not shown)",
              claim="Fine-tuning on human labels costs no accuracy"),
    ]  # fmt: skip


def _attacks() -> list[Claim]:
    claims = []
    for name in ARCHITECTURES:
        before, after = TABLE_2[name][2:]
        claims.append(Claim(
            key=f"table-2-{slug(name)}", source=f"table 2, {name}, cross-entropy",
            claim=f"{name}: after FGSM the cross-entropy is lower with human labels",
            published=f"hard {before}, soft {after}; 10,000 images, epsilon 4, {NO_SPREAD}",
        ))  # fmt: skip
    return [
        *claims,
        Claim(key="table-2-half", source="section 7", published="roughly half; 0.41 to 0.64 of it in table 2",
              claim="Human labels halve the cross-entropy after FGSM"),
        Claim(key="table-2-accuracy", source="table 2, accuracy; section 7", published="higher in 5 of 8, lower in 2",
              claim="For most networks, accuracy after FGSM is higher with human labels"),
        Claim(key="table-2-largest", source="section 7", published="Wide ResNet 24 to 35%, ResNet preact 17 to 29%",
              claim="The two networks whose accuracy after FGSM differs most are more accurate with human labels"),
        Claim(key="section-7-epsilon", source="section 7", published="no significant differences from 4 to 8",
              claim="Attacks of 4 to 8 of 255 say the same about human labels"),
        Claim(key="figure-4-slower", source="figure 4", published="a figure",
              claim="Along the steps of PGD, cross-entropy rises more slowly with human labels"),
        Claim(key="figure-4-levels-off", source="figure 4; section 7", published="levels off quickly, a figure",
              claim="With human labels it levels off, while it goes on rising without"),
        Claim(key="section-7-pgd-accuracy", source="section 7", published="0% with classes, 1% with human labels",
              claim="PGD drives the accuracy of every network to about nothing, whatever it was tuned on"),
    ]  # fmt: skip


def slug(name: str) -> str:
    return name.lower().replace(" ", "-")


CLAIMS = (*_labels(), *_generalisation(), *_table_1(), *_attacks())
