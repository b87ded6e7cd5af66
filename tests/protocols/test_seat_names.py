"""Names of seats on screens."""

import pytest

from protocols.debate.closing_view import reported
from protocols.debate.model.closing import FinalPosition, Synthesis
from protocols.flaws import Flaw, words_of
from protocols.model_call import ModelId, ParticipantId
from protocols.progress import Progress, Seat
from protocols.tables import Cell, ResultView, Table, Utterance, columns, listed, name_seats, rows, with_names
from tests.fakes.debate_results import debate_result

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
    assert [["Sceptic", "Sceptic, p2"], ["p10", "p2"]] == [[cell.text for cell in row] for row in table.rows]
    assert ("Sceptic", "p2") == table.rows[0][1].items
    assert [("Sceptic · lab/one", "p1 is right.")] == [(one.who, one.text) for one in named.utterances]


def test_without_names_nothing_changes() -> None:
    """A panel without names is shown by its ids."""
    assert with_names(VIEW, {}) is VIEW


def test_the_name_of_an_author_stands_beside_its_role() -> None:
    """The role stays, because a panel has several named seats."""
    written = VIEW._replace(author="written by the chair: lab/one")
    names = {**NAMES, ParticipantId("chair"): "Ada"}

    assert "written by the chair (Ada): lab/one" == with_names(written, names).author
    assert "written by the chair: lab/one" == with_names(written, NAMES).author


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("p1, round 3", "Sceptic, round 3"),
        ("p1 lab/one", "Sceptic lab/one"),
        ("p1 is right", "p1 is right"),
        ("p10, round 3", "p10, round 3"),
        ("see p1", "see p1"),
    ],
)
def test_an_id_with_a_round_or_a_model_is_named_and_a_sentence_is_not(text: str, named: str) -> None:
    """So do the registries of a debate and the samples of a vote; a model's words stay as they are."""
    table = name_seats(Table(columns=columns("by"), rows=rows([(Cell(text),), (listed([text]),)])), NAMES)

    assert [named, named] == [row[0].text for row in table.rows]


def test_the_close_of_a_debate_names_its_debaters() -> None:
    """The accepted motion and the final positions, which name them as the prompts do."""
    written = Synthesis(
        executive_summary="Yes.",
        final_positions=(FinalPosition(agent="p1 (one)", position="Yes."), FinalPosition(agent="p2", position="No.")),
        written_by="rule",
    )
    result = debate_result(names=NAMES, synthesis=written)

    (positions,) = [table for table in reported(result) if table.title == "Final positions"]
    assert ["Sceptic (one): Yes.", "p2: No."] == [note.text for note in positions.notes]


def test_a_flaw_of_a_running_deliberation_names_its_seat() -> None:
    """On the screen that follows it, and in the Web UI."""
    lost = Flaw(kind="fallback_model", stage="opinion", participant=ParticipantId("p1"), note="b in place of a")
    seat = Seat(participant=ParticipantId("p1"), model=ModelId("x:a"), name="Sceptic")
    progress = Progress(protocol="council", title="Why?", seats=(seat,))

    assert {"p1": "Sceptic"} == progress.names
    assert "fallback model, opinion Sceptic" == words_of(lost, progress.names)
    assert "fallback model, opinion p1" == words_of(lost, {})
