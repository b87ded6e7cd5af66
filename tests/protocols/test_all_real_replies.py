"""Every real reply beside the project goes through its readers: what was read, asked for again, refused, misread."""

from collections import Counter, defaultdict

import pytest

from tests.fakes.corpora import COLUMNS, Judged, judge
from tests.fakes.real_replies import DATA, Real, real_replies

pytestmark = [
    pytest.mark.data,
    pytest.mark.long,
    pytest.mark.timeout(300),
    pytest.mark.skipif(not DATA.is_dir(), reason="the real replies do not lie beside the project"),
]


@pytest.fixture(scope="module")
def judged() -> list[tuple[Real, Judged]]:
    """Every reply with what was the result of it."""
    return [(real, judge(real.reader, real.entry)) for real in real_replies()]


def is_misread(real: Real, found: Judged) -> bool:
    """Return whether something ended that the reply certainly does not say."""
    reading = found.reading if isinstance(found.reading, dict) else {}
    return found.outcome == "read" and any(reading.get(name) for name in real.wrong)


def test_no_real_reply_is_misread(judged: list[tuple[Real, Judged]], capsys: pytest.CaptureFixture[str]) -> None:
    """An answer accepts nothing, a judgement ranks and scores nothing; the table states what happened to each."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for real, found in judged:
        counts[real.source, real.reader][found.outcome] += 1
        counts[real.source, real.reader]["misread"] += is_misread(real, found)
    titles = ("read", "asked again", *list(COLUMNS.values())[2:], "misread")
    rows = [
        "".join(
            [f"  {source:12} {reader:24}"]
            + [
                f"{number:>12,}"
                for number in (found.total() - found["misread"], *(found[c] for c in COLUMNS), found["misread"])
            ]
        )
        for (source, reader), found in counts.items()
    ]
    with capsys.disabled():
        print(
            "",
            f"  {'source':12} {'reader':24}" + "".join(f"{title:>12}" for title in ("replies", *titles)),
            *rows,
            sep="\n",
        )

    assert not [(real.source, real.entry.name) for real, found in judged if is_misread(real, found)]


def test_refusals_are_those_that_people_called_refusals(judged: list[tuple[Real, Judged]]) -> None:
    """A full refusal is one as a rule, and what complies is none."""
    labelled = [
        (real.entry.name.rpartition(" ")[2], found.outcome == "refused")
        for real, found in judged
        if (real.source, real.reader) == ("completions", "council.opinion")
    ]
    full = [refused for label, refused in labelled if label == "2_full_refusal"]
    complied = [refused for label, refused in labelled if label == "1_full_compliance"]

    assert sum(full) >= len(full) * 0.8
    assert not any(complied)
