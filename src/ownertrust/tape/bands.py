"""Bands of a measure: their limits as whole numbers, their headings, and the band of each value."""

import re
from collections.abc import Sequence
from decimal import ROUND_FLOOR, Decimal
from math import gcd

import polars as pl

from ownertrust.deal.terms.pool import Band
from ownertrust.foundation.provisions import implements

_MOST_STEPS, _FITS = 4096, 2**62

_ENDS = re.compile(r"\$?(?P<low>[\d,]*\d(?:\.\d+)?)%?\s*(?:-|–|to)\s*\$?(?P<high>[\d,]*\d(?:\.\d+)?)%?(?:\s+\w+)?")
"""A heading that names a range by its two ends, whatever signs it prints."""


def place_in(column: pl.Expr, limits: Sequence[int], ends: tuple[int, int]) -> pl.Expr:
    """How many of some ascending limits each whole number is above; null for none.

    Limits at even distances are found by division, which takes a third of the time of a search.

    Args:
        column: whole numbers.
        limits: at least one.
        ends: the least and the largest number of the column.

    >>> tape = pl.DataFrame({"x": [0, 1, 12, 13, 25, None]})
    >>> tape.select(place_in(pl.col("x"), [12, 24], (0, 25))).to_series().to_list()
    [0, 0, 0, 1, 2, None]
    """
    step = gcd(*limits)
    low, high = (limits[0] // step, limits[-1] // step + 1) if step else (0, 0)
    if not step or high - low > _MOST_STEPS:
        place = pl.lit(pl.Series(limits, dtype=pl.Int128)).search_sorted(column.cast(pl.Int128))
        return pl.when(column.is_not_null()).then(place)
    if all(-_FITS < end < _FITS for end in (*ends, *limits, sum(map(abs, ends)) + step)):
        column = column.cast(pl.Int64)
    places = [sum(limit < index * step for limit in limits) for index in range(low, high + 1)]
    index = ((column + (step - 1)) // step).clip(low, high) - low
    return pl.lit(pl.Series(places, dtype=pl.UInt32)).gather(index.cast(pl.UInt32))


@implements("POOL-03")
def band_rows(bands: Sequence[Band], places: int) -> tuple[list[int], list[str]]:
    """Upper limits of rows in whole units, and their headings; one heading more than limits.

    A row takes what is above the row before it, up to and including its own limit: rows are cut by their upper
    limits alone, since headings leave gaps (a score of 600.5 is above "600 and below", so it is in "601 to 650"; a
    rate of 2.0005% is in "2.001% - 3.000%"). Two rows more tell what no row takes, instead of putting it where it is
    not: below the first row, where its heading names two ends, and above the last, where that has a limit.

    >>> terms = [Band(label="13-24 months", at_most=24), Band(label="25-36 months", at_most=36)]
    >>> band_rows(terms, 0)
    ([12, 24, 36], ['Below 13', '13-24 months', '25-36 months', 'Above 36 months'])
    >>> band_rows([Band(label="600 and below", at_most=600), Band(label="601 and above")], 3)
    ([600000], ['600 and below', '601 and above'])
    """
    limits = [_floor(band.at_most, places) for band in bands if band.at_most is not None]
    names = [band.label for band in bands]
    first, last = bands[0], bands[-1]
    ends = _ENDS.fullmatch(first.label)
    if ends is not None and first.at_most == _number(ends["high"]):
        low = _number(ends["low"])
        exponent = low.as_tuple().exponent
        step = Decimal(1).scaleb(exponent if isinstance(exponent, int) else 0)
        limits.insert(0, _floor(low - step, places))
        names.insert(0, f"Below {first.label[: ends.end('low')]}{'%' if '%' in first.label else ''}")
    if last.at_most is not None:
        ends = _ENDS.fullmatch(last.label)
        text = last.label[ends.start("high") :] if ends is not None else f"{last.at_most:f}"
        names.append(f"Above {'$' if '$' in last.label else ''}{text}")
    return limits, names


def _number(text: str) -> Decimal:
    return Decimal(text.replace(",", ""))


def _floor(value: Decimal, places: int) -> int:
    return int(value.scaleb(places).to_integral_value(ROUND_FLOOR))
