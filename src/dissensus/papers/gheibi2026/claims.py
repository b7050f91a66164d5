"""Everything that the paper claims, in our words."""

from __future__ import annotations

from dissensus.papers.claims import Claim
from dissensus.papers.gheibi2026 import published as p

TEN = f"± is the standard deviation over {p.MAIN_SEEDS} seeds"
FIVE = f"± is the standard deviation over {p.FEW_SEEDS} seeds"


def _sweep() -> list[Claim]:
    """Table 1 and figures 1, 2, 4, 5 and 6: few votes."""
    claims = []
    for method, name in p.HARD.items():
        for place, k in enumerate(p.KS):
            claims.append(Claim(
                key=f"table-1-{method}-{k}", source=f"table 1, {name}, K = {k}",
                claim=f"With {k} votes for each image, {name} has a lower soft NLL than soft labels",
                published=f"soft labels {p.SWEEP['soft'][place]:.4f}, {name} {p.SWEEP[method][place]:.4f} (means over "
                f"{p.FEW_SEEDS} seeds), one-sided Wilcoxon p = {p.SWEEP_P[method][place]}",
            ))  # fmt: skip
    diagnostic = "a figure without numbers"
    return [
        *claims,
        Claim(key="table-1-all", source="table 1, figure 1, section 5.1", published="12 of 12",
              claim="All three hard deliveries have a lower soft NLL than soft labels at all four K"),
        Claim(key="table-1-agreeing", source="table 1, section 5.1", published=f"{p.AGREEING} of 12",
              claim="In most cells of method and K, all five seeds agree that hard delivery is better"),
        Claim(key="table-1-least-p", source="section 5.1",
              published=f"least p {p.LEAST_P}; no cell survives Holm's correction over 12",
              claim="With five seeds, Wilcoxon's one-sided p cannot be lower, so none survives a correction over 12"),
        Claim(key="table-1-strongest", source="section 5.1",
              published="said of K = 5 and 10; by the means of table 1 the gain is 0.031 there and 0.032 at 25 and 50",
              claim="The gain of hard delivery is larger at 5 and 10 votes than at 25 and 50"),
        Claim(key="figure-1-accuracy", source="figure 1, section 5.1", published=diagnostic,
              claim="Over the sweep, accuracy is about the same with hard and soft delivery"),
        Claim(key="figure-1-entropy", source="figure 1, section 5.1", published=diagnostic,
              claim="Hard delivery makes the correlation of entropies higher, at 25 and 50 votes"),
        Claim(key="figure-2-correlation", source="figure 2, section 5.1",
              published="per-seed Spearman about 0.05 to 0.16",
              claim="Hard delivery gains more on items whose few votes are farther from all votes, by Jensen-Shannon"),
        Claim(key="figure-2-bins", source="figure 2", published=diagnostic,
              claim="The gain is near zero where few votes are close to all votes, and larger in bins of larger error"),
        Claim(key="figure-5", source="figure 5", published=diagnostic,
              claim="The same holds with L1 distance in place of Jensen-Shannon"),
        Claim(key="figure-6", source="figure 6", published=diagnostic,
              claim="The same holds among the images that people disagree about most, with more noise"),
        *(Claim(key=f"figure-4-{every}", source=f"figure 4, section 5.1, every {every} epochs",
                published=f"{p.HELD[1]:.4f} when drawn in every epoch, {p.HELD[every]:.4f} (means of {p.FEW_SEEDS} "
                "seeds); worse in all five seeds",
                claim=f"Labels that are drawn only every {every} epochs give a higher soft NLL than drawn in each")
          for every in (5, 10, 50)),
        Claim(key="figure-4-order", source="figure 4",
              published=", ".join(f"every {every}: {value:.4f}" for every, value in p.HELD.items()),
              claim="The longer drawn labels are held, the higher the soft NLL"),
    ]  # fmt: skip


