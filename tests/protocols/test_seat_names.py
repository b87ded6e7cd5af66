"""Names of seats on screens."""

from protocols.model_call import ParticipantId
from protocols.tables import Cell, ResultView, Table, Utterance, columns, listed, rows, with_names

NAMES = {ParticipantId("p1"): "Sceptic"}
VIEW = ResultView(
    tables=(Table(columns=columns("seat", "p1"), rows=rows([("p1", listed(["p1", "p2"])), ("p10", Cell("p2"))])),),
    author="the chair",
    utterances=(Utterance("p1 · lab/one", "round 1", "p1 is right."),),
)


def test_a_name_takes_the_place_of_the_id_and_of_nothing_else() -> None:
    """Cells, headings and the speakers of utterances have the name; texts of models and other seats stay."""
    named = with_names(VIEW, NAMES)
    (table,) = named.tables

    assert ["seat", "Sceptic"] == [column.heading for column in table.columns]
    assert [["Sceptic", "p1, p2"], ["p10", "p2"]] == [[cell.text for cell in row] for row in table.rows]
    assert ("Sceptic", "p2") == table.rows[0][1].items
    assert [("Sceptic · lab/one", "p1 is right.")] == [(one.who, one.text) for one in named.utterances]


def test_without_names_nothing_changes() -> None:
    """A panel without names is shown by its ids."""
    assert with_names(VIEW, {}) is VIEW
