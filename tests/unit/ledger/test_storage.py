import multiprocessing
import sqlite3
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from datetime import date
from functools import partial

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, event, text

from ownertrust.ledger import database, migrations, schema
from ownertrust.ledger.balances import balance, trial_balance
from ownertrust.ledger.journal import Entry, EntryId, moved, reversal
from ownertrust.ledger.records import (
    AlreadyClosed,
    AlreadyOpened,
    AlreadyPosted,
    OutOfOrder,
    StorageUnavailable,
    StoredClose,
    Trust,
    digest_of,
)
from ownertrust.ledger.storage import Storage
from small_trust import DEAL, close_all, month_close, month_entries


def run(storage, *statements):
    """Statements past the storage, in a transaction of their own; a value the last one selects."""
    with storage._engine.begin() as connection:
        *_, result = [connection.execute(text(statement)) for statement in statements]
        return result.scalar() if result.returns_rows else None


def rows_in(storage):
    return {table: run(storage, f"SELECT count(*) FROM {table}") for table in schema.metadata.tables}


@pytest.fixture
def filled(storage, opening):
    """Books opened, and two months closed."""
    storage.record_opening(DEAL, opening, opening[0].distribution_date, state='{"as_of": 0}')
    for period in (1, 2):
        storage.record_close(month_close(period), month_entries(period))
    return storage


@pytest.mark.provision("ACC-01", "ACC-04")
def test_what_is_read_is_what_was_written(filled, opening):
    assert filled.trusts() == (Trust(DEAL, 0, opening[0].distribution_date, '{"as_of": 0}'),)
    assert filled.closes(DEAL) == (month_close(1), month_close(2))
    assert filled.latest_close(DEAL) == filled.close_of(DEAL, 2) == month_close(2)
    assert filled.entries(DEAL) == (*opening, *month_entries(1), *month_entries(2))
    assert filled.entries(DEAL, period=1) == month_entries(1)
    assert filled.entries(DEAL, as_of=month_close(1).distribution_date) == (*opening, *month_entries(1))
    assert balance(filled.entries(DEAL), "reserve_account") == 500
    assert filled.next_number(DEAL, 2) == len(month_entries(2)) + 1


def test_books_outlive_the_program(database_url):
    with Storage.open(database_url) as storage:
        storage.record_close(month_close(1), month_entries(1))
    with Storage.open(database_url, create=False) as storage:
        assert (storage.closes(DEAL), storage.entries(DEAL)) == ((month_close(1),), month_entries(1))


def test_an_unknown_deal_has_nothing(storage):
    assert (storage.trust("x"), storage.latest_close("x"), storage.close_of("x", 1)) == (None, None, None)
    assert (storage.trusts(), storage.closes("x"), storage.entries("x")) == ((), (), ())


def test_deals_do_not_mix(filled):
    filled.record_close(month_close(1, deal="other"), month_entries(1, deal="other"))
    assert filled.latest_close(DEAL).period == 2
    assert {entry.deal for entry in filled.entries("other")} == {"other"}
    assert [trust.deal for trust in filled.trusts()] == ["other", DEAL]


def test_greatest_amounts_and_any_text_come_back_whole(storage):
    most = 10**17
    postings = moved("receivables", "notes:A-1", most, "8(a)", "WF-PRE-08; AF-01")
    entry = Entry(DEAL, 1, month_close(1).distribution_date, 1, "opening", "Größe – ‘quoted’ % :bind $$ \\", postings)
    close = month_close(1, inputs='{"a": "\\u0000 % :x $$ \\\\ 😀"}\r\n\t')
    storage.record_close(close, [entry])
    assert storage.entries(DEAL) == (entry,)
    assert storage.latest_close(DEAL) == close
    assert storage.latest_close(DEAL).digest == digest_of(close.inputs)


def test_a_month_without_entries_is_a_month(storage):
    assert storage.record_close(month_close(1), []) == month_close(1)
    assert (storage.latest_close(DEAL), storage.entries(DEAL)) == (month_close(1), ())


