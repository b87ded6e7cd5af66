"""Decision 4, "Citation Format": strict numeric only, and section 2, P0: which claims are cited."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.debate.model.turn import ParsedClaim, Reference, Violation
from protocols.debate.replies.claims import read_claims
from protocols.debate.replies.references import CITATION, check
from tests.protocols.debate.parts import claim

EXAMPLE = (
    "Smith argues that AI safety is paramount [1], while recent studies\n"
    "suggest implementation challenges remain significant [2][3]."
)
"""The example of decision 4, word for word."""

REFERENCES = (
    Reference(number=1, text="Smith, J. (2024). AI Safety Principles. Nature AI."),
    Reference(number=2, text="Chen, L. (2024). Implementation Challenges. ArXiv."),
    Reference(number=3, text="Brown, A. (2024). Safety at Scale. NeurIPS."),
)


def told(prose: str, *claims: ParsedClaim) -> list[tuple[str, str]]:
    """Kind and detail of what is broken against the three references of the example."""
    return [(found.kind, found.detail) for found in check(prose, claims, REFERENCES)]


def test_the_example_of_decision_4_breaks_nothing() -> None:
    """The seed's own example, with its three references, has no violation."""
    assert [] == told(EXAMPLE)


def test_the_pattern_is_the_seeds() -> None:
    """Citations are found by the very expression that decision 4 gives."""
    assert r"\[\d+(?:-\d+)?\]" == CITATION.pattern
    assert ["[1]", "[2]", "[3]"] == CITATION.findall(EXAMPLE)


@pytest.mark.parametrize("prose", ["So it is [1].", "So it is [1][2].", "So it is [1-3].", "So it is [2-2].", ""])
def test_the_forms_of_decision_4_are_citations(prose: str) -> None:
    """Single, multiple and range are allowed, and each number in them has its reference."""
    assert [] == told(prose)


@pytest.mark.parametrize(
    ("prose", "details"),
    [
        ("So it is [4].", ["[4]"]),
        ("So it is [0].", ["[0]"]),
        ("So it is [1][4][7].", ["[4]", "[7]"]),
        ("So it is [2-5].", ["[4]", "[5]"]),
        ("So it is [0-1].", ["[0]"]),
        ("So it is [4]. And so is that [4].", ["[4]"]),
        ("So it is [1-999999].", ["[1-999999]"]),
        (f"So it is [{'9' * 5_000}].", [f"[{'9' * 79}"]),
    ],
    ids=["one", "zero", "several", "a range", "from zero", "twice", "a huge range", "a huge number"],
)
def test_a_number_without_a_reference_is_reported_once(prose: str, details: list[str]) -> None:
    """Each number that no reference has is an unknown reference, once; a range too long to look up is shown whole."""
    assert [("unknown_reference", detail) for detail in details] == told(prose)


def test_without_references_every_citation_is_unknown() -> None:
    """The References section is mandatory where anything is cited."""
    assert (
        Violation(kind="unknown_reference", detail="[1]"),
        Violation(kind="unknown_reference", detail="[2]"),
    ) == check("So it is [1][2].", (), ())


def test_a_reversed_range_cites_nothing() -> None:
    """A range whose end comes first is a violation of its own, whether or not its numbers have references."""
    assert [("reversed_range", "[3-1]"), ("reversed_range", "[9-8]")] == told("So it is [3-1][9-8][3-1].")


@pytest.mark.parametrize(
    "author",
    [
        "(Smith, 2024)",
        "(Smith 2024)",
        "(Smith et al., 2024)",
        "(Smith & Chen, 2024)",
        "(Smith and Chen, 2019a)",
        "(see Smith, 2024)",
        "(Smith, 2024, p. 7)",
        "(WHO, 2020)",
        "[Smith 2024]",
        "[Smith, 2024]",
        "[Smith et al. 2024]",
        "Smith et al. (2024)",
    ],
)
def test_author_and_year_are_no_citation(author: str) -> None:
    """Author-year formats are not numeric; the detail is what was written."""
    assert [("not_numeric", author)] == told(f"So it is {author}, I think [1].")


