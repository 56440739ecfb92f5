"""The trust's books: accounts, journal, balances, and their storage in SQLite or PostgreSQL."""
