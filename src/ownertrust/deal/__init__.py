"""Deals: terms as written, read and validated from one file, and resolved once to dates, cents and row numbers."""
