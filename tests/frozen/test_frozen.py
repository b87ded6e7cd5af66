"""What a change may not touch: the names that histories and clients know, and the tables of the ledger."""

from ledger.store import Store
from tests.frozen.record import FOLDER, schema, wire, written

CHANGED = "if the change is meant: python -m tests.frozen.record, and the rule at the head of tests/frozen/record.py"


def test_the_names_on_the_wire_are_those_that_were_frozen() -> None:
    """A renamed workflow, handler, activity, column or queue would orphan what runs and break other clients."""
    assert written(wire()) == (FOLDER / "wire.json").read_text("utf-8"), CHANGED


async def test_the_tables_of_the_ledger_are_those_that_were_frozen(sqlite_store: Store) -> None:
    """A changed table would shut out workers of the previous version and every ledger that exists."""
    assert written(await sqlite_store.transaction(schema)) == (FOLDER / "ledger.json").read_text("utf-8"), CHANGED
