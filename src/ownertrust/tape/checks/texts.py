"""How values stand in the rows of problems."""

import polars as pl


def amount(value: pl.Expr) -> pl.Expr:
    """A decimal column as text, without the zeros that say nothing; amounts keep their cents.

    >>> from decimal import Decimal
    >>> frame = pl.DataFrame({"x": [Decimal("12.30000000"), Decimal("0.08950000"), Decimal("-5.00000000")]},
    ...     schema={"x": pl.Decimal(20, 8)})
    >>> frame.select(amount(pl.col("x"))).to_series().to_list()
    ['12.30', '0.0895', '-5.00']
    """
    return value.cast(pl.Decimal(38, 8)).cast(pl.String).str.replace(r"(\.\d{2}\d*?)0+$", "$1")


def month(value: pl.Expr) -> pl.Expr:
    """A month as filings write it.

    >>> from datetime import date
    >>> pl.DataFrame({"x": [date(2017, 3, 1)]}).select(month(pl.col("x"))).item()
    '03/2017'
    """
    return value.dt.strftime("%m/%Y")


def codes(value: pl.Expr) -> pl.Expr:
    """Several codes as one text.

    >>> pl.DataFrame({"x": [["0", "2"]]}).select(codes(pl.col("x"))).item()
    '0; 2'
    """
    return value.list.join("; ")
