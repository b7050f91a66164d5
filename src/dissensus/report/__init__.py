"""Pages as values, rendered with one style as HTML, in the terminal, as Markdown, LaTeX and JSON.

document     Document, Section, Text, Table, Figure, Cards: a page without markup
html, terminal, markdown, latex   the renderers; html_tables, cells: parts of them
numbers      rounding, intervals and p-values for people
style        the stylesheet of all pages; colours: every colour, in one place
svg          small figures as inline SVG
charts, maps charts with axes; named_rows, dot_rows: charts with a row for each name
saving       figures to be saved as SVG, PNG and CSV
items        texts and pictures of items, to be shown on a page
labels_card  labels as a card for the notebook
consoles     standard output and standard error
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
