"""Questions asked of all of it: a study is data, its cells are folders, and its report is a page.

spec, pipes, model_settings               what a study is
init_template, toml_text, more_seeds      a study's file to start from, one made of a study, and more seeds in it
data, splits, construct                   labels to learn from and to judge by, for each seed
grid, checks, versions, cells             its cells: which there are, what decides each, and each as a folder
work/                                     from a cell to its record, anywhere
engines/                                  who works on cells
run, estimate                             the run that survives whatever happens, and how long it takes
description, status                       a study as its folder tells it, and how it stands
summary/                                  what its cells say together, and how one study differs from another
report, reporting/                        the same as a page, as Markdown and as LaTeX
advice/                                   what suits given labels: facts, ways, evidence, and a choice
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