def test_the_same_month_twice_posts_once(filled):
    before = rows_in(filled)
    again = replace(month_close(2), result='{"other": 1}')
    assert filled.record_close(again, month_entries(2)) == month_close(2)
    assert filled.record_close(month_close(1), month_entries(1)) == month_close(1)
    assert rows_in(filled) == before


def test_a_month_closed_on_other_inputs_is_refused(filled):
    before = rows_in(filled)
    other = month_close(2, inputs="{}")
    with pytest.raises(AlreadyClosed) as caught:
        filled.record_close(other, month_entries(2, principal=1))
    assert (caught.value.stored, caught.value.given_digest) == (month_close(2), other.digest)
    for named in (DEAL, "2024-07-15", month_close(2).digest, other.digest):
        assert named in str(caught.value)
    assert rows_in(filled) == before


@pytest.mark.parametrize("period", [4, 9])
def test_a_month_out_of_order_is_refused(filled, period):
    before = rows_in(filled)
    with pytest.raises(OutOfOrder, match=f"period {period}, distribution date .*; expected period 3, after 2024-07-15"):
        filled.record_close(month_close(period), month_entries(period))
    assert rows_in(filled) == before


def test_the_first_month_is_period_one(storage):
    with pytest.raises(OutOfOrder, match="expected period 1"):
        storage.record_close(month_close(2), month_entries(2))
    assert storage.trusts() == ()


def test_a_date_that_does_not_come_later_is_refused(filled):
    with pytest.raises(OutOfOrder, match="expected one after 2024-07-15"):
        filled.record_close(replace(month_close(3), distribution_date=date(2024, 7, 15)), [])


def test_entries_of_another_month_or_deal_are_refused(storage):
    for entries in (month_entries(2), month_entries(1, deal="other"), [replace(month_entries(1)[0], number=2)]):
        with pytest.raises(ValueError, match="expected"):
            storage.record_close(month_close(1), entries)
    assert set(rows_in(storage).values()) == {0}


@pytest.mark.parametrize("table", ["postings", "entries", "closes"])
def test_a_failure_at_any_table_leaves_nothing_of_the_month(filled, table):
    before = rows_in(filled)

    def fail(conn, cursor, statement, parameters, context, executemany):
        if statement.startswith(f"INSERT INTO {table}"):
            raise RuntimeError("the plug is pulled")

    event.listen(filled._engine, "after_cursor_execute", fail)
    with pytest.raises(RuntimeError, match="plug"):
        filled.record_close(month_close(3), month_entries(3))
    event.remove(filled._engine, "after_cursor_execute", fail)
    assert rows_in(filled) == before
    filled.record_close(month_close(3), month_entries(3))
    assert filled.latest_close(DEAL) == month_close(3)


@pytest.mark.provision("ACC-04")
def test_an_opening_is_recorded_once(filled, opening):
    day, before = opening[0].distribution_date, rows_in(filled)
    assert filled.record_opening(DEAL, opening, day, state='{"as_of": 0}').opening_period == 0
    assert rows_in(filled) == before
    for entries, state in ((opening[:1], '{"as_of": 0}'), (opening, None)):
        with pytest.raises(AlreadyOpened, match="opened as of 2024-05-02, with other content"):
            filled.record_opening(DEAL, entries, day, state=state)
    assert rows_in(filled) == before


def test_books_can_be_taken_over_in_the_middle_of_a_trusts_life(storage):
    day = month_close(14).distribution_date
    postings = moved("receivables", "notes:A-3", 500)
    taken = Entry(DEAL, 14, day, 1, "opening", "Balances taken over", postings)
    storage.record_opening(DEAL, [taken], day, period=14, state="{}")
    with pytest.raises(OutOfOrder, match="expected period 15"):
        storage.record_close(month_close(14), month_entries(14))
    storage.record_close(month_close(15), month_entries(15))
    assert storage.entries(DEAL) == (taken, *month_entries(15))


def test_books_are_opened_before_the_first_month(storage, opening):
    storage.record_close(month_close(1), month_entries(1))
    with pytest.raises(OutOfOrder, match="opened before the first"):
        storage.record_opening(DEAL, opening, opening[0].distribution_date)


