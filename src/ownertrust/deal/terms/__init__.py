"""Terms as the prospectus writes them: immutable, validated models of a deal file."""

from ownertrust.deal.terms.deal import DealTerms

__all__ = ["DealTerms"]
