"""Making a pool of receivables from a prospectus's tables: illustrative receivables, published sums."""

from ownertrust.tape.synthesis.synthesize import Synthesis, synthesis, synthesize

__all__ = ["Synthesis", "synthesis", "synthesize"]
