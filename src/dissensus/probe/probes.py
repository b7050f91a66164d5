"""The probes by name, for the command line and for pages: the question that each answers."""

PROBES: dict[str, str] = {
    "attacks": "Does it withstand attacks?",
    "ood": "Does it notice what it does not know?",
    "curvature": "How sharply does its loss bend?",
    "barrier": "Does the other network lie in the same valley?",
    "cka": "Do both networks see the same likeness between items?",
    "saliency": "Where does it look?",
    "gradients": "How noisy are its gradients when labels are drawn?",
}
