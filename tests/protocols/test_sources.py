"""Pages that a provider named, as peers see them."""

from protocols.anonymity import assign_labels
from protocols.council.results import chair_answers, shown_answers
from protocols.model_call import Answered, ModelId, ParticipantId
from protocols.sources import SourceLink, with_sources

PAGE = SourceLink(number=2, url="https://a.example/x", title="A page")
BARE = SourceLink(number=3, url="https://b.example/")


def answered(*sources: SourceLink) -> Answered:
    """Return an opinion with ``sources``."""
    return Answered(
        call_id="opinion-p1",
        participant=ParticipantId("p1"),
        model=ModelId("lab:one"),
        text="It is [2].",
        reading={"shown": "It is [2]."},
        provider="lab",
        sources=sources,
    )


def test_pages_stand_below_the_text_with_their_numbers() -> None:
    """Number, title and address, a line each; a text without pages stays as it is."""
    assert "It is [2]." == with_sources("It is [2].", ())
    told = with_sources("It is [2].", (PAGE, BARE))
    assert told.split("\n") == [
        "It is [2].",
        "",
        "Pages that the provider named for this answer:",
        "[2] A page https://a.example/x",
        "[3] https://b.example/",
    ]


def test_reviewers_and_the_chair_of_a_council_see_the_pages_of_an_answer() -> None:
    """What ``[2]`` means can be checked by the peers; who wrote the answer is still hidden from reviewers."""
    labels = assign_labels([ParticipantId("p1")], [0])
    (shown,) = shown_answers([answered(PAGE)], labels, labels.names).values()
    (told,) = chair_answers([answered(PAGE)]).values()

    assert "[2] A page https://a.example/x" in shown
    assert "lab" not in shown
    assert "[2] A page https://a.example/x" in told
