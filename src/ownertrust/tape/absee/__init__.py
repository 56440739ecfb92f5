"""Form ABS-EE: the SEC's asset-level data file for auto loans, read and written."""
