"""The parts of a study's report.

answers         what came out, in sentences
words, values   what was compared and what numbers mean; what the names of values mean
figures         charts with their numbers
tables          for the page and for LaTeX
text            Markdown and LaTeX
"""
