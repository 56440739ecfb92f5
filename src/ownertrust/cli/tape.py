"""The group `ownertrust tape`: receivables in, tables and filings out."""

import typer

from ownertrust.cli import tape_checking, tape_pool, tape_reading, tape_review, tape_synthesis, tape_tables

app = typer.Typer(
    help="Receivables: read, check, select, cut into tables and review them; write the filing; make a pool.",
    no_args_is_help=True,
)
tape_reading.register(app)
tape_checking.register(app)
tape_pool.register(app)
tape_tables.register(app)
tape_review.register(app)
tape_synthesis.register(app)