@pytest.mark.parametrize(
    "prose",
    [
        "Smith argues it, and Chen found in 2024 that it holds [1].",
        "It was settled (March 2024) and again (in 2019).",
        "Sales rose (Q3 2024) on Windows (Windows 2000).",
        "Two thousand people (2024) came [1].",
        "The value lies in [0, 1], or in [5, 9].",
        "See [E1] and [C3], [FACT][1], [sic] and [x].",
        "The rules of 2024 (Smith's, that is) hold.",
    ],
)
def test_names_years_and_intervals_in_prose_are_allowed(prose: str) -> None:
    """Names may be mentioned in prose; months, intervals and ids of the registries are no citations."""
    assert [] == told(prose)


@pytest.mark.parametrize("loose", ["[1, 2]", "[1,2,3]", "[1; 2]", "[1–3]"])
def test_numbers_in_another_form_are_not_strict(loose: str) -> None:
    """Lists and dashes between brackets are citations where every number in them is a reference."""
    assert [("not_numeric", loose)] == told(f"So it is {loose}.")


def test_a_fact_needs_a_citation_or_evidence() -> None:
    """P0: "MANDATORY for [FACT] claims"; evidence of the registry is as good as a citation."""
    bare, cited, grounded = (
        claim("A is.", "FACT"),
        claim("B.", "FACT", citations=(1,)),
        claim("C.", "FACT", evidence=("E1",)),
    )
    assert [("fact_uncited", "A is.")] == told("", bare, cited, grounded, bare)


def test_an_assumption_must_not_be_cited() -> None:
    """P0: "[ASSUME] MUST NOT carry citations"."""
    assert [("assume_cited", "A is.")] == told("", claim("A is.", "ASSUME", citations=(1,)), claim("B.", "ASSUME"))


@pytest.mark.parametrize(
    "said",
    [
        "[FACT] Tolls cut traffic. [1] (E2)",
        "FACT: Tolls cut traffic [1][E2].",
        *(
            "FACT 3: Tolls cut traffic [1][E2].",
            "[FACT 3] Tolls cut traffic. [1][E2]",
            "**[FACT-3]** Tolls cut traffic [1][E2].",
        ),
        "(FACT) Tolls cut traffic. [1] [E2]",
        "Tolls cut traffic [1] (E2). [FACT]",
        "Tolls cut traffic.[FACT][1][E2]",
    ],
)
def test_what_a_claim_cites_in_its_text_is_its_citation(said: str) -> None:
    """In prose and in an object, in front of the tag and behind it, and never a part of the text."""
    (tagged,), (listed,) = read_claims([], said), read_claims([[said]], "")

    assert ("FACT", (1,), ("E2",)) == (tagged.label, tagged.citations, tagged.evidence)
    assert tagged == listed
    assert "Tolls cut traffic" == tagged.text.rstrip(".")


@pytest.mark.parametrize(
    "said", ["It is a FACT that tolls cut traffic.", "The claim (FACT) is disputed.", "Facts: none."]
)
def test_a_label_within_a_sentence_is_no_tag(said: str) -> None:
    """What only speaks of a fact is no claim with that label."""
    assert not read_claims([], said)


@pytest.mark.parametrize("label", ["INFER", "OPEN"])
def test_other_claims_may_be_cited_or_not(label: str) -> None:
    """P0 encourages citations for [INFER] and says nothing of open questions."""
    assert [] == told("", claim("A is.", label, citations=(1,)), claim("B is.", label))


def test_a_claims_citations_need_references_too() -> None:
    """A number that only a claim cites is looked up like any other, and reported once."""
    assert [("unknown_reference", "[7]")] == told("So it is [7].", claim("A is.", "FACT", citations=(1, 7)))


def test_a_long_claim_is_reported_in_short() -> None:
    """The detail of a violation is a few words of the claim."""
    ((kind, detail),) = told("", claim("word " * 200, "FACT"))
    assert "fact_uncited" == kind
    assert len(detail) < 200


@given(st.text(alphabet="[]()-,;–0123 SmithA.et&"))
def test_no_prose_breaks_the_check(prose: str) -> None:
    """Whatever is written, each violation is reported once, with a detail."""
    found = told(prose)
    assert sorted(set(found)) == sorted(found)
    assert all(detail for _, detail in found)
