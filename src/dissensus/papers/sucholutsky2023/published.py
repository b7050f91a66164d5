"""What the paper prints, and what it claims."""

from __future__ import annotations

from dissensus.papers.claims import Claim
from dissensus.papers.sucholutsky2023.sets import NAMES

NOTHING_PRINTED = "a figure without numbers"
EFFECTIVE_R = "0.734"
EFFECTIVE_P = 1e-15
SPARSE_ENTROPY, DENSE_ENTROPY = "0.69", "0.75"  # nats
SMOOTHING_LOW, SMOOTHING_HIGH = "0.05", "0.2"
SIMILARITY_JUDGMENTS = "49500"
SIMILARITY = {"subsets": 2, "images": 100, "of a pair": 5}
DENSE = {"judgments": 500_000, "people": 10, "sliders": 10}  # of an image, about
TYPICALITY = {"judgments": 350_000, "people": 1_759, "images each": 200, "of an image": 35}
# Table 1: cross-entropy from 80 and from 8 images a class; no spread is printed.
FEW = {
    "hard": ("1.80", "2.20"), "S+hard": ("1.68", "2.15"), "H": ("1.67", "2.15"), "S+dense": ("1.69", "2.12"),
    "LS low": ("1.73", "2.19"), "DS": ("1.70", "2.12"), "LS high": ("1.71", "2.13"), "T": ("2.10", "2.25"),
}  # fmt: skip
# Table 2.
PARAMETERS = {
    "vgg15": "14728266", "wrn28_10": "36479194", "densenet_bc_100_12": "769162", "shake_shake26_2x64": "11709514",
}  # fmt: skip
# Table 3: cross-entropy on CIFAR-10's training images, CIFAR-10.1 v4 and v6, CINIC-10, ImageNet-Far.
KEPT = {
    "2": ("0.46", "0.77", "0.76", "1.32", "1.57"), "3": ("0.48", "0.77", "0.76", "1.30", "1.51"),
    "4": ("0.49", "0.77", "0.77", "1.26", "1.47"), "10": ("0.76", "1.09", "1.08", "1.40", "1.60"),
}  # fmt: skip


def _theory() -> list[Claim]:
    return [
        Claim(key="total-queries", source="section 3", published="3 C(n + k, 3)",
              claim="There are three questions 'is a closer to b than to c?' for any three of n items and k centroids"),
        Claim(key="hard-constraints", source="section 3, hard labels", published="n (k - 1) + n² (1 - 1/k)",
              claim="So many of them are answered by hard labels that fall evenly on the classes"),
        Claim(key="soft-constraints", source="section 3, soft labels", published="k n (k + n - 2)/2",
              claim="So many of them are answered by soft labels"),
        Claim(key="ratio-is-unanswered", source="section 3, communication", published="IR = 1 - H / H_max",
              claim="The information ratio is what is missing to one from the share of questions left unanswered"),
        Claim(key="noisy-constraints", source="section 3, signal-to-noise ratio", published="(1 - ε) T",
              claim="If each answer is turned round with probability ε, a share 1 - ε of them stays right"),
        Claim(key="limits-many-shot", source="section 3; figure 1, analysis", published=NOTHING_PRINTED,
              claim="With many items for each class, the ratios of hard and soft labels fall off alike"),
        Claim(key="limits-one-shot", source="section 3; figure 1, analysis", published=NOTHING_PRINTED,
              claim="With an item for each class, the ratio of soft labels does not fall as classes are added"),
        Claim(key="limits-soft-ahead", source="section 3; figure 1, analysis", published=NOTHING_PRINTED,
              claim="With an item or less for each class, soft labels leave hard ones ever further behind"),
        Claim(key="phases-soft", source="section 3; figure 1, analysis", published="3",
              claim="The ratio of soft labels has so many phases of scaling"),
        Claim(key="phases-hard", source="section 3; figure 1, analysis", published="2",
              claim="The ratio of hard labels has so many phases of scaling"),
    ]  # fmt: skip