def test_an_opening_corrects_nothing(storage, opening):
    wrong = replace(opening[1], corrects=opening[0].id)
    with pytest.raises(ValueError, match=r"entries 0#2 correct others"):
        storage.record_opening(DEAL, [opening[0], wrong], opening[0].distribution_date)


def test_corrections_are_new_entries(filled):
    wrong = month_entries(1)[3]
    day = month_close(2).distribution_date
    back = reversal(wrong, 2, day, filled.next_number(DEAL, 2), "Fee booked on the wrong claim")
    assert filled.record_correction(back) == back
    assert filled.record_correction(back) == back
    assert filled.entries(DEAL, period=2) == (*month_entries(2), back)
    assert filled.entries(DEAL)[-1].corrects == wrong.id == EntryId(1, 4)
    assert trial_balance(filled.entries(DEAL)).balanced
    assert filled.entries(DEAL, period=1) == month_entries(1)
    with pytest.raises(AlreadyPosted, match=r"entry 2#12 is posted already, with other content"):
        filled.record_correction(replace(back, description="other"))
    filled.record_close(month_close(3), month_entries(3))
    assert filled.record_correction(back) == back


def test_corrections_out_of_place_are_refused(filled):
    day = month_close(2).distribution_date
    good = reversal(month_entries(1)[3], 2, day, 12, "x")
    for wrong in (
        replace(good, number=13),
        replace(good, distribution_date=date(2024, 7, 16)),
        reversal(month_entries(1)[3], 1, month_close(1).distribution_date, 12, "x"),
        reversal(month_entries(1)[3], 3, month_close(3).distribution_date, 1, "x"),
    ):
        with pytest.raises(OutOfOrder, match=r"expected 2#12 of 2024-07-15"):
            filled.record_correction(wrong)
    with pytest.raises(ValueError, match="corrects nothing"):
        filled.record_correction(replace(good, corrects=None))
    with pytest.raises(ValueError, match=r"corrects 1#99, which is not in the journal"):
        filled.record_correction(replace(good, corrects=EntryId(1, 99)))
    with pytest.raises(ValueError, match="not in the journal"):
        filled.record_correction(replace(good, deal="other"))
    assert filled.next_number(DEAL, 2) == 12


def test_an_opening_can_be_corrected_and_still_be_recorded_again(storage, opening):
    day = opening[0].distribution_date
    storage.record_opening(DEAL, opening, day)
    back = reversal(opening[1], 0, day, 3, "Deposit made a day later")
    storage.record_correction(back)
    storage.record_opening(DEAL, opening, day)
    assert storage.entries(DEAL) == (*opening, back)


def test_a_month_may_carry_corrections(filled):
    entries = month_entries(3)
    back = reversal(month_entries(1)[0], 3, month_close(3).distribution_date, len(entries) + 1, "x")
    with pytest.raises(ValueError, match="not in the journal"):
        filled.record_close(month_close(3), [*entries, replace(back, corrects=EntryId(2, 99))])
    filled.record_close(month_close(3), [*entries, back])
    assert filled.entries(DEAL, period=3)[-1] == back


CHANGES = [
    "UPDATE trusts SET opening_period = 3",
    "UPDATE closes SET result = ''",
    "UPDATE entries SET description = 'x' WHERE number = 1",
    "UPDATE postings SET debit = debit + 1 WHERE debit > 0",
    "DELETE FROM trusts",
    "DELETE FROM closes WHERE period = 2",
    "DELETE FROM entries",
    "DELETE FROM postings",
]


@pytest.mark.parametrize("statement", CHANGES)
def test_the_database_itself_refuses_changes(filled, statement):
    before = rows_in(filled), filled.entries(DEAL), filled.closes(DEAL)
    with pytest.raises(Exception, match="are append-only: corrections are new entries"):
        run(filled, statement)
    assert (rows_in(filled), filled.entries(DEAL), filled.closes(DEAL)) == before


@pytest.mark.parametrize("table", ["trusts", "closes", "entries", "postings"])
def test_the_database_itself_refuses_replacement(filled, table):
    row = f"SELECT * FROM {table} LIMIT 1"
    statement = (
        f"INSERT OR REPLACE INTO {table} {row}"
        if filled._engine.dialect.name == "sqlite"
        else f"TRUNCATE {table} CASCADE"
    )
    with pytest.raises(Exception, match=r"append-only|no more postings"):
        run(filled, statement)


