"""How the records of the package become Markdown: one module for each group of pages."""
