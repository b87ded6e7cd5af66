"""Tables as plain lists, for tests of what they show."""

from protocols.tables import Table


def texts(table: Table) -> list[list[str]]:
    """Return the headings and the cells of ``table`` as the panel of the Web UI shows them, models without makers."""
    shown = table.shown_in("panel")
    headings = [column.heading for column in shown.columns]
    return [headings, *([cell.text.rpartition("/")[2] for cell in row] for row in shown.rows)]
