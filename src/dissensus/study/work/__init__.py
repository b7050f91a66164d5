"""From cells to their records.

jobs                 cells that are worked on together
heads, networks      their training
trained              what a training leaves, and the deliveries it learns from
scoring              predictions against people
work                 run_job: all of it, for one job
"""
