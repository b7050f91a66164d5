"""Probes of a trained model: attacks, out-of-distribution detection, loss curvature, representations and saliency.

    inputs          image_batches: images and labels as batches for any probe; modules that stay unchanged
    attacks         fgsm, pgd: images changed by a few pixel values, so that the loss rises
    pixels          what an attack may change: pixels from 0 to 1, through a network's normalisation
    robustness      attack: a network's agreement with people after an attack
    ood             DETECTORS: how far an item is from what a model knows
    odin_step       odin: the same after a small step on the image
    detection       separation: how well a score separates two sets
    ood_sets        detect_ood: all detectors on several sets
    curvature       top_eigenvalues, spectral_density: curvature of the loss by direction
    traces          trace: curvature over all directions together
    hessian         the Hessian as products with vectors
    lanczos         eigenvalues of a matrix that is known by its products
    convolutions    second derivatives as fast as first ones
    multilinear     whether first derivatives are enough for the trace
    paths           barrier: the loss on the line between two networks
    architecture    whether two networks can be interpolated
    batch_norm      statistics recomputed from data along the line
    directions      random_direction: changes of the weights along which the loss is computed
    landscapes      loss_line, loss_plane, plane_through: slices through the loss
    path_figures    figures of lines and slices
    representation  linear_cka: whether two models represent the same similarities between items
    saliency        grad_cam: which parts of an image speak for a class
    stability       saliency_stability: whether networks of different seeds depend on the same parts
    similarity      similarity_to_people: agreement of a model's similarities between items with people's
    gradients       gradient_variance: how much the gradient of an item depends on which vote is drawn
    last_layer      the inputs of the last linear layer
    feature_rows    features as one row of finite numbers for each item
    probes          PROBES: the probes by name, one entry each
    probed          Probed: a network, its items, and what it is compared with
    probing         probe_network: several probes of one network on the same items
    probe_page      describe_probes: their findings as a page

`runs/` has one module for each probe: how it runs, when it cannot, and what it reports.

Each name is loaded when it is first used; torch is loaded by those that need it.
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
