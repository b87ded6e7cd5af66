"""Text is read by the protocol's own reader."""

from collections.abc import Mapping

import pytest
from pydantic import BaseModel, JsonValue

from activities.providers.errors import ConfigError
from activities.reply_readers import UnreadableError, informed, read
from protocols.consensus.model import Curation, Draft, Evaluation
from protocols.council.model import Ballot, Opinion
from protocols.council.readers import READERS
from protocols.debate.model.closing import SummaryReading, SynthesisReading
from protocols.debate.model.history import SafetyVerdict, WithheldTurn
from protocols.debate.model.turn import TurnReading
from protocols.fire_circle.model import Assessment, Classification, Reading
from protocols.model_call import ParticipantId, ReaderRef
from protocols.reply_reader import ReplyReader
from tests.fakes.calls import model_call
from tests.fakes.reply_readers import COMPARING


def test_an_opinion_is_read_as_json_of_its_type() -> None:
    """The reading of an opinion becomes the protocol's value again."""
    reading = read("Blue.", ReaderRef(reader="council.opinion", needs={"own_names": []}))
    assert Opinion.model_validate(reading) == Opinion(shown="Blue.", has_header=False, has_ranking_object=False)


def test_a_ballot_is_read_as_json_of_its_type() -> None:
    """The reading of a review becomes the protocol's value again."""
    needs: dict[str, JsonValue] = {"labels": ["Response A", "Response B"], "nonce": None}
    reading = read("FINAL RANKING:\n1. Response B\n2. Response A", ReaderRef(reader="council.ballot", needs=needs))
    assert Ballot.model_validate(reading).ranking == ("Response B", "Response A")


def test_a_synthesis_needs_no_reading() -> None:
    """The chair's text is the verdict unchanged."""
    assert read("So be it.", ReaderRef(reader="council.synthesis")) is None


def test_a_first_draft_is_read_as_json_of_its_type() -> None:
    """The reading of an answer to the bare question becomes the protocol's value again."""
    reading = read("\nBlue.\n", ReaderRef(reader="consensus.draft"))
    assert Draft.model_validate(reading) == Draft(text="Blue.")


@pytest.mark.parametrize(
    ("text", "evaluation"),
    [
        ("**ACCEPT**", Evaluation(accepted=True, found_as="word")),
        ("Green.", Evaluation(accepted=False, draft="Green.", found_as="correction")),
    ],
)
def test_an_evaluation_is_read_as_json_of_its_type(text: str, evaluation: Evaluation) -> None:
    """The reading of a verdict or a correction becomes the protocol's value again."""
    reading = read(text, ReaderRef(reader="consensus.evaluation", needs={"nonce": "1f3870be27"}))
    assert Evaluation.model_validate(reading) == evaluation


def test_a_curation_is_read_as_json_of_its_type() -> None:
    """The reading of the curator's reply becomes the protocol's value again."""
    reading = read("Polished.", ReaderRef(reader="consensus.curation", needs={"nonce": "1f3870be27"}))
    assert Curation.model_validate(reading) == Curation(text="Polished.")


def test_an_assessment_is_read_as_json_of_its_type() -> None:
    """The reading of a judgement becomes the protocol's value again."""
    reading = read('{"truth": 0.1, "indeterminacy": 0.2, "falsehood": 0.8}', ReaderRef(reader="fire_circle.assessment"))
    assert Reading.model_validate(reading).assessment == Assessment(
        truth=0.1,
        indeterminacy=0.2,
        falsehood=0.8,
        source="json",
    )


@pytest.mark.parametrize(("stances", "stance"), [(True, "NO"), (False, None)])
def test_a_turn_is_read_as_json_of_its_type(stances: bool, stance: str | None) -> None:
    """The reading of a debater's turn becomes the protocol's value again; a stance only where stances were assigned."""
    reading = read(
        '{"position": "Keep it.", "stance": "CON"}', ReaderRef(reader="debate.turn", needs={"stances": stances})
    )
    turn = TurnReading.model_validate(reading)
    assert ("Keep it.", stance, "json") == (turn.position, turn.stance, turn.source)


