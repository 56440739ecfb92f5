"""The distribution-date close, benchmark, events of default, and what they post."""