def _simulations() -> list[Claim]:
    said = {
        "soft-one-shot": "Soft labels, items and classes growing together: recovery does not degrade",
        "soft-many-shot": "Soft labels, items growing: recovery degrades",
        "soft-less-than-one-shot": "Soft labels, classes growing: recovery degrades",
        "hard-one-shot": "Hard labels, items and classes growing together: recovery degrades",
        "hard-many-shot": "Hard labels, items growing: recovery degrades",
        "hard-less-than-one-shot": "Hard labels, classes growing: recovery degrades",
    }
    simulated, traded = "section 4; figure 1, simulations", "section 5; figure 1, bottom"
    return [
        *(Claim(key=f"simulated-{key}", source=simulated, claim=claim, published=NOTHING_PRINTED)
          for key, claim in said.items()),
        Claim(key="simulated-ratio", source=simulated, published=NOTHING_PRINTED,
              claim="Labels with a higher information ratio recover similarities better"),
        Claim(key="simulated-soft-above-hard", source=simulated, published=NOTHING_PRINTED,
              claim="Soft labels recover similarities better than hard ones"),
        Claim(key="simulated-few-labels", source="section 4", published="no number",
              claim="Soft labels gain most where there are few labels and many classes"),
        Claim(key="preferred-where-small", source=traded, published=NOTHING_PRINTED,
              claim="With few classes or items, soft labels are about as good a choice or better whatever cost weighs"),
        Claim(key="preferred-where-cost-weighs", source=traded, published=NOTHING_PRINTED,
              claim="Where cost weighs much, hard labels become the choice as items and classes grow"),
        Claim(key="preferred-where-cost-is-light", source=traded, published=NOTHING_PRINTED,
              claim="Where cost weighs little, soft labels stay the choice as items and classes grow"),
        Claim(key="effective-r", source="section 6; figure 2", published=f"r = {EFFECTIVE_R}",
              claim="Effective dimensionality of soft labels goes with their information ratio"),
        Claim(key="effective-p", source="section 6; figure 2", published="p < 1e-15",
              claim="That correlation is not chance"),
        Claim(key="effective-below-k", source="section 6; figure 2", published=NOTHING_PRINTED,
              claim="Soft labels are worth far fewer principal components than they have classes"),
        Claim(key="sparse-above-top-class", source="section 6; figure 3", published=NOTHING_PRINTED,
              claim="Each item's largest classes tell more than the same classes for all items"),
        Claim(key="components-above-sparse", source="section 6; figure 3", published=NOTHING_PRINTED,
              claim="As many principal components tell more than sparse labels"),
        Claim(key="sparse-keeps-much", source="section 6; figure 3", published=NOTHING_PRINTED,
              claim="Sparse labels keep much of what soft labels tell beyond hard ones"),
        Claim(key="sparse-is-best", source="section 6; figure 6", published=NOTHING_PRINTED,
              claim="With the right number of classes, sparse labels often have a lower loss than hard and soft ones"),
    ]  # fmt: skip


def _labels() -> list[Claim]:
    there, gnmds = "section 7.1", "section 7.2; figure 4"
    return [
        Claim(key="votes", source=f"{there}, CIFAR-10H", published="500,000 hard labels, roughly 50 an image",
              claim="CIFAR-10H has so many votes"),
        Claim(key="sparse-judgments", source=f"{there}, CIFAR-10S", published="around 20,000 judgments on 1,000 images",
              claim="CIFAR-10S has so many judgments of likeliest classes and of wrong ones"),
        Claim(key="dense-judgments", source=f"{there}, CIFAR-10DS; D.1", published="over 500,000 judgments",
              claim="CIFAR-10DS has so many slider judgments"),
        Claim(key="all-judgments", source="abstract", published="over a million",
              claim="All kinds of label and the judgments of similarity together are so many annotations"),
        Claim(key="typicality-judgments", source=f"{there}, CIFAR-10T", claim="CIFAR-10T has so many ratings",
              published="over 350,000 by 1,759 people on 200 images each, about 35 an image"),
        Claim(key="similarity-judgments", source=f"{there}, similarity judgments; D.1",
              claim="All pairs within two sets of a hundred images, judged five times each, make so many judgments",
              published="49,500"),
        Claim(key="smoothing-low", source=f"{there}, CIFAR-10LS", published=f"ε ≈ {SMOOTHING_LOW}",
              claim="CIFAR-10H leaves so much mass to classes other than the likeliest"),
        Claim(key="smoothing-high", source=f"{there}, CIFAR-10LS", published=f"ε ≈ {SMOOTHING_HIGH}",
              claim="CIFAR-10DS leaves so much mass to classes other than the likeliest"),
        Claim(key="entropy-sparse", source="D.2", published=f"{SPARSE_ENTROPY} (nats)",
              claim="Labels of CIFAR-10S have this entropy on average"),
        Claim(key="entropy-dense-two", source="D.2", published=f"{DENSE_ENTROPY} (nats)",
              claim="The two largest classes of CIFAR-10DS have this entropy on average"),
        Claim(key="recovery-softer", source=gnmds, published=NOTHING_PRINTED,
              claim="Softer labels of people recover similarities better than hard ones"),
        Claim(key="recovery-smoothing", source=gnmds, published=NOTHING_PRINTED,
              claim="Smoothing hard labels does not improve recovery"),
        Claim(key="recovery-sweet-spot", source=gnmds, published=NOTHING_PRINTED,
              claim="Beyond some softness, recovery falls again"),
        Claim(key="error-rates-vary", source="section 7.2", published="no number",
              claim="Error rates differ between kinds of label"),
        Claim(key="error-rate-linear", source=gnmds, published=NOTHING_PRINTED,
              claim="Recovery falls linearly with the error rate"),
    ]  # fmt: skip


