"""Inside the model: what it does when it is attacked, far from its data, and how its loss bends.

    inputs          image_batches: images and labels as batches for any probe; modules in eval mode
    attacks         fgsm, pgd: images changed as little as can be seen, so that the loss rises
    robustness      attack: what is left of a network's agreement with people then
    ood             DETECTORS: how far an input is from what the model knows, and how well that tells sets apart
    curvature       top_eigenvalues, trace, spectral_density: the Hessian of the loss
    paths           barrier: the loss on the way between two networks
    representation  linear_cka: whether two models see the same likeness between items
    saliency        grad_cam: which parts of an image a class is seen in
    stability       saliency_stability: whether networks of different seeds look at the same parts
    similarity      similarity_to_people: whether items are alike to a model that are alike to people
    gradients       gradient_variance: how much the gradient of an item depends on which vote is drawn

Each name is loaded when it is first used; torch is loaded by those that need it.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
