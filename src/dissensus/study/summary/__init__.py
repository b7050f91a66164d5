"""What the cells of a study say together.

arms, units, paired     what is compared, what counts as one run, and differences from the baseline
probe_numbers           numbers of probes
remarks, power          what a reader should know, before and after
summary, cell_table     all of it, and one row per cell
differences             how one study differs from another
"""
