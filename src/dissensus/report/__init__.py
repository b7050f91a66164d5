"""What people look at: figures, charts, tables and pages in one look."""
