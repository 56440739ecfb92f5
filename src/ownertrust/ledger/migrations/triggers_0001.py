"""The guards of migration 0001: rows never change or go, entries balance, and a written entry takes no more lines."""

from collections.abc import Iterator

_KEYS = {
    "trusts": ("deal",),
    "closes": ("deal", "period"),
    "entries": ("deal", "period", "number"),
    "postings": ("deal", "period", "number", "line"),
}
_SAME = "deal = NEW.deal AND period = NEW.period AND number = NEW.number"
_BALANCED = f"SELECT count(*) >= 2 AND sum(debit) = sum(credit) FROM postings WHERE {_SAME}"  # noqa: S608
_SEALED = f"SELECT 1 FROM entries WHERE {_SAME}"  # noqa: S608


def statements(dialect: str) -> Iterator[str]:
    """The statements that put the guards in place on `sqlite` or `postgresql`."""
    return _sqlite() if dialect == "sqlite" else _postgresql()


def _refusal(table: str) -> str:
    return f"{table} are append-only: corrections are new entries"


def _sqlite() -> Iterator[str]:
    for table, keys in _KEYS.items():
        for event in ("UPDATE", "DELETE"):
            yield (
                f"CREATE TRIGGER {table}_no_{event.lower()} BEFORE {event} ON {table} "
                f"BEGIN SELECT RAISE(ABORT, '{_refusal(table)}'); END"
            )
        same = " AND ".join(f"{key} = NEW.{key}" for key in keys)
        old = f"SELECT 1 FROM {table} WHERE {same}"  # noqa: S608
        # INSERT OR REPLACE would take the old row away without a DELETE trigger.
        yield (
            f"CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} "
            f"WHEN EXISTS ({old}) "
            f"BEGIN SELECT RAISE(ABORT, '{_refusal(table)}'); END"
        )
    yield (
        "CREATE TRIGGER postings_whole_cents BEFORE INSERT ON postings "
        "WHEN typeof(NEW.debit) <> 'integer' OR typeof(NEW.credit) <> 'integer' "
        "BEGIN SELECT RAISE(ABORT, 'amounts are whole cents'); END"
    )
    yield (
        f"CREATE TRIGGER postings_sealed BEFORE INSERT ON postings WHEN EXISTS ({_SEALED}) "
        "BEGIN SELECT RAISE(ABORT, 'a written entry takes no more postings'); END"
    )
    yield (
        f"CREATE TRIGGER entries_balance BEFORE INSERT ON entries WHEN NOT coalesce(({_BALANCED}), 0) "
        "BEGIN SELECT RAISE(ABORT, 'an entry has two or more postings, and they balance'); END"
    )


def _postgresql() -> Iterator[str]:
    yield (
        "CREATE FUNCTION ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        "RAISE EXCEPTION '% are append-only: corrections are new entries', TG_TABLE_NAME; END $$"
    )
    for table in _KEYS:
        yield (
            f"CREATE TRIGGER {table}_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON {table} "
            "FOR EACH STATEMENT EXECUTE FUNCTION ledger_append_only()"
        )
    yield (
        f"CREATE FUNCTION ledger_postings_sealed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF EXISTS ({_SEALED}) THEN RAISE EXCEPTION 'a written entry takes no more postings'; END IF; "
        "RETURN NEW; END $$"
    )
    yield (
        "CREATE TRIGGER postings_sealed BEFORE INSERT ON postings "
        "FOR EACH ROW EXECUTE FUNCTION ledger_postings_sealed()"
    )
    yield (
        f"CREATE FUNCTION ledger_entries_balance() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN "
        f"IF NOT coalesce(({_BALANCED}), false) THEN "
        "RAISE EXCEPTION 'an entry has two or more postings, and they balance'; END IF; RETURN NEW; END $$"
    )
    yield (
        "CREATE TRIGGER entries_balance BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION ledger_entries_balance()"
    )
