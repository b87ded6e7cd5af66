"""Compression of values with a dictionary: what it saves, and that any reader of Zstandard reads it."""

import hashlib
from pathlib import Path

import pytest
import zstandard

import protocols
from bench.dictionary import build, measure, reply
from bench.peers.provider import text
from protocols.text_dictionary import CONTENT
from runtime.compression import packed
from runtime.value_compression import packed_value, unpacked_value

FILE = Path(protocols.__file__).with_name("dictionary-1.bin")
ENGLISH = (
    "Both languages serve a scientist well, and the choice depends on what the group already uses. Python has the "
    "larger community and the more complete libraries, so help is easy to find. Julia is faster where loops cannot be "
    "avoided, and its syntax is close to mathematics. I would begin with Python and learn Julia when a program is slow."
)
GERMAN = (
    "Die Gutachter zweifeln, ob der Vorschlag für die Stadtmitte überhaupt umgesetzt werden kann, weil Händler fehlen."
)


@pytest.mark.parametrize("content", [b"", b"{}", ENGLISH.encode(), GERMAN.encode(), bytes(range(256)) * 50])
def test_what_is_packed_is_unpacked(content: bytes) -> None:
    """Any bytes come back as they were."""
    assert content == unpacked_value(packed_value(content))


@pytest.mark.parametrize("written", [ENGLISH, GERMAN, text(b"lab/model")], ids=["English", "German", "words by chance"])
def test_a_reply_is_shorter_with_the_dictionary(written: str) -> None:
    """Its names and numbers cost few bytes, in any language; text that it does not know becomes little longer."""
    whole, alone = reply(written, 3), written.encode()

    assert len(packed_value(whole)) < 0.85 * len(packed(whole))
    assert len(packed_value(alone)) < 1.05 * len(packed(alone))


def test_another_reader_of_the_format_reads_it_with_the_file() -> None:
    """A value says the number of its dictionary, and the file in the package is all that it takes."""
    packed = packed_value(ENGLISH.encode())
    dictionary = zstandard.ZstdCompressionDict(FILE.read_bytes())

    assert dictionary.dict_id() == zstandard.get_frame_parameters(packed).dict_id > 0
    assert ENGLISH.encode() == zstandard.ZstdDecompressor(dict_data=dictionary).decompress(packed)


@pytest.mark.parametrize("damaged", [b"", b"no frame", packed_value(b"x" * 500)[:-3]])
def test_what_is_damaged_is_no_text(damaged: bytes) -> None:
    """It is nothing, and no error of a library."""
    assert unpacked_value(damaged) is None


def test_a_frame_of_another_dictionary_is_no_text() -> None:
    """What a later version compressed is not taken for something else."""
    other = bytearray(FILE.read_bytes())
    other[4:8] = (77_777).to_bytes(4, "little")
    packed = zstandard.ZstdCompressor(dict_data=zstandard.ZstdCompressionDict(bytes(other))).compress(b"x" * 500)

    assert unpacked_value(packed) is None


def test_the_dictionary_never_changes() -> None:
    """It is part of every history: another one is another file."""
    assert "d24a8c77bd4bf0f384f5bfc15494f34343d17ff2d99ed2520d66b7e3a12a4ffd" == hashlib.sha256(CONTENT).hexdigest()


@pytest.mark.long
def test_a_dictionary_is_made_of_this_tree() -> None:
    """The command makes one of the same kind, with the templates of every protocol in it."""
    made = build()

    assert zstandard.ZstdCompressionDict(made).dict_id() == zstandard.ZstdCompressionDict(CONTENT).dict_id()
    assert b"You are one of several reviewers." in made


def test_what_it_saves_is_a_table() -> None:
    """A row for replies, their texts and templates: bytes as they are, compressed, and with the dictionary."""
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in measure([ENGLISH, GERMAN])]
    plain, compressed, short = zip(*(map(int, row[1:]) for row in rows), strict=True)

    assert ["a reply", "its text", "the templates of a protocol"] == [row[0] for row in rows]
    assert round((len(ENGLISH.encode()) + len(GERMAN.encode())) / 2) == plain[1]
    assert all(a > b > c for a, b, c in zip(plain, compressed, short, strict=True))
