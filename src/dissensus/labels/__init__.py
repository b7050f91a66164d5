"""What people said: votes, beliefs and distributions, and everything that can be done to them.

    votes, beliefs, distributions   the three values
    files                           read and write: the door to every format
    stream                          count_votes: a vote file of any length
    completion                      complete, top_two_only, dense, typicality: partial beliefs to full ones
    transforms, top_classes         labels made from labels
    sampling                        fewer answers or items, drawn at random
    distances                       entropy, and distances between distributions
    quality                         attention_checks, exclusions, repeat_consistency, too_fast
    simulate                        annotators with known truth
    summary, view                   what is in a label set, and how it looks

Import names from their module; the most used ones stand in `dissensus` itself.
"""