def raw_posting(number, line, debit, credit):
    return (
        "INSERT INTO postings (deal, period, number, line, account, debit, credit, clause, provision) "
        f"VALUES ('{DEAL}', 2, {number}, {line}, 'receivables', {debit}, {credit}, '', '')"
    )


def raw_entry(number):
    return (
        "INSERT INTO entries (deal, period, number, distribution_date, kind, description) "
        f"VALUES ('{DEAL}', 2, {number}, '2024-07-15', 'x', 'x')"
    )


@pytest.mark.parametrize(
    "statements, expected",
    [
        ([raw_posting(1, 9, 5, 0)], "takes no more postings"),
        ([raw_posting(50, 1, 5, 0), raw_posting(50, 2, 0, 4), raw_entry(50)], "and they balance"),
        ([raw_posting(50, 1, 5, 0), raw_entry(50)], "two or more postings"),
        ([raw_entry(50)], "two or more postings"),
        ([raw_posting(50, 1, -5, 0)], "not_negative"),
        ([raw_posting(50, 1, 0, 0)], "one_side"),
        ([raw_posting(50, 1, 5, 5)], "one_side"),
        ([raw_posting(50, 1, 5, 0), raw_posting(50, 2, 0, 5)], "(?i)foreign.key"),
        ([raw_posting(50, 0, 5, 0)], "ck_postings_line"),
    ],
)
def test_the_database_itself_keeps_entries_whole_and_balanced(filled, statements, expected):
    before = rows_in(filled)
    with pytest.raises(Exception, match=expected):
        run(filled, *statements)
    assert rows_in(filled) == before


def test_on_postgresql_a_role_that_may_only_read_and_add_can_close_months(postgres_server):
    url = postgres_server.new_database()
    role, place = "closer", url.rpartition("%3D")[2]
    with Storage.open(url) as storage:
        grants = (f"USAGE ON SCHEMA {place}", f"SELECT, INSERT ON ALL TABLES IN SCHEMA {place}")
        run(storage, f"CREATE ROLE {role} LOGIN", *(f"GRANT {granted} TO {role}" for granted in grants))
    with Storage.open(url.replace("postgres@", f"{role}@")) as storage:
        storage.record_close(month_close(1), month_entries(1))
        assert storage.entries(DEAL) == month_entries(1)
        with pytest.raises(Exception, match="permission denied"):
            run(storage, "DELETE FROM postings")


def test_sqlite_refuses_fractions_of_a_cent(tmp_path):
    with Storage.open(str(tmp_path / "books.db")) as storage:
        storage.record_close(month_close(1), month_entries(1))
        for amount in ("5.5", "'five'"):
            with pytest.raises(Exception, match="whole cents"):
                run(storage, raw_posting(50, 1, amount, 0))


def test_migrations_make_what_the_schema_says(storage):
    with storage._engine.connect() as connection:
        options = {"compare_type": True, "version_table": schema.VERSION_TABLE}
        assert compare_metadata(MigrationContext.configure(connection, opts=options), schema.metadata) == []
    config = Config()
    config.set_main_option("script_location", migrations.__path__[0])
    assert ScriptDirectory.from_config(config).get_heads() == [schema.HEAD]


def test_a_failed_migration_leaves_nothing(database_url, monkeypatch):
    def fail(connection):
        upgrade(connection)
        raise RuntimeError("the plug is pulled")

    upgrade = database._upgrade
    monkeypatch.setattr(database, "_upgrade", fail)
    with pytest.raises(RuntimeError, match="plug"):
        Storage.open(database_url)
    with pytest.raises(StorageUnavailable, match="no books"):
        Storage.open(database_url, create=False)
    monkeypatch.undo()
    with Storage.open(database_url) as storage:
        assert storage.trusts() == ()


def test_books_of_a_newer_version_are_refused(database_url):
    with Storage.open(database_url) as storage:
        run(storage, f"UPDATE {schema.VERSION_TABLE} SET version_num = '0999'")
    for create in (True, False):
        with pytest.raises(StorageUnavailable, match="of version 0999"):
            Storage.open(database_url, create=create)


