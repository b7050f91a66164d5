"""What the paper prints: tables 1 to 9, and the numbers that its figures and text give."""

from __future__ import annotations

MAIN_SEEDS, FEW_SEEDS = 10, 5  # of the main comparison; of the sweep, the family of hard deliveries and the held labels
KS = (5, 10, 25, 50)
HARD = {"sls": "SLS", "multipass": "multipass", "deterministic_control": "deterministic control"}
SMOOTHING, MIXUP, SHUFFLED = "majority | smoothed=0.1", "majority | mixup=0.2", "sls | shuffled"
NAMES = {
    "soft": "soft labels", **HARD, "majority": "majority vote", SMOOTHING: "label smoothing", MIXUP: "mixup",
    SHUFFLED: "shuffled SLS",
}  # fmt: skip

# Table 1: mean soft NLL over 5 seeds by K; Wilcoxon's one-sided p against soft labels, uncorrected.
SWEEP = {
    "soft": (0.5860, 0.5785, 0.5388, 0.5628),
    "sls": (0.5599, 0.5485, 0.5169, 0.5291),
    "multipass": (0.5649, 0.5371, 0.5117, 0.5241),
    "deterministic_control": (0.5555, 0.5388, 0.5077, 0.5231),
}
SWEEP_P = {
    "sls": ("0.031", "0.031", "0.063", "0.094"),
    "multipass": ("0.063", "0.031", "0.031", "0.031"),
    "deterministic_control": ("0.031", "0.031", "0.031", "0.031"),
}
LEAST_P = "0.03125"  # of 5 seeds, one-sided
TWO_SIDED_P = "0.0625"
AGREEING = 9  # of the 12 cells, in which all seeds agree
SPEARMAN_RANGE = (0.05, 0.16)  # of figure 2

# Tables 2 and 5, 10 seeds: soft NLL, accuracy, equal-mass ECE, Spearman's correlation of entropies, KL, Brier.
METRICS = ("soft_nll", "accuracy", "ece_equal_mass", "entropy_spearman", "kl", "brier")
METRIC_NAMES = {
    "soft_nll": "soft NLL", "accuracy": "accuracy", "ece_equal_mass": "equal-mass ECE",
    "entropy_spearman": "correlation of entropies", "kl": "KL to people", "brier": "soft Brier score",
    "smooth_ece": "smooth ECE",
}  # fmt: skip
MAIN = {
    SMOOTHING: ("0.6263 ± 0.0204", "0.8590 ± 0.0088", "0.0598 ± 0.0059", "0.2117 ± 0.0218", "0.4726 ± 0.0204",
                "0.1786 ± 0.0094"),
    "majority": ("0.7284 ± 0.0401", "0.8570 ± 0.0107", "0.0704 ± 0.0058", "0.2902 ± 0.0219", "0.5746 ± 0.0397",
                 "0.1943 ± 0.0152"),
    MIXUP: ("0.5526 ± 0.0129", "0.8824 ± 0.0046", "0.0977 ± 0.0063", "0.2499 ± 0.0145", "0.3988 ± 0.0123",
            "0.1500 ± 0.0049"),
    "sls": ("0.5052 ± 0.0263", "0.8695 ± 0.0105", "0.0186 ± 0.0039", "0.3946 ± 0.0192", "0.3515 ± 0.0260",
            "0.1553 ± 0.0110"),
    "soft": ("0.5096 ± 0.0233", "0.8687 ± 0.0081", "0.0185 ± 0.0040", "0.3909 ± 0.0190", "0.3558 ± 0.0228",
             "0.1548 ± 0.0096"),
}  # fmt: skip
MAIN_P = {"soft_nll": "0.6953", "accuracy": "0.6250", "ece_equal_mass": "0.9219", "entropy_spearman": "0.3750"}
SMOOTH_ECE = {"sls": "0.019", "soft": "0.019", "majority": "0.082"}

# Table 3, 5 seeds: soft NLL, accuracy, equal-mass ECE, correlation of entropies. Soft labels as in table 2.
FAMILY = {
    "sls": ("0.5035 ± 0.0335", "0.8710 ± 0.0129", "0.0193 ± 0.0045", "0.3956 ± 0.0159"),
    "deterministic_control": ("0.4921 ± 0.0162", "0.8724 ± 0.0050", "0.0209 ± 0.0022", "0.3963 ± 0.0160"),
    "multipass": ("0.4942 ± 0.0123", "0.8714 ± 0.0063", "0.0191 ± 0.0044", "0.4000 ± 0.0287"),
    SHUFFLED: ("2.2973 ± 0.0024", "0.1199 ± 0.0128", "0.0293 ± 0.0099", "-0.0058 ± 0.0556"),
}