def _main() -> list[Claim]:
    """Tables 2 and 5, figures 3, 8 and 10: all votes."""
    claims = []
    for metric in p.METRICS:
        place, name = p.METRICS.index(metric), p.METRIC_NAMES[metric]
        table = "table 2" if metric in p.MAIN_P else "table 5"
        test = f", Wilcoxon p = {p.MAIN_P[metric]}" if metric in p.MAIN_P else ""
        claims.append(Claim(
            key=f"table-2-{metric}", source=f"{table}, SLS and soft labels, {name}",
            claim=f"With all votes, SLS and soft labels have the same {name}",
            published=f"SLS {p.MAIN['sls'][place]}, soft labels {p.MAIN['soft'][place]}; {TEN}{test}",
        ))  # fmt: skip
    for metric in ("soft_nll", "ece_equal_mass", "entropy_spearman", "kl", "brier"):
        place, name = p.METRICS.index(metric), p.METRIC_NAMES[metric]
        better = "higher" if metric == "entropy_spearman" else "lower"
        claims.append(Claim(
            key=f"table-2-others-{metric}", source=f"table {2 if metric in p.MAIN_P else 5}, {name}",
            claim=f"SLS and soft labels have a {better} {name} than majority vote and label smoothing",
            published=", ".join(f"{p.NAMES[arm]} {p.MAIN[arm][place]}" for arm in
                                ("sls", "soft", "majority", p.SMOOTHING)) + f"; {TEN}",
        ))  # fmt: skip
    shown = {metric: [p.MAIN[arm][p.METRICS.index(metric)] for arm in (p.MIXUP, "soft")] for metric in p.METRICS}
    return [
        *claims,
        Claim(key="table-2-mixup-accuracy", source="table 2, mixup", claim="Mixup is the most accurate",
              published=", ".join(f"{p.NAMES[arm]} {row[p.METRICS.index('accuracy')]}" for arm, row in p.MAIN.items())
              + f"; {TEN}"),
        Claim(key="table-2-mixup-calibration", source="table 2, mixup",
              claim="Mixup is calibrated worse than soft labels, and unsure in other places than people",
              published=f"ECE {shown['ece_equal_mass'][0]} against {shown['ece_equal_mass'][1]}, correlation of "
              f"entropies {shown['entropy_spearman'][0]} against {shown['entropy_spearman'][1]}; {TEN}"),
        Claim(key="table-5-mixup", source="table 5, mixup", claim="Mixup has a lower Brier score than soft labels",
              published=f"mixup {shown['brier'][0]}, soft labels {shown['brier'][1]}; {TEN}"),
        Claim(key="figure-3-match", source="figure 3, section 5.2", published="0.019 for both",
              claim="The smooth ECE of SLS and of soft labels is the same"),
        Claim(key="figure-3-majority", source="figure 3, section 5.2",
              published="0.082 for majority vote, 0.019 for both",
              claim="Majority vote has a larger smooth ECE than soft labels"),
        Claim(key="figure-8-near", source="figure 8", published=f"{p.SOONER['near']} epochs of 200 sooner",
              claim="SLS comes within 5% of its best soft NLL sooner than soft labels"),
        Claim(key="figure-8-best", source="figure 8", published=f"{p.SOONER['best']} epochs of 200 sooner",
              claim="SLS reaches its best epoch sooner than soft labels"),
        Claim(key="figure-10-reliability", source="figure 10", published="a figure without numbers",
              claim="In the decomposition of the Brier score, SLS and soft labels are equally reliable"),
        Claim(key="figure-10-resolution", source="figure 10", published="a figure without numbers",
              claim="In the decomposition of the Brier score, SLS has a slightly higher resolution"),
    ]  # fmt: skip