def _models() -> list[Claim]:
    crossed, moved = "section 7.2; figure 5, top", "section 7.3; figure 5, bottom"
    return [
        *(Claim(key=f"table-2-{name}", source=f"table 2, {shown}", claim=f"{shown} has so many parameters",
                published=f"{int(PARAMETERS[name]):,}")
          for name, shown in (("vgg15", "VGG"), ("wrn28_10", "WRN"), ("densenet_bc_100_12", "DenseNet"),
                              ("shake_shake26_2x64", "Shake-Shake"))),
        Claim(key="crossed-u", source=crossed, published=NOTHING_PRINTED,
              claim="On nearly every kind of label, cross-entropy is lowest after training on middling soft labels"),
        Claim(key="crossed-dense", source=crossed, published=NOTHING_PRINTED,
              claim="CIFAR-10DS is the exception: there, training on softer labels is better"),
        Claim(key="crossed-best", source=crossed, published=NOTHING_PRINTED,
              claim="Sparse or averaged labels of people (CIFAR-10S, CIFAR-10H) do best over all kinds of label"),
        Claim(key="crossed-networks", source=crossed, published=NOTHING_PRINTED,
              claim="The same holds for each architecture"),
        Claim(key="crossed-shake-shake", source=crossed, published=NOTHING_PRINTED,
              claim="Shake-Shake does best on all kinds of label"),
        Claim(key="shift-near", source=f"{moved}, CIFAR-10 50K", published=NOTHING_PRINTED,
              claim="On CIFAR-10's training images, labels of middling softness do best"),
        Claim(key="shift-10.1", source=f"{moved}, CIFAR-10.1 v4 and v6", published=NOTHING_PRINTED,
              claim="On CIFAR-10.1, labels of middling softness do best"),
        Claim(key="shift-far", source=f"{moved}, ImageNet-Far", published=NOTHING_PRINTED,
              claim="On ImageNet, soft labels of people do better than hard ones"),
        Claim(key="shift-cinic", source=f"{moved}, CINIC-10", published=NOTHING_PRINTED,
              claim="On CINIC-10, soft labels of people do better than hard ones"),
        Claim(key="shifted-sets", source="E.2", claim="The shifted sets have so many images",
              published="50,000 of CIFAR-10, 2,000 of CIFAR-10.1 v4 and of v6, 210,000 of CINIC-10, 63,895 of "
              "ImageNet-Far"),
        Claim(key="shift-grows", source="section 7.3", published=NOTHING_PRINTED,
              claim="The further the shift, the more soft labels gain over hard ones"),
        Claim(key="shift-dense", source="section 7.3", published=NOTHING_PRINTED,
              claim="Dense labels catch up as the shift grows"),
        Claim(key="figure-7", source="appendix C; figure 7", published="histograms without numbers",
              claim="Models trained on CIFAR-10S are as unsure as their labels, more than with other labels"),
        Claim(key="figure-8", source="D.3; figure 8", published=NOTHING_PRINTED,
              claim="Similarity in the last layer of networks goes with people's judgments of similarity"),
        Claim(key="figure-10", source="E.3; figure 10", published=NOTHING_PRINTED,
              claim="Labels that recover similarities better make models with a lower cross-entropy"),
        Claim(key="table-3-near", source="E.5; table 3, k̂ = 2 to 4, near sets",
              published="0.46, 0.48, 0.49 on training images; 0.76 to 0.77 on CIFAR-10.1",
              claim="Numbers for three or four classes add nothing to two on near images"),
        Claim(key="table-3-far", source="E.5; table 3, k̂ = 2 to 4, far sets",
              published="1.32, 1.30, 1.26 on CINIC-10; 1.57, 1.51, 1.47 on ImageNet-Far",
              claim="On far images, numbers for more classes help"),
        Claim(key="table-3-all", source="E.5; table 3, k̂ = 10",
              published="0.76 on training images, 1.60 on ImageNet-Far",
              claim="Dense labels over all ten classes do worse than their two largest classes, on every set"),
    ]  # fmt: skip


def _few() -> list[Claim]:
    claims = []
    for place, count in enumerate((80, 8)):
        for kind in (kind for kind in FEW if kind != "hard"):
            theirs, hard = FEW[kind][place], FEW["hard"][place]
            better = float(theirs) < float(hard)
            claims.append(Claim(
                key=f"table-1-{kind.replace(' ', '-')}-{count}", source=f"table 1, {NAMES[kind]}, {count} a class",
                claim=f"From {count} images a class, {NAMES[kind]} labels have a {'lower' if better else 'higher'} "
                "cross-entropy than hard ones",
                published=f"{theirs} against {hard}; no spread is printed",
            ))  # fmt: skip
        best = min(FEW, key=lambda kind: float(FEW[kind][place]))
        claims.append(Claim(
            key=f"small-data-u-{count}", source=f"section 7.4; table 1, {count} a class",
            claim=f"From {count} images a class, too, labels of middling softness do best",
            published=f"lowest {FEW[best][place]} of {NAMES[best]}; hard {FEW['hard'][place]}, the softest "
            f"{FEW['T'][place]}",
        ))  # fmt: skip
    return claims


def _guidance() -> list[Claim]:
    return [
        Claim(key="guidance-pilot", source="appendix A", published="a guidance",
              claim="Costs and error rates of a small pilot lead to a better choice of labels than estimates alone"),
        Claim(key="guidance-rule", source="appendix A", published="a rule of thumb",
              claim="Softer labels are the better choice with few items, harder ones with many"),
    ]  # fmt: skip


CLAIMS = (*_theory(), *_simulations(), *_labels(), *_models(), *_few(), *_guidance())