# Figure 4: soft NLL where drawn labels are held for so many epochs.
HELD = {1: 0.5027, 5: 0.5458, 10: 0.6054, 50: 0.6689}

# Table 4: largest eigenvalue and trace of the Hessian, all items and those people disagree about most.
CURVATURE = ("lambda_full", "trace_full", "lambda_high", "trace_high")
CURVATURE_NAMES = {
    "lambda_full": "largest eigenvalue, all items", "trace_full": "trace, all items",
    "lambda_high": "largest eigenvalue, most disputed items", "trace_high": "trace, most disputed items",
}  # fmt: skip
HESSIAN = {
    "sls": ("104.9 ± 8.8", "1633.9 ± 50.6", "314.0 ± 57.3", "3496.8 ± 360.3"),
    "soft": ("242.2 ± 36.2", "4946.0 ± 943.2", "780.6 ± 103.3", "10779.6 ± 1811.9"),
    "sls, 5 seeds": ("107.8 ± 9.9", "1642.9 ± 25.7", "310.3 ± 22.0", "3480.4 ± 255.2"),
    "deterministic_control": ("101.6 ± 8.1", "1581.6 ± 61.2", "314.6 ± 30.4", "3481.8 ± 250.7"),
    "multipass": ("103.8 ± 4.3", "1571.4 ± 72.4", "302.2 ± 29.6", "3438.4 ± 339.5"),
    SHUFFLED: ("18.4 ± 13.3", "33.9 ± 26.0", "20.5 ± 18.1", "38.8 ± 44.9"),
}
# Table 6: largest eigenvalues by K: SLS and soft labels, all items; SLS and soft labels, most disputed items.
HESSIAN_SWEEP = {
    5: ("114.0 ± 4.5", "241.4 ± 36.6", "478.7 ± 76.6", "1203.1 ± 158.2"),
    10: ("114.1 ± 8.0", "243.6 ± 47.9", "369.1 ± 52.2", "849.7 ± 296.3"),
    25: ("97.5 ± 4.0", "267.1 ± 43.7", "277.8 ± 35.8", "876.1 ± 235.4"),
    50: ("98.9 ± 1.2", "218.4 ± 20.0", "312.4 ± 45.8", "626.4 ± 38.3"),
}

GRADIENTS = "0.939"  # figure 7; from 0.919 to 0.953 over seeds
SOONER = {"near": 35.7, "best": 47.2}  # figure 8: epochs by which SLS is ahead of soft labels
GRAD_CAM = {"overall": ("0.901", "0.804"), "high": ("0.861", "0.756")}  # figure 9: SLS, soft labels
BARRIER = "2.05"  # figure 11
CKA = ("0.920", "0.887")  # figure 12: SLS, soft labels

DETECTORS = {"energy": "Energy", "odin": "ODIN", "entropy": "predictive entropy", "msp": "MSP", "knn": "KNN",
             "margin": "logit margin"}  # fmt: skip
# Table 8: AUROC of CIFAR-100 against CIFAR-10: SLS, soft labels, p.
NEAR = {
    "energy": ("0.8185", "0.8096", "0.0186"), "odin": ("0.8189", "0.8107", "0.0186"),
    "entropy": ("0.8132", "0.8082", "0.0801"), "msp": ("0.8029", "0.7972", "0.0654"),
    "knn": ("0.8031", "0.8009", "0.3125"), "margin": ("0.7833", "0.7779", "0.0801"),
}  # fmt: skip
# Table 9: soft labels, multipass, deterministic control, SLS.
NEAR_FAMILY = {
    "energy": ("0.8096", "0.8185", "0.8183", "0.8163"),
    "msp": ("0.7972", "0.8032", "0.8006", "0.8003"),
    "knn": ("0.8009", "0.8053", "0.8050", "0.8019"),
}
# Table 7, SVHN: soft labels, multipass, deterministic control, SLS.
FAR = {
    "energy": ("0.8634 ± 0.0429", "0.8858 ± 0.0255", "0.8890 ± 0.0253", "0.8788 ± 0.0261"),
    "msp": ("0.8364 ± 0.0432", "0.8553 ± 0.0182", "0.8643 ± 0.0193", "0.8520 ± 0.0183"),
    "odin": ("0.8650 ± 0.0429", "0.8871 ± 0.0242", "0.8921 ± 0.0233", "0.8812 ± 0.0254"),
    "entropy": ("0.8527 ± 0.0445", "0.8714 ± 0.0212", "0.8793 ± 0.0233", "0.8660 ± 0.0208"),
    "margin": ("0.8112 ± 0.0436", "0.8323 ± 0.0126", "0.8419 ± 0.0136", "0.8326 ± 0.0177"),
    "knn": ("0.7974 ± 0.0284", "0.7836 ± 0.0250", "0.7788 ± 0.0354", "0.7741 ± 0.0295"),
}
