"""What people look at: figures, charts, tables and pages in one look.

colours      every colour, in one place
svg          small figures as inline SVG
charts       charts with axes; named_rows, dot_rows: charts with a row for each name
figures      figures with the numbers behind them, to be saved
tables       tables and lists of facts, on a page and in the terminal
page         the page that all reports share
items        texts and pictures of items, to be shown on a page
labels_page  labels as a card for the notebook and as a page
"""

from dissensus.fronts import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