def _family() -> list[Claim]:
    """Table 3: hard deliveries beside each other."""
    claims = []
    for method in ("multipass", "deterministic_control"):
        name, row = p.NAMES[method], p.FAMILY[method]
        claims += [
            Claim(key=f"table-3-{method}-sls", source=f"table 3, {name}, soft NLL",
                  claim=f"With all votes, {name} and SLS have the same soft NLL",
                  published=f"{name} {row[0]}, SLS {p.FAMILY['sls'][0]}; {FIVE}"
                  + (", Wilcoxon p = 0.4375" if method == "multipass" else "")),
            Claim(key=f"table-3-{method}-soft", source=f"table 3, {name}, soft NLL",
                  claim=f"With all votes, {name} matches soft labels in soft NLL",
                  published=f"{name} {row[0]} over 5 seeds, soft labels {p.MAIN['soft'][0]} over 10"),
            Claim(key=f"table-3-{method}-others", source=f"table 3, {name}, accuracy, ECE and correlation of entropies",
                  claim=f"{name[0].upper()}{name[1:]} and SLS have the same accuracy, ECE and correlation of entropies",
                  published=f"{name} {', '.join(row[1:])}; SLS {', '.join(p.FAMILY['sls'][1:])}; {FIVE}; "
                  + ("p >= 0.625" if method == "multipass" else "the same pattern is said, without p")),
        ]  # fmt: skip
    row = p.FAMILY[p.SHUFFLED]
    return [
        *claims,
        Claim(key="table-3-shuffled-nll", source="table 3, shuffled SLS, soft NLL",
              claim="Labels drawn from distributions of other images ruin the soft NLL",
              published=f"{row[0]} against {p.FAMILY['sls'][0]}; {FIVE}"),
        Claim(key="table-3-shuffled-accuracy", source="table 3, shuffled SLS, accuracy",
              claim="Labels drawn from distributions of other images leave accuracy near chance, a tenth",
              published=f"{row[1]}; {FIVE}"),
        Claim(key="table-3-shuffled-entropy", source="table 3, shuffled SLS, correlation of entropies",
              claim="A model that learned from distributions of other images is not unsure where people disagree",
              published=f"{row[3]}; {FIVE}"),
        Claim(key="table-3-least-p", source="section 5.2",
              published=f"least two-sided p {p.TWO_SIDED_P} with five seeds",
              claim="Shuffled SLS is worse than SLS by the least p that five seeds can give"),
    ]  # fmt: skip


