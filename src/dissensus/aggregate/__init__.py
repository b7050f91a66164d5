"""Many answers -> one distribution.

    counting                                   share, majority, dirichlet, mean_belief
    dawid_skene, one_coin, mace, glad          models of annotators, each a function that returns a fit
    pooling, recalibration                     beliefs of several people as one, heard by their reliability
    shrinkage                                  a distribution from few votes, with a prior learned from the crowd
    agreement, pairwise, belief_agreement      how far people agree
    ceiling                                    how well people predict people
    annotators                                 who answered: skill, leanings, speed, confidence
    building, methods                          the same by name: `dissensus build`, `dissensus aggregate`

Import names from their module.
"""
