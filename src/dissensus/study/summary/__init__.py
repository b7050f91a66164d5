"""The results of all cells of a study.

arms, units, paired     arms, independent repetitions, and differences from the baseline
probe_numbers           numbers of probes
remarks, power          limits of the results, and of the tests before a run
summary, cell_table     all of it, and one row per cell
differences             how one study differs from another
"""
