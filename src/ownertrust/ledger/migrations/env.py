"""How Alembic runs here: inside the transaction of the connection that `Storage.open` hands over."""

from alembic import context

from ownertrust.ledger.schema import VERSION_TABLE, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    version_table=VERSION_TABLE,
)
with context.begin_transaction():
    context.run_migrations()
