"""The tables of the books. Keys are the deal's own: no number is made by a database."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Date,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)

HEAD = "0001"
"""The migration that makes a database what this module says."""

VERSION_TABLE = "ledger_version"
"""Where a database says which migration it stands at."""

metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(referred_table_name)s",
    }
)

trusts = Table(
    "trusts",
    metadata,
    Column("deal", String(100), primary_key=True),
    Column("opening_period", Integer, nullable=False),
    Column("opening_date", Date, nullable=True),
    Column("opening_state", Text, nullable=True),
    CheckConstraint("opening_period >= 0", name="ck_trusts_opening_period"),
)

closes = Table(
    "closes",
    metadata,
    Column("deal", String(100), ForeignKey("trusts.deal"), primary_key=True),
    Column("period", Integer, primary_key=True),
    Column("distribution_date", Date, nullable=False),
    Column("digest", String(64), nullable=False),
    Column("inputs", Text, nullable=False),
    Column("result", Text, nullable=False),
    Column("closing_state", Text, nullable=False),
    CheckConstraint("period >= 1", name="ck_closes_period"),
    CheckConstraint("length(digest) = 64", name="ck_closes_digest"),
)

entries = Table(
    "entries",
    metadata,
    Column("deal", String(100), ForeignKey("trusts.deal"), primary_key=True),
    Column("period", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("distribution_date", Date, nullable=False),
    Column("kind", String(60), nullable=False),
    Column("description", String(400), nullable=False),
    Column("corrects_period", Integer, nullable=True),
    Column("corrects_number", Integer, nullable=True),
    ForeignKeyConstraint(
        ["deal", "corrects_period", "corrects_number"],
        ["entries.deal", "entries.period", "entries.number"],
        name="fk_entries_corrects",
    ),
    CheckConstraint("period >= 0 AND number >= 1", name="ck_entries_id"),
    CheckConstraint("(corrects_period IS NULL) = (corrects_number IS NULL)", name="ck_entries_corrects"),
)

postings = Table(
    "postings",
    metadata,
    Column("deal", String(100), primary_key=True),
    Column("period", Integer, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("line", Integer, primary_key=True),
    Column("account", String(120), nullable=False),
    Column("debit", BigInteger, nullable=False),
    Column("credit", BigInteger, nullable=False),
    Column("clause", String(200), nullable=False),
    Column("provision", String(200), nullable=False),
    # Checked at commit: postings are written before the entry that seals them.
    ForeignKeyConstraint(
        ["deal", "period", "number"],
        ["entries.deal", "entries.period", "entries.number"],
        name="fk_postings_entries",
        deferrable=True,
        initially="DEFERRED",
    ),
    CheckConstraint("line >= 1", name="ck_postings_line"),
    CheckConstraint("debit >= 0 AND credit >= 0", name="ck_postings_not_negative"),
    CheckConstraint("(debit = 0) <> (credit = 0)", name="ck_postings_one_side"),
)
