"""Receivables in, tables and filings out: columns, readers, checks, eligibility, tables, review and synthesis."""
