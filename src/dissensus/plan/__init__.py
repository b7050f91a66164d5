"""Which labels to collect.

    information, constraints     how many comparisons a kind of label answers, by formula or counted in a label matrix
    embedding, triplets          generalised non-metric MDS: items and classes as points that agree with the labels
    simulation, grid             how well known points are recovered from each kind of label, over n, k and d
    sparsity                     fewer classes per label: principal components, sparse and top-class labels
    real_labels                  the same measures on labels that people gave
    tradeoff, pilot              what a label is worth against what it costs, and what a pilot study changes
    allocation                   spending a budget of answers over items
    advice                       all of it as one recommendation

Import names from their module.
"""