def test_without_create_nothing_is_made(tmp_path):
    missing = tmp_path / "none.db"
    with pytest.raises(StorageUnavailable, match="no such file"):
        Storage.open(str(missing), create=False)
    assert not missing.exists()
    sqlite3.connect(missing).close()
    missing.touch()
    with pytest.raises(StorageUnavailable, match="no books; expected books of version"):
        Storage.open(str(missing), create=False)
    assert missing.read_bytes() == b""


@pytest.mark.parametrize(
    "url, expected",
    [
        ("mysql://localhost/x", "expected a file, sqlite:///FILE or postgresql"),
        ("postgresql+psycopg2://localhost/x", "expected a file"),
        ("sqlite://", "in memory would be lost"),
        (":memory:", "in memory would be lost"),
        ("", "in memory would be lost"),
        ("://", "expected a file"),
        ("sqlite:///x.db?mode=ro", "expected a file"),
    ],
)
def test_other_urls_are_refused(url, expected):
    with pytest.raises(StorageUnavailable, match=expected):
        Storage.open(url)


def test_what_cannot_be_opened_says_why_and_shows_no_password(tmp_path):
    text_file = tmp_path / "notes.txt"
    text_file.write_text("no database at all, but long enough to be read as one" * 50)
    with pytest.raises(StorageUnavailable, match="file is not a database"):
        Storage.open(str(text_file))
    with pytest.raises(StorageUnavailable, match="unable to open database file"):
        Storage.open(str(tmp_path / "no-folder" / "books.db"))
    with pytest.raises(StorageUnavailable) as caught:
        Storage.open(f"postgresql://me:s3cret@/books?host={tmp_path}")
    assert "s3cret" not in str(caught.value)
    assert "me:***@" in str(caught.value)


def test_every_way_to_write_a_url_reaches_the_same_books(tmp_path, postgres_server, monkeypatch):
    monkeypatch.chdir(tmp_path)
    postgres = postgres_server.new_database()
    rest = postgres.partition("://")[2]
    same = [
        ["books.db", "sqlite:///books.db", f"sqlite:///{tmp_path}/books.db"],
        [f"postgres://{rest}", postgres, f"postgresql+psycopg://{rest}"],
    ]
    for first, *others in same:
        with Storage.open(first) as storage:
            storage.record_close(month_close(1), month_entries(1))
        for url in others:
            with Storage.open(url, create=False) as storage:
                assert storage.closes(DEAL) == (month_close(1),)


def test_sqlite_is_set_to_keep_what_it_was_told(tmp_path):
    with Storage.open(str(tmp_path / "books.db")) as storage:
        names = ("journal_mode", "foreign_keys", "synchronous", "busy_timeout")
        connection = storage._engine.raw_connection()
        settings = {name: connection.cursor().execute(f"PRAGMA {name}").fetchone()[0] for name in names}
        connection.close()
    assert settings == {"journal_mode": "wal", "foreign_keys": 1, "synchronous": 2, "busy_timeout": 30_000}


def test_a_locked_database_is_told_as_such(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 0)
    file = tmp_path / "books.db"
    with Storage.open(str(file)) as storage:
        other = sqlite3.connect(file, isolation_level=None)
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StorageUnavailable, match="database is locked"):
            storage.record_close(month_close(1), [])
        assert storage.closes(DEAL) == ()
        other.close()


def test_on_postgresql_a_closer_does_not_wait_for_ever(postgres_server, monkeypatch):
    monkeypatch.setattr(database, "BUSY_SECONDS", 1)
    with Storage.open(postgres_server.new_database()) as storage, storage._writing(DEAL):
        storage.record_close(month_close(1, deal="other"), [])
        with pytest.raises(StorageUnavailable, match="lock timeout"):
            storage.record_close(month_close(1), [])
        assert storage.closes(DEAL) == ()


def one_won_each(results, periods):
    assert sorted(period for won, _ in results for period in won) == list(range(1, periods + 1))
    assert all(sorted(won + lost) == list(range(1, periods + 1)) for won, lost in results)


