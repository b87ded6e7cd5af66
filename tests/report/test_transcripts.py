import json
import random
import zlib
from base64 import b64decode
from typing import Any

from protocols.tables import Utterance
from report.read_results import read_result
from report.transcripts import OpenedDeliberation, Packed, open_deliberation, pack, shortened
from tests.fakes import reported
from tests.fakes.reported import prose


def unpacked(packed: Packed) -> list[Any]:
    """What a browser finds in the file."""
    found: list[Any] = json.loads(zlib.decompress(b64decode(packed.data), wbits=-15))
    return found


def transcripts(count: int, letters: int) -> list[OpenedDeliberation]:
    """So many transcripts of three contributions each."""
    draws = random.Random(count)
    return [
        OpenedDeliberation(
            "Why?", prose(draws, 200), tuple(Utterance(f"p{n}", "round 1", prose(draws, letters)) for n in range(3))
        )
        for _ in range(count)
    ]


def test_what_fits_is_packed_whole() -> None:
    """Nothing is cut while there is room, and the browser reads what was written."""
    every = transcripts(5, 500)
    packed = pack(every, 100_000)
    assert (packed.limit, packed.holds) == (None, 5)
    said = [[one.who, one.where, [["p", one.text]]] for one in every[0].said]
    assert unpacked(packed)[0] == ["Why?", [["p", every[0].verdict]], said]


def test_what_does_not_fit_is_cut_and_states_so() -> None:
    """All contributions are cut to one length, the cut says how much is missing, and the result fits."""
    packed = pack(transcripts(50, 3_000), 60_000)
    assert packed.limit is not None
    assert len(packed.data) <= 60_000
    [[_name, text]] = unpacked(packed)[7][2][0][2]
    assert text.endswith("more characters]")
    assert len(text) < packed.limit + 40


def test_the_last_transcripts_go_when_even_the_shortest_cut_is_too_long() -> None:
    """A file never grows past its limit: what is left out is counted."""
    packed = pack(transcripts(200, 400), 4_000)
    assert len(packed.data) <= 4_000
    assert 0 < packed.holds < 200
    assert len(unpacked(packed)) == packed.holds


def test_nothing_is_packed_of_nothing() -> None:
    """A study without deliberations has an empty pack."""
    assert unpacked(pack([], 100)) == []


def test_a_cut_states_how_much_is_missing() -> None:
    """The remark counts the characters that were left out."""
    assert shortened("abcdef", 4) == "abcd […2 more characters]"
    assert shortened("abcd", 4) == shortened("abcd", None) == "abcd"
    assert shortened(shortened("a" * 3_000, 2_000), 1_000) == shortened("a" * 3_000, 1_000)


def test_a_text_too_long_to_keep_states_so_where_the_rest_is_whole() -> None:
    """Of a question over a long document the beginning is kept, and the page says how much is missing."""
    row = reported.row(question="a" * 70_000, verdict="b" * 60_000, result=None)
    (opened,) = unpacked(pack([open_deliberation(read_result(row))], 100_000))
    assert opened[0].endswith("aaa […10,000 more characters]")
    assert "more characters" not in str(opened[1])
