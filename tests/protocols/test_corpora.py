"""Every reply of the corpora is read as what its writer meant, asked for once more, or counted as not read."""

from collections import Counter

import pytest

from tests.fakes.corpora import COLUMNS, Entry, Judged, corpora, judge

CORPORA = corpora()


@pytest.fixture(scope="module")
def judged() -> dict[str, list[tuple[Entry, Judged]]]:
    """Every reply with what was the result of it, by reader."""
    return {reader: [(entry, judge(reader, entry)) for entry in entries] for reader, entries in CORPORA.items()}


@pytest.mark.parametrize("reader", CORPORA)
def test_a_reply_is_read_as_its_writer_meant_it(reader: str, judged: dict[str, list[tuple[Entry, Judged]]]) -> None:
    """Nothing else than what the corpus says comes out: neither another reading nor another fate of the reply."""
    misread = [f"{entry.name} {entry.text!r}: {found}" for entry, found in judged[reader] if found.differences(entry)]

    assert not misread, "\n".join(misread)


def test_names_are_unique() -> None:
    """A reply that fails is found by its name."""
    doubled = {
        reader: [name for name, times in Counter(entry.name for entry in entries).items() if times > 1]
        for reader, entries in CORPORA.items()
    }

    assert not {reader: names for reader, names in doubled.items() if names}


def test_no_reply_is_misread(judged: dict[str, list[tuple[Entry, Judged]]], capsys: pytest.CaptureFixture[str]) -> None:
    """The table of all readers has nothing in its last column."""
    rows, misread = [], 0
    for reader, pairs in judged.items():
        wrong = sum(bool(found.differences(entry)) for entry, found in pairs)
        right = Counter(found.outcome for entry, found in pairs if not found.differences(entry))
        misread += wrong
        rows.append("".join([f"  {reader:28}", *(f"{right[outcome]:>13}" for outcome in COLUMNS), f"{wrong:>13}"]))
    heading = "".join([f"  {'reader':28}", *(f"{title:>13}" for title in COLUMNS.values()), f"{'misread':>13}"])
    with capsys.disabled():
        print("", heading, *rows, sep="\n")

    assert not misread
