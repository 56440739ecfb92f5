"""Sense checks of the pool's terms: criteria that test something, limits that bind, tables whose rows are in order."""

from collections.abc import Iterator, Sequence

from ownertrust.deal.source import Path
from ownertrust.deal.step_sense import Finding
from ownertrust.deal.terms import DealTerms
from ownertrust.deal.terms.pool import Band, ConcentrationLimit, Criterion, Stratification
from ownertrust.foundation.provisions import implements

_TESTS = "`at_least`, `at_most`, `one_of` or `is_true`"


def check_pool(terms: DealTerms) -> Iterator[Finding]:
    """What no single field of the pool's terms shows; whether a tape has their fields is not for a deal file to say."""
    yield from _criteria(terms.pool.eligibility)
    yield from _limits(terms.pool.concentration_limits)
    tables = terms.pool.tables
    if tables is None:
        return
    base: Path = ("pool", "tables")
    if tables.score_band_percent >= 50:
        yield (*base, "score_band_percent"), str(tables.score_band_percent), "a percentage below 50 on each side"
    yield from _bands((*base, "hypothetical_pool_bands"), tables.hypothetical_pool_bands)
    for name, table in tables.stratifications.items():
        yield from _stratification((*base, "stratifications", name), table)


@implements("POOL-01")
def _criteria(criteria: Sequence[Criterion]) -> Iterator[Finding]:
    seen: set[str] = set()
    for i, criterion in enumerate(criteria):
        path: Path = ("pool", "eligibility", i)
        if criterion.name in seen:
            yield (*path, "name"), f"{criterion.name} a second time", "a name of its own for each criterion"
        seen.add(criterion.name)
        low, high = criterion.at_least, criterion.at_most
        bounded = low is not None or high is not None
        kinds = [bounded, bool(criterion.one_of), criterion.is_true is not None]
        if sum(kinds) == 0:
            yield path, f"{criterion.name} without a test", _TESTS
        if sum(kinds) > 1:
            yield path, f"{criterion.name} with tests of several kinds", "limits, values, or true or false, one of them"
        if low is not None and high is not None and low > high:
            yield (*path, "at_most"), str(high), f"at least {low}, which `at_least` says"
        yield from _twice((*path, "one_of"), criterion.one_of, "each value once")


def _limits(limits: Sequence[ConcentrationLimit]) -> Iterator[Finding]:
    seen: set[tuple[str, frozenset[str]]] = set()
    for i, limit in enumerate(limits):
        path: Path = ("pool", "concentration_limits", i)
        if limit.percent_of_pool_at_most == 0:
            yield (*path, "percent_of_pool_at_most"), str(limit.percent_of_pool_at_most), "a percentage above zero"
        key = (limit.field, frozenset(limit.values))
        if key in seen:
            yield (*path, "field"), f"{limit.field} a second time", "one limit for a field and its values"
        seen.add(key)
        yield from _twice((*path, "values"), limit.values, "each value once")


@implements("POOL-03")
def _stratification(path: Path, table: Stratification) -> Iterator[Finding]:
    yield from _bands((*path, "bands"), table.bands)
    labels = [band.label for band in table.bands]
    fold = table.fold_below_percent_of_pool
    if table.missing_label is not None and table.missing_label in labels:
        yield (*path, "missing_label"), table.missing_label, "a heading that no band has"
    if table.bands and table.order == "balance":
        yield (*path, "order"), "balance", "no order for a table with bands, which come as given"
    if table.bands and fold is not None:
        expected = "no gathering of small rows in a table with bands"
        yield (*path, "fold_below_percent_of_pool"), str(fold), expected
    if fold is None and "fold_label" in table.model_fields_set:
        yield (*path, "fold_label"), table.fold_label, "`fold_below_percent_of_pool` beside it"
    if fold is not None and table.fold_label == table.missing_label:
        yield (*path, "fold_label"), table.fold_label, "another heading than `missing_label`"


def _bands(path: Path, bands: Sequence[Band]) -> Iterator[Finding]:
    yield from _twice(path, [band.label for band in bands], "a heading of its own for each band", "label")
    before = None
    for i, band in enumerate(bands):
        if band.at_most is None:
            if i < len(bands) - 1:
                yield (*path, i), f"{band.label} without `at_most`", "a limit for every band but the last"
            continue
        if before is not None and band.at_most <= before:
            yield (*path, i, "at_most"), str(band.at_most), f"more than {before}, the limit of the band before"
        before = band.at_most


def _twice(path: Path, values: Sequence[str], expected: str, *field: str) -> Iterator[Finding]:
    for i, value in enumerate(values):
        if value in values[:i]:
            yield (*path, i, *field), f"{value} a second time", expected
