"""Experiments across all stages: a study is a value, its cells are folders, and its report is a document.

spec, pipes, model_settings               what a study is
init_template, toml_text, more_seeds      a study's file to start from, one made of a study, and more seeds in it
data, splits, construct                   training labels and test items for each seed
grid, checks, versions, cells             its cells, their hashes, and each as a folder
work/                                     from a cell to its record, anywhere
engines/                                  what runs cells
run, estimate                             a run that can be resumed, and its time
description, status                       a study as its folder describes it, and its status
summary/                                  results of all cells, and differences between two studies
report, reporting/                        the report as a document
advice/                                   advice on labels: facts, methods, evidence, and a choice
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
