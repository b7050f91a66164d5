"""The parts of a study's report.

answers         the results in sentences
words, values   what was compared, and the meaning of numbers; the meaning of values
figures         charts with their numbers
tables          for the page and for LaTeX
text            Markdown and LaTeX
"""