def whole_and_balanced(url, periods):
    with Storage.open(url, create=False) as storage:
        assert [close.period for close in storage.closes(DEAL)] == list(range(1, periods + 1))
        expected = [entry for period in range(1, periods + 1) for entry in month_entries(period)]
        assert storage.entries(DEAL) == tuple(expected)
        assert trial_balance(storage.entries(DEAL)).balanced


def test_of_closers_in_several_processes_exactly_one_wins_each_month(database_url):
    periods, names = 12, ("one", "two", "three")
    close = partial(close_all, database_url, periods=periods)
    with ProcessPoolExecutor(len(names), multiprocessing.get_context("spawn")) as pool:
        results = [job.result() for job in [pool.submit(close, name) for name in names]]
    one_won_each(results, periods)
    whole_and_balanced(database_url, periods)


def test_of_closers_in_several_threads_exactly_one_wins(storage):
    closers = 8
    start = threading.Barrier(closers)

    def close(number):
        start.wait()
        try:
            return storage.record_close(month_close(1, inputs=str(number)), month_entries(1))
        except AlreadyClosed as error:
            return error

    with ThreadPoolExecutor(closers) as pool:
        results = list(pool.map(close, range(closers)))
    won = [result for result in results if isinstance(result, StoredClose)]
    assert len(won) == 1
    assert storage.closes(DEAL) == tuple(won)
    assert {error.stored for error in results if error not in won} == set(won)
    assert storage.entries(DEAL) == month_entries(1)


def test_closers_on_the_same_inputs_all_get_the_one_close(storage):
    with ThreadPoolExecutor(6) as pool:
        results = list(pool.map(lambda _: storage.record_close(month_close(1), month_entries(1)), range(6)))
    assert set(results) == {month_close(1)}
    assert storage.entries(DEAL) == month_entries(1)


def test_a_new_database_may_be_opened_by_many_at_once(database_url):
    def open_it(_):
        with Storage.open(database_url) as storage:
            return storage.trusts()

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(open_it, range(8))) == [()] * 8


def test_readers_do_not_wait_for_a_writer(filled):
    with filled._writing(DEAL) as connection:
        connection.execute(
            text("INSERT INTO trusts (deal, opening_period) VALUES ('unfinished', 0)"),
        )
        assert filled.latest_close(DEAL) == month_close(2)
        assert [trust.deal for trust in filled.trusts()] == [DEAL]


def test_both_databases_hold_the_same(tmp_path, postgres_server, opening):
    tables = []
    for url in (str(tmp_path / "books.db"), postgres_server.new_database()):
        with Storage.open(url) as storage:
            storage.record_opening(DEAL, opening, opening[0].distribution_date)
            storage.record_close(month_close(1), month_entries(1))
        plain = create_engine(database.parse_url(url))
        with plain.connect() as connection:
            names = sorted(schema.metadata.tables)
            selected = [schema.metadata.tables[name].select() for name in names]
            tables.append({n: sorted(map(tuple, connection.execute(s))) for n, s in zip(names, selected, strict=True)})
        plain.dispose()
    assert tables[0] == tables[1]


@pytest.mark.parametrize(
    "changed, expected",
    [
        ({"digest": "abc"}, "64 hexadecimal digits"),
        ({"digest": "A" * 64}, "64 hexadecimal digits"),
        ({"period": 0}, "a period from 1 to 9999"),
        ({"deal": ""}, "1 to 100 printable"),
        ({"distribution_date": "2024-06-15"}, "expected a date"),
        ({"inputs": "a\x00"}, "inputs: expected text without NUL"),
        ({"result": "\ud800"}, "result: expected text that can be written"),
    ],
)
def test_closes_that_cannot_be_stored_are_refused(changed, expected):
    with pytest.raises(ValueError, match=expected):
        replace(month_close(1), **changed)


def test_openings_that_cannot_be_stored_are_refused():
    with pytest.raises(ValueError, match="from 0 to 9999"):
        Trust(DEAL, -1)
    with pytest.raises(ValueError, match="without NUL"):
        Trust(DEAL, 0, None, "\x00")