def test_a_safety_verdict_is_read_as_json_of_its_type() -> None:
    """The reading of the evaluator's reply becomes the protocol's value again, or nothing where nothing can be read."""
    needs: dict[str, JsonValue] = {"names": ["p1 (model-1)", "p2 (model-2)"], "seats": ["p1", "p2"]}
    reading = read('{"clean": false, "withhold": ["p2"]}', ReaderRef(reader="debate.safety", needs=needs))
    withheld = WithheldTurn(agent=ParticipantId("p2"))
    assert SafetyVerdict(is_clean=False, withhold=(withheld,)) == SafetyVerdict.model_validate(reading)
    assert read("I cannot tell.", ReaderRef(reader="debate.safety")) is None


def test_a_summary_is_read_as_json_of_its_type() -> None:
    """The reading of the summariser's line becomes the protocol's value again."""
    reading = read("They moved closer.\n", ReaderRef(reader="debate.summary"))
    assert SummaryReading(one_liner="They moved closer.") == SummaryReading.model_validate(reading)


def test_a_debates_synthesis_is_read_as_json_of_its_type() -> None:
    """The reading of the synthesiser's reply becomes the protocol's value again."""
    reading = read('{"executive_summary": "Close it.", "dissent": ["Shops."]}', ReaderRef(reader="debate.synthesis"))
    expected = SynthesisReading(executive_summary="Close it.", dissent=("Shops.",))
    assert expected == SynthesisReading.model_validate(reading)


@pytest.mark.parametrize(("heuristic", "source"), [(True, "heuristic"), (False, None)])
def test_a_judgement_without_numbers_is_guessed_only_where_that_is_asked_for(
    heuristic: bool, source: str | None
) -> None:
    """What a reader needs to know reaches it; without an assessment the reading says why."""
    reading = read("A clear violation.", ReaderRef(reader="fire_circle.assessment", needs={"heuristic": heuristic}))
    understood = Reading.model_validate(reading)
    assert source == (understood.assessment.source if understood.assessment else None)
    assert heuristic is not bool(understood.why)


def test_a_classification_is_read_as_json_of_its_types() -> None:
    """The reading of a classifier's reply becomes the protocol's value again."""
    reading = read("2. Role Confusion", ReaderRef(reader="fire_circle.classification", needs={"count": 2}))
    assert Classification.model_validate(reading) == Classification(types=("", "role_confusion"))


def test_an_unknown_reader_is_refused_by_name() -> None:
    """A reader that this worker does not have is a fault of the installation."""
    with pytest.raises(ConfigError, match="council\\.oracle"):
        read("x", ReaderRef(reader="council.oracle"))


@pytest.mark.parametrize("fault", [ValueError, KeyError, RecursionError, ZeroDivisionError, AttributeError])
def test_a_reader_that_breaks_is_named_and_the_text_is_not(
    fault: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The fault says which reader broke and how, without the text."""

    def broken(text: str, _needs: Mapping[str, JsonValue]) -> BaseModel | None:
        raise fault(text)

    monkeypatch.setitem(READERS, "opinion", ReplyReader(broken))
    with pytest.raises(UnreadableError, match=fault.__name__) as unreadable:
        read("the whole answer", ReaderRef(reader="council.opinion"))
    assert "whole answer" not in str(unreadable.value)


@pytest.mark.parametrize("reader", sorted(COMPARING))
def test_a_reader_that_compares_gets_what_the_model_was_shown(reader: str) -> None:
    """All that a user or the protocol said is in it, and nothing that the model said itself."""
    messages = [{"role": role, "content": said} for role, said in (("system", "A"), ("user", "B"), ("assistant", "C"))]
    call = model_call(messages=messages, read_as={"reader": reader, "needs": {"heuristic": True}})
    assert {"heuristic": True, "shown": "A\n\nB"} == informed(call).needs
    assert {"heuristic": True} == call.read_as.needs


def test_other_readers_get_what_the_space_states_they_need() -> None:
    """No text travels to a reader that does not look at it."""
    call = model_call()
    assert informed(call) == call.read_as
