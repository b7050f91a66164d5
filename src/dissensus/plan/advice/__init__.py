"""Which labels to collect, as one recommendation: options, reasons and a page."""
