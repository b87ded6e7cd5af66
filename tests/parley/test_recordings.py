"""Recordings as files: what is read from them, what is refused, and whom they seat."""

import json
from pathlib import Path
from typing import Any

import pytest

from parley.errors import RequestError
from parley.options.consensus import ConsensusOptions
from parley.options.council import CouncilOptions
from parley.options.debate import DebateOptions
from parley.options.equal_cost import VoteOptions
from parley.recordings import RecordedAnswer, Recording, RecordingHead, load_recording, write_lines
from protocols.panel import Panel
from protocols.sources import SourceLink

HEAD: dict[str, Any] = {"recording": 1, "protocol": "council", "question": "Why?", "models": {}}
ANSWER = {"stage": "opinion", "participant": "p1", "text": "Because."}


def written(path: Path, *lines: Any) -> str:
    """A recording in a file."""
    file = path / "held.jsonl"
    file.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return str(file)


def test_answers_alone_are_a_recording(tmp_path: Path) -> None:
    """A line needs a stage, a participant and a text; blank lines and fields of others do not matter."""
    read = Recording.read(written(tmp_path, ANSWER, "", ANSWER | {"round": 2, "mood": "calm", "finish": "truncated"}))

    assert [(one.stage, one.round, one.finish) for one in read.answers] == [
        ("opinion", 1, "complete"),
        ("opinion", 2, "truncated"),
    ]
    assert read.head == RecordingHead()


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """Head and answers come back as they were, line ends and marks in texts included."""
    head = RecordingHead(protocol="debate", question="Täglich?\u2028", models={"p1": "a:b"})
    sources = (SourceLink(number=2, url="https://a.example/1", title="Täglich", excerpt="Ja.", start=1, end=4),)
    answers = (RecordedAnswer(stage="turns", participant="p1", text="1\n2\u0085\r\n{}", call="t1", sources=sources),)
    file = tmp_path / "held.jsonl"
    file.write_bytes(b"".join(write_lines(head, answers)))

    assert Recording.read(str(file)) == Recording(head=head, answers=answers)


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ((HEAD,), "has no answer"),
        ((ANSWER, "[1]"), "line 2 of the recording is no JSON object"),
        ((ANSWER, "{"), "line 2 of the recording is no JSON object"),
        ((HEAD, {"stage": "opinion", "text": "x"}), "'participant' is missing"),
        ((HEAD | {"recording": 2}, ANSWER), "'recording' is missing or is of another kind"),
    ],
    ids=["no answer", "a list", "no JSON", "no participant", "a later form"],
)
def test_a_file_that_is_no_recording_is_refused_by_line(tmp_path: Path, lines: tuple[Any, ...], said: str) -> None:
    """The message names the line and what is wrong with it."""
    with pytest.raises(RequestError, match=said):
        Recording.read(written(tmp_path, *lines))


def test_a_file_that_is_not_there_is_named() -> None:
    """The path is in the message."""
    with pytest.raises(RequestError, match=r"no\.jsonl"):
        Recording.read("no.jsonl")


def test_those_who_took_part_take_part_again(tmp_path: Path) -> None:
    """Without any model named, the panel is the recording's, seat by seat, each model of the recording."""
    models = {f"p{n}": f"openrouter:m/{n}" for n in range(1, 12)} | {"chair": "cerebras:c"}
    options = CouncilOptions.of({"rehearse": True, "playback": written(tmp_path, HEAD | {"models": models}, ANSWER)})
    panel = options.seated()

    assert [one.model for one in panel.participants] == [f"recorded:m/{n}" for n in range(1, 12)]
    assert (panel.chair.model, panel.chair_fallbacks) == ("recorded:c", ())


def test_models_in_the_answers_are_enough(tmp_path: Path) -> None:
    """A recording without a head says with its answers who took part."""
    names = ("generator", "refiner", "validator")
    path = written(tmp_path, *(ANSWER | {"participant": name, "model": f"m/{name}"} for name in names))
    panel = ConsensusOptions.of({"rehearse": True, "playback": path}).seated()

    assert [one.model for one in panel.participants] == [f"recorded:m/{name}" for name in names]


def test_models_that_are_named_win(tmp_path: Path) -> None:
    """What the person names is seated, and is given the recorded answers of that seat."""
    path = written(tmp_path, HEAD | {"protocol": "vote", "models": {"p1": "m/recorded"}}, ANSWER)
    given = {"rehearse": True, "playback": path}

    assert VoteOptions.of(given).models == ("m/recorded",)
    assert VoteOptions.of({**given, "models": ["m/mine"]}).models == ("m/mine",)


def test_a_recording_wants_a_rehearsal_and_its_own_protocol(tmp_path: Path) -> None:
    """Real models cannot be played, and a council's answers make no debate."""
    path = written(tmp_path, HEAD, ANSWER)

    with pytest.raises(RequestError, match="add --rehearse"):
        CouncilOptions.of({"playback": path})
    with pytest.raises(RequestError, match="is of the protocol council"):
        _ = DebateOptions.of({"rehearse": True, "playback": path}).recording


def test_without_draws_the_first_answer_is_response_a(tmp_path: Path) -> None:
    """Labels and orders are those of the panel, so that a ranking in a recorded text means whom its writer meant."""
    panel = Panel.of(("a:1", "a:2", "a:3"), "a:1")
    draws = Recording.read(written(tmp_path, ANSWER)).draws_for(panel)

    seats = tuple(one.id for one in panel.participants)
    draws.require(order=seats, labels=seats, nonces=panel.seats)
    assert sorted(draws.labels, key=lambda seat: draws.labels[seat]) == ["p1", "p2", "p3"]
    assert {(0.0, 1.0, 2.0)} == set(draws.shown.values())


async def test_without_a_rehearsal_server_nothing_begins(tmp_path: Path) -> None:
    """The message says how to start one."""
    recording = Recording.read(written(tmp_path, ANSWER))

    with pytest.raises(RequestError, match="parley up --rehearse"):
        await load_recording("http://127.0.0.1:9", "one", recording)
