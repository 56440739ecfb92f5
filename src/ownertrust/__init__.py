"""ownertrust: run an auto-loan owner trust from its prospectus.

>>> import ownertrust as ot
>>> deal = ot.load_deal("carmax-2022-4")
>>> table = deal.decrement_table(abs_percents=[1.3])
>>> table.weighted_average_life.filter(to="call")["years"].round(2).to_list()
[0.25, 1.11, 2.54, 3.69, 4.02, 4.04, 4.04]
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ownertrust.api import Deal, load_deal

__all__ = ["Deal", "__version__", "load_deal"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Public names, imported when first used."""
    if name in ("Deal", "load_deal"):
        from ownertrust import api

        return getattr(api, name)
    raise AttributeError(f"module 'ownertrust' has no attribute {name!r}")
