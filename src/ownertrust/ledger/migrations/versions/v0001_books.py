"""Trusts, closes, entries and postings, kept append-only by the database itself."""

import sqlalchemy as sa
from alembic import op

from ownertrust.ledger.migrations import triggers_0001

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the tables and their guards."""
    op.create_table(
        "trusts",
        sa.Column("deal", sa.String(100), nullable=False),
        sa.Column("opening_period", sa.Integer, nullable=False),
        sa.Column("opening_date", sa.Date),
        sa.Column("opening_state", sa.Text),
        sa.PrimaryKeyConstraint("deal", name="pk_trusts"),
        sa.CheckConstraint("opening_period >= 0", name="ck_trusts_opening_period"),
    )
    op.create_table(
        "closes",
        sa.Column("deal", sa.String(100), nullable=False),
        sa.Column("period", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("distribution_date", sa.Date, nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("inputs", sa.Text, nullable=False),
        sa.Column("result", sa.Text, nullable=False),
        sa.Column("closing_state", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("deal", "period", name="pk_closes"),
        sa.ForeignKeyConstraint(["deal"], ["trusts.deal"], name="fk_closes_trusts"),
        sa.CheckConstraint("period >= 1", name="ck_closes_period"),
        sa.CheckConstraint("length(digest) = 64", name="ck_closes_digest"),
    )
    op.create_table(
        "entries",
        sa.Column("deal", sa.String(100), nullable=False),
        sa.Column("period", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("distribution_date", sa.Date, nullable=False),
        sa.Column("kind", sa.String(60), nullable=False),
        sa.Column("description", sa.String(400), nullable=False),
        sa.Column("corrects_period", sa.Integer),
        sa.Column("corrects_number", sa.Integer),
        sa.PrimaryKeyConstraint("deal", "period", "number", name="pk_entries"),
        sa.ForeignKeyConstraint(["deal"], ["trusts.deal"], name="fk_entries_trusts"),
        sa.ForeignKeyConstraint(
            ["deal", "corrects_period", "corrects_number"],
            ["entries.deal", "entries.period", "entries.number"],
            name="fk_entries_corrects",
        ),
        sa.CheckConstraint("period >= 0 AND number >= 1", name="ck_entries_id"),
        sa.CheckConstraint("(corrects_period IS NULL) = (corrects_number IS NULL)", name="ck_entries_corrects"),
    )
    op.create_table(
        "postings",
        sa.Column("deal", sa.String(100), nullable=False),
        sa.Column("period", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("number", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("line", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("account", sa.String(120), nullable=False),
        sa.Column("debit", sa.BigInteger, nullable=False),
        sa.Column("credit", sa.BigInteger, nullable=False),
        sa.Column("clause", sa.String(200), nullable=False),
        sa.Column("provision", sa.String(200), nullable=False),
        sa.PrimaryKeyConstraint("deal", "period", "number", "line", name="pk_postings"),
        sa.ForeignKeyConstraint(
            ["deal", "period", "number"],
            ["entries.deal", "entries.period", "entries.number"],
            name="fk_postings_entries",
            deferrable=True,
            initially="DEFERRED",
        ),
        sa.CheckConstraint("line >= 1", name="ck_postings_line"),
        sa.CheckConstraint("debit >= 0 AND credit >= 0", name="ck_postings_not_negative"),
        sa.CheckConstraint("(debit = 0) <> (credit = 0)", name="ck_postings_one_side"),
    )
    for statement in triggers_0001.statements(op.get_bind().dialect.name):
        op.execute(statement)


def downgrade() -> None:
    """Books are never unmade."""
    raise NotImplementedError("the books are append-only: there is no way back from 0001")
