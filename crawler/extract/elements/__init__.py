"""Write elements with a form of their own as text: formulas, tables, lists, preformatted pages."""
