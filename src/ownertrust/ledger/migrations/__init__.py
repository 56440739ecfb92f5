"""Alembic migrations of the ledger's tables; run by `Storage.open`."""
