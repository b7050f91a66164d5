"""The parts of a study's report.

words, values   what is said, and what the names of values mean
figures         charts with their numbers
tables          for the page and for LaTeX
text            Markdown and LaTeX
"""
