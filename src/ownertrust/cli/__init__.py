"""Commands over everything above."""
