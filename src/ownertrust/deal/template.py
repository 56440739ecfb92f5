"""The starting file that `ownertrust deal new` writes."""

from pathlib import Path

_TEMPLATE = Path(__file__).parent / "library" / "templates" / "starting-deal.yaml"


def new_deal_text(name: str) -> str:
    """A commented deal file that passes every check, under the name given.

    >>> from ownertrust.deal.loading import deal_from_text
    >>> deal_from_text(new_deal_text("my-trust")).terms.deal
    'my-trust'
    """
    return _TEMPLATE.read_text(encoding="utf-8").replace("starting-deal", name)