def _geometry() -> list[Claim]:
    """Proposition 1, tables 4 and 6, figures 7, 9, 11 and 12."""
    claims = [
        Claim(key="proposition-objective", source="proposition 1, equations 4 and 5",
              claim="Loss and gradient of SLS are on average those of soft labels", published="an identity"),
        Claim(key="proposition-covariance", source="proposition 1, equation 6",
              claim="Drawing a label gives the gradient by the logits the covariance Diag(p) - pp'",
              published="an identity"),
        Claim(key="proposition-parameters", source="proposition 1, equation 7",
              claim="By the parameters, that covariance is the one by the logits between two Jacobians",
              published="an identity"),
        Claim(key="proposition-square", source="equation 8",
              claim="The squared gradient grows by 1 - |p|^2, which is 0 where all agree and grows with disagreement",
              published="an identity"),
    ]  # fmt: skip
    for place, what in enumerate(p.CURVATURE):
        claims.append(Claim(
            key=f"table-4-{what}", source=f"table 4, {p.CURVATURE_NAMES[what]}",
            claim=f"SLS ends where the loss is flatter than with soft labels: {p.CURVATURE_NAMES[what]}",
            published=f"SLS {p.HESSIAN['sls'][place]}, soft labels {p.HESSIAN['soft'][place]}; {TEN}",
        ))  # fmt: skip
    for method in ("multipass", "deterministic_control"):
        name = p.NAMES[method]
        claims.append(Claim(
            key=f"table-4-{method}", source=f"table 4, {name}; section 5.3",
            claim=f"{name[0].upper()}{name[1:]}, which draws nothing while it trains, is as flat as SLS and flatter "
            "than soft labels",
            published=f"largest eigenvalue {p.HESSIAN[method][0]}, SLS {p.HESSIAN['sls, 5 seeds'][0]}, soft labels "
            f"{p.HESSIAN['soft'][0]}",
        ))  # fmt: skip
    claims.append(Claim(
        key="table-4-shuffled", source="table 4, shuffled SLS", claim="Shuffled SLS is flattest of all",
        published=f"largest eigenvalue {p.HESSIAN[p.SHUFFLED][0]}, trace {p.HESSIAN[p.SHUFFLED][1]}; {FIVE}",
    ))  # fmt: skip
    for k, row in p.HESSIAN_SWEEP.items():
        claims.append(Claim(
            key=f"table-6-{k}", source=f"table 6, K = {k}",
            claim=f"With {k} votes, the largest eigenvalue is smaller with SLS than with soft labels, on all items and "
            "on the most disputed",
            published=f"all: SLS {row[0]}, soft labels {row[1]}; disputed: SLS {row[2]}, soft labels {row[3]}; {FIVE}",
        ))  # fmt: skip
    said = {"overall": "over all images", "high": "over the images that people disagree about most"}
    return [
        *claims,
        Claim(key="figure-7", source="figure 7, section 5.3",
              published=f"{p.GRADIENTS}, from 0.919 to 0.953 over seeds",
              claim="Drawing labels makes the last layer's gradient noisier where people disagree (rank correlation)"),
        *(Claim(key=f"figure-9-{part}", source="figure 9",
                published=f"SLS {p.GRAD_CAM[part][0]}, soft {p.GRAD_CAM[part][1]}",
                claim=f"Grad-CAM maps of different seeds are more alike with SLS than with soft labels, {where}")
          for part, where in said.items()),
        Claim(key="figure-11", source="figure 11, section 5.3", published=f"mean barrier {p.BARRIER} over 10 pairs",
              claim="Between the solutions of SLS and soft labels the loss rises: they lie in different basins"),
        Claim(key="figure-12", source="figure 12", published=f"SLS {p.CKA[0]}, soft labels {p.CKA[1]}",
              claim="Features of different seeds are more alike (linear CKA) with SLS than with soft labels"),
    ]  # fmt: skip


def _elsewhere() -> list[Claim]:
    """Tables 7 to 9: images from elsewhere."""
    claims = [
        Claim(key="table-7-five", source="table 7", published="so by 5 of 6 detectors, not by KNN",
              claim="Hard deliveries tell SVHN from CIFAR-10 better than soft labels"),
        Claim(key="table-7-control", source="table 7", published="so by 5 of 6 detectors",
              claim="Deterministic control tells SVHN from CIFAR-10 best of all"),
    ]  # fmt: skip
    for detector, (sls, soft, test) in p.NEAR.items():
        claims.append(Claim(
            key=f"table-8-{detector}", source=f"table 8, {p.DETECTORS[detector]}",
            claim=f"SLS tells CIFAR-100 from CIFAR-10 better than soft labels, by {p.DETECTORS[detector]}",
            published=f"AUROC of SLS {sls}, soft labels {soft} (means of {p.MAIN_SEEDS} seeds), paired p = {test}",
        ))  # fmt: skip
    for place, method in ((1, "multipass"), (2, "deterministic_control")):
        claims.append(Claim(
            key=f"table-9-{method}", source=f"table 9, {p.NAMES[method]}",
            claim=f"{p.NAMES[method][0].upper()}{p.NAMES[method][1:]} tells CIFAR-100 from CIFAR-10 better than soft "
            "labels, by Energy, MSP and KNN",
            published="; ".join(f"{p.DETECTORS[detector]} {row[place]} against {row[0]}" for detector, row in
                                p.NEAR_FAMILY.items()),
        ))  # fmt: skip
    return claims


CLAIMS = (*_sweep(), *_main(), *_family(), *_geometry(), *_elsewhere())
