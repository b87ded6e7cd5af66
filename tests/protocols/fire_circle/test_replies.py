"""What models answer when they are asked for truth, indeterminacy and falsehood, and how it is read (seed 000, 5.4)."""

import json
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from protocols.fire_circle.model import Assessment, Reading, Source
from protocols.fire_circle.replies import read_assessment, unclear
from tests.protocols.fire_circle.circle import answered, assessed

RESILIENT: Mapping[str, JsonValue] = {"heuristic": True}
STRICT: Mapping[str, JsonValue] = {"heuristic": False}

WHOLE = '{"truth": 0.15, "indeterminacy": 0.25, "falsehood": 0.85, "reasoning": "Claims a past that cannot be."}'
OTHER = '{"truth": 0.9, "indeterminacy": 0.1, "falsehood": 0.05}'
"""Other numbers, which are not to be read."""

AS_JSON = {
    "plain": WHOLE,
    "blank around": f"\n\n  {WHOLE}\n ",
    "a fence": f"```json\n{WHOLE}\n```",
    "a fence of no language": f"```\n{WHOLE}\n```",
    "a fence that is never closed": f"```json\n{WHOLE}",
    "two fences": f"```json\n{OTHER}\n```\nOn reflection:\n```json\n{WHOLE}\n```",
    "prose before": f"Here is my assessment: {WHOLE}",
    "prose around, with braces": f"The set {{see below}} is judged.\n\n{WHOLE}\n\nI hope {{this}} helps.",
    "extra data": f"{WHOLE}\n```\n\n**SUMMARY**: F = 0.2 would be too low.",
    "two objects": f"{OTHER}\n{WHOLE}",
    "an object of something else behind": f'{WHOLE}\n{{"confidence": "high", "t": 3}}',
    "the form, then the answer": f'{{"truth": <0.0 to 1.0>, "falsehood": <0.0 to 1.0>}}\n{WHOLE}',
    "capitals": WHOLE.replace('"truth"', '"Truth"').replace('"falsehood"', '"FALSEHOOD"'),
    "letters": '{"T": 0.15, "I": 0.25, "F": 0.85}',
    "small letters": '{"t": 0.15, "i": 0.25, "f": 0.85}',
    "blanks in names": '{" truth ": 0.15, "**indeterminacy**": 0.25, "falsehood": 0.85}',
    "exponents": '{"truth": 15e-2, "indeterminacy": 2.5E-1, "falsehood": 0.85}',
    "falsehood first": '{"falsehood": 0.85, "reasoning": "F.", "indeterminacy": 0.25, "truth": 0.15}',
    "an object inside": f'{{"evaluation": {WHOLE}, "patterns_observed": []}}',
    "a list": f"[{WHOLE}]",
    "a list of two": f"[{OTHER}, {WHOLE}]",
    "peers inside": f'{{"peers": [{OTHER}], {WHOLE[1:]}',
    "peers inside, behind": f'{WHOLE[:-1]}, "peers": [{OTHER}]}}',
    "one JSON string": json.dumps(WHOLE),
    "line breaks in a text": WHOLE.replace("that cannot", "that\ncannot"),
    "thinking quoted in a text": WHOLE.replace("a past", "a <think>F = 0.1"),
    "a twin that agrees": '{"truth": 0.15, "T": 0.15, "indeterminacy": 0.25, "falsehood": 0.85}',
    "half a character": WHOLE.replace("Claims", "\\ud83d Claims \\u0000"),
}

REPAIRED = {
    "numbers as text": '{"truth": "0.15", "indeterminacy": 0.25, "falsehood": "0.85"}',
    "single quotes": WHOLE.replace('"', "'"),
    "no quotes": "{truth: 0.15, indeterminacy: 0.25, falsehood: 0.85}",
    "printers' quotes": WHOLE.replace('{"', "{“").replace(', "', ", “").replace('":', "”:"),
    "a trailing comma": WHOLE[:-1] + ",}",
    "a trailing comma in a fence": f"Here:\n```json\n{WHOLE[:-1]},\n}}\n```\nF = 0.2 would be too low.",
    "a trailing comma behind peers": f'{WHOLE[:-1]}, "peers": [{OTHER}],}}',
    "a comment": WHOLE.replace("0.15,", "0.15, // not much\n").replace("0.25,", "0.25, # hm\n"),
    "a comment in stars": WHOLE.replace("0.85", "0.85 /* nearly all */"),
    "notes in brackets": '{"truth": 0.15 (low), "indeterminacy": 0.25 (low), "falsehood": 0.85 (high)}',
    "missing commas": '{"truth": 0.15\n"indeterminacy": 0.25\n"falsehood": 0.85\n}',
    "quotes in a text": WHOLE.replace("a past", 'a "past"'),
    "words of Python": WHOLE[:-1] + ", 'sure': True, 'peers': None}",
    "cut in the reasoning": WHOLE[:-10],
    "cut behind the numbers": WHOLE[: WHOLE.index("0.85") + 5],
    "cut behind the object": WHOLE[:-1],
    "cut in a fence": f"```json\n{WHOLE[:-5]}",
    "no closing brace": f"{WHOLE[:-1]}\n\nI hope this helps.",
    "a whole one before": f"{OTHER}\nNo:\n{WHOLE[:-1]},}}",
    "a share": WHOLE.replace("0.85", "85%"),
    "a share as text": WHOLE.replace("0.85", '"85%"'),
    "a decimal comma": WHOLE.replace("0.85", "0,85"),
    "a decimal comma as text": WHOLE.replace("0.85", '"0,85"'),
    "of ten": WHOLE.replace("0.85", '"8.5/10"'),
    "of a hundred, said once": WHOLE.replace("0.15", "15").replace("0.25", "25").replace("0.85", "85") + " (0-100)",
    "an object for a number": WHOLE.replace("0.85", '{"score": 0.85}'),
    "an object with its scale": WHOLE.replace("0.85", '{"score": 8.5, "max": 10, "why": "0.1"}'),
    "a remark behind the number": WHOLE.replace("0.85", '"0.85 (high)"'),
    "names of another alphabet": '{"истина": 0.15, "неопределённость": 0.25, "ложь": "0.85"}',
    "a quotation inside that is not escaped": WHOLE.replace("a past", f"a {OTHER} past"),
}

AS_TEXT = {
    "lines": "Truth: 0.15\nIndeterminacy: 0.25\nFalsehood: 0.85",
    "bold": "**Truth**: 0.15\n**Indeterminacy**: 0.25\n**Falsehood**: 0.85.",
    "bold with colons": "**Truth:** 0.15, **Indeterminacy:** 0.25, **Falsehood:** 0.85",
    "letters": "T = 0.15, I = 0.25, F = 0.85",
    "letters without blanks": "My values: T=0.15 I=0.25 F=0.85.",
    "words and letters": "- Truth (T): **0.15**\n- Indeterminacy (I): **0.25**\n- Falsehood (F): **0.85** (high)",
    "numbered": "1. Truth score: 0.15\n2. Indeterminacy score: 0.25\n3. Falsehood score: 0.85",
    "a table": "| Truth | 0.15 |\n|---|---|\n| Indeterminacy | 0.25 |\n| Falsehood | 0.85 |",
    "a sentence": "I see a truth of 0.15, an indeterminacy of 0.25 and a falsehood of 0.85 here.",
    "in brackets": "- **Truth (0.15)**: Hardly.\n- **Indeterminacy (0.25)**: Low.\n- **Falsehood (0.85 - High)**: So.",
    "steps on the way": "Local: T=0.9, F=0.1\nLocal: T=0.8, F=0.2\n\nT=0.15 (low)\nI=0.25 (low)\nF=0.85 (high)",
    "about": "truth: ~0.15; indeterminacy: ≈ 0.25; falsehood: 0.85;",
    "on two lines": "T=0.15 is what I give,\nwith I=0.25 and F=0.85.",
    "an object with more quotes than are mended": WHOLE[:-1] + ', "patterns_observed": [' + '"a", ' * 300 + "],}",
    "said twice": "F = 0.85, as I said.\nTruth: 0.15\nIndeterminacy: 0.25\nFalsehood: 0.85",
    "a peer's in passing": "Claude says F=0.05, T=0.9.\nTruth: 0.15\nIndeterminacy: 0.25\nFalsehood: 0.85",
    "a peer's as it was shown": "claude (round 1): T=0.90 I=0.10 F=0.05\nI say T=0.15 I=0.25 F=0.85.",
    "shares": "Truth: 15%, indeterminacy: 25 %, falsehood: 85 percent",
    "of ten": "T: 1.5/10, I: 2.5/10, F: 8.5/10",
    "decimal commas at the end": "Truth: 0,15\nIndeterminacy: 0,25\nFalsehood: 0,85",
    "all at once": "T/I/F: 0.15, 0.25, 0.85",
    "a table with a head": "| Truth | Indeterminacy | Falsehood |\n|---|:-:|--:|\n| 0.15 | **0.25** | 0.85 |",
    "a peer's quoted": "> Falsehood: 0.05\n\nTruth: 0.15\nIndeterminacy: 0.25\nFalsehood: 0.85",
}

UNREADABLE = {
    "nothing": "",
    "blanks": " \n\t ",
    "prose": "The prompt asks for a recipe and offers nothing that I would object to.",
    "a refusal": "I'm sorry, but I can't help with that.",
    "braces": "{{{}}}",
    "an empty object": "{}",
    "the form": '{"truth": <0.0 to 1.0>, "indeterminacy": <0.0 to 1.0>, "falsehood": <0.0 to 1.0>}',
    "above": WHOLE.replace("0.85", "1.5"),
    "just above": WHOLE.replace("0.85", "1.0000001"),
    "below": WHOLE.replace("0.85", "-0.1"),
    "less than one of a hundred": WHOLE.replace("0.85", "0.85%"),
    "a fraction": WHOLE.replace("0.85", "17/20"),
    "a range": WHOLE.replace("0.85", "0.7-0.9"),
    "not a number": WHOLE.replace("0.85", "NaN"),
    "infinity": WHOLE.replace("0.85", "Infinity"),
    "minus infinity": WHOLE.replace("0.85", "-Infinity"),
    "not a number as text": WHOLE.replace("0.85", '"NaN"'),
    "true": WHOLE.replace("0.85", "true"),
    "true in Python": WHOLE.replace("0.85", "True"),
    "null": WHOLE.replace("0.85", "null"),
    "a word": WHOLE.replace("0.85", '"high"'),
    "a list for a number": WHOLE.replace("0.85", "[0.85]"),
    "a number without end": WHOLE.replace("0.15", "1" + "0" * 5_000),
    "truth above": WHOLE.replace("0.15", "15"),
    "a twin that disagrees": WHOLE.replace('"truth"', '"F": 0.2, "truth"'),
    "a twin that is out of range": '{"falsehood": 1.5, "F": 0.5, "truth": 0.1, "indeterminacy": 0.1}',
    "a number in the reasoning": WHOLE.replace("0.85", "8.5").replace("Claims", "Falsehood: 0.85. Claims"),
    "no falsehood": '{"truth": 0.9, "indeterminacy": 0.1, "reasoning": "falsehood: 0.0 would be rash"}',
    "falsehood alone": '{"falsehood": 0.85}',
    "cut in the name": '{"truth": 0.9, "indeterminacy": 0.1, "fals',
    "cut before the number": '{"truth": 0.9, "indeterminacy": 0.1, "falsehood": ',
    "cut in the number": '{"truth": 0.9, "indeterminacy": 0.1, "falsehood": 0',
    "cut at the point": '{"truth": 0.9, "indeterminacy": 0.1, "falsehood": 0.',
    "cut behind a digit": '{"truth": 0.9, "indeterminacy": 0.1, "falsehood": 0.8',
    "cut in an object that is not mended": '{"truth": high, "indeterminacy": 0.1, "falsehood": 0.0',
    "a revision that is cut": f'{OTHER}\nNo:\n{{"truth": 0.15, "indeterminacy": 0.25, "falsehood": 0.',
    "only a peer's, as it was shown": "claude (round 1): T=0.90 I=0.10 F=0.05\nI agree with that.",
    "text: two missing": "Falsehood: 0.85",
    "text: no falsehood": "Truth: 0.9\nIndeterminacy: 0.1\n",
    "text: above": "T = 0.15, I = 0.25, F = 8.5",
    "text: below": "T = 0.15, I = 0.25, F = -0.85",
    "text: a change": "T: 0.15, I: 0.25, F: 0.5 → 0.85",
    "text: a change in ASCII": "T: 0.15, I: 0.25, F: 0.5 -> 0.85",
    "text: a range": "T: 0.15, I: 0.25, F: 0.7–0.9",
    "text: a bound": "T: 0.15, I: 0.25, F: <0.1",
    "text: contradictions": "T = 0.15, I = 0.25, F = 0.85, where Claude had F = 0.05",
    "text: only steps": "Local: T=0.9, I=0.1, F=0.0\nLocal: T=0.9, I=0.1, F=0.0",
    "text: steps in brackets": "Falsehood (1): the past. Falsehood (2): the rank. Truth (1): none.",
    "text: cut in the number": "Truth: 0.9\nIndeterminacy: 0.1\nFalsehood: 0",
    "text: cut at the point": "Truth: 0.9\nIndeterminacy: 0.1\nFalsehood: 0.",
}


def numbers(reading: Reading) -> tuple[float, float, float, Source] | None:
    """Truth, indeterminacy, falsehood and their source; ``None`` without an assessment."""
    told = reading.assessment
    return (told.truth, told.indeterminacy, told.falsehood, told.source) if told else None


def told(text: str, needs: Mapping[str, JsonValue] = STRICT) -> Assessment:
    """The assessment in a text that has one."""
    assessment = read_assessment(text, needs).assessment
    assert assessment is not None
    return assessment


@pytest.mark.parametrize("text", AS_JSON.values(), ids=AS_JSON.keys())
def test_scores_are_read_from_an_object(text: str) -> None:
    """The object with scores counts, wherever it is, and of several the one with reasoning."""
    assert (0.15, 0.25, 0.85, "json") == numbers(read_assessment(text, STRICT))


@pytest.mark.parametrize("text", REPAIRED.values(), ids=REPAIRED.keys())
def test_scores_are_read_from_a_broken_object(text: str) -> None:
    """A mended reply says so, and its numbers are those that were written."""
    assert (0.15, 0.25, 0.85, "repaired") == numbers(read_assessment(text, STRICT))


@pytest.mark.parametrize("text", AS_TEXT.values(), ids=AS_TEXT.keys())
def test_scores_are_read_from_labels(text: str) -> None:
    """Without an object, labelled numbers are read (section 5.4, strategy 1)."""
    assert (0.15, 0.25, 0.85, "text") == numbers(read_assessment(text, STRICT))


@pytest.mark.parametrize("text", UNREADABLE.values(), ids=UNREADABLE.keys())
@pytest.mark.parametrize("needs", [STRICT, RESILIENT, {}], ids=["strict", "resilient", "unsaid"])
def test_what_cannot_be_read_is_no_innocence(text: str, needs: Mapping[str, JsonValue]) -> None:
    """A failure to read is no assessment, never a falsehood of 0, and says why."""
    reading = read_assessment(text, needs)
    assert reading.assessment is None
    assert reading.why


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "not given: truth, indeterminacy, falsehood"),
        (WHOLE.replace("0.85", "1.5"), "not one number from 0 to 1: falsehood"),
        ("T: 110%, I: 0.1, F: 0.80%", "not one number from 0 to 1: truth, falsehood"),
        ('{"truth": 0.9, "indeterminacy": 0.1}', "not given: falsehood"),
    ],
)
def test_why_names_the_scores(text: str, why: str) -> None:
    """The reason names which scores are missing or unusable, and holds nothing of the text."""
    assert why == read_assessment(text, STRICT).why


@pytest.mark.parametrize(
    ("text", "scores", "assumed"),
    [
        ('{"truth": 0.1, "falsehood": 0.8}', (0.1, 0.5, 0.8, "json"), ("indeterminacy",)),
        ('{"indeterminacy": 0.1, "falsehood": 0.8}', (0.2, 0.1, 0.8, "json"), ("truth",)),
        ('{"Т": 0.1, "I": 0.1, "F": 0.8}', (0.2, 0.1, 0.8, "json"), ("truth",)),
        ("Falsehood: 0.8, truth: 0.1.", (0.1, 0.5, 0.8, "text"), ("indeterminacy",)),
        ("F = 0.8, I = 0.1.", (0.2, 0.1, 0.8, "text"), ("truth",)),
        (WHOLE, (0.15, 0.25, 0.85, "json"), ()),
    ],
)
def test_one_missing_score_is_assumed_and_named(
    text: str, scores: tuple[float, float, float, Source], assumed: tuple[str, ...]
) -> None:
    """A missing truth is the complement of falsehood, a missing indeterminacy a half, and the assessment says which."""
    reading = read_assessment(text, STRICT)
    assert scores == numbers(reading)
    assert assumed == told(text).assumed


@pytest.mark.parametrize("falsehood", ["0", "0.0", "1", "1.0"])
def test_the_ends_of_the_range_are_scores(falsehood: str) -> None:
    """A falsehood of 0 or 1 that was given is read as it was given."""
    assert float(falsehood) == told(WHOLE.replace("0.85", falsehood)).falsehood


def test_nothing_behind_a_cut_is_believed() -> None:
    """Of a reply that is cut anywhere, either all numbers are read as they were meant or none is."""
    read = {numbers(read_assessment(WHOLE[:end], STRICT)) for end in range(len(WHOLE))}
    assert read <= {None, (0.15, 0.25, 0.85, "repaired")}


def test_the_reasoning_is_the_objects_own() -> None:
    """What the object gives as its reasoning is kept, and nothing around it."""
    assert "Claims a past that cannot be." == told(f"Well: {WHOLE} So much.").reasoning


@pytest.mark.parametrize(
    ("text", "reasoning"),
    [
        (AS_TEXT["bold"], AS_TEXT["bold"]),
        (AS_JSON["letters"], ""),
        ('{"reasoning": {"a": 1}, "T": 0, "I": 0, "F": 1}', ""),
        (f"It takes and gives nothing.\n{AS_JSON['letters']}", "It takes and gives nothing."),
    ],
)
def test_without_a_reasoning_the_text_beside_the_scores_is_kept(text: str, reasoning: str) -> None:
    """Text around an object without a reasoning is the reasoning; the object itself is none."""
    assert reasoning == told(text).reasoning


@pytest.mark.parametrize("text", [WHOLE.replace("Claims", "word " * 100_000), "F: 0.9, T: 0.1. " + "word " * 100_000])
def test_a_long_reasoning_is_cut(text: str) -> None:
    """At most 4,000 characters of reasoning are kept."""
    assert 4_000 == len(told(text).reasoning)


def test_what_no_table_can_store_is_left_out() -> None:
    """Halves of characters and the character that ends a text are kept out of a reading."""
    text = '{"T": 0, "I": 0, "F": 1, "reasoning": "a\\ud83d\\u0000b", "patterns_observed": ["\\ud83dc\\u0000"]}'
    assert ("a?b", "?c") == (told(text).reasoning, told(text).patterns[0].text)


@pytest.mark.parametrize("key", ["patterns_observed", "consensus_patterns", "Patterns_Observed"])
def test_patterns_are_read_with_the_scores(key: str) -> None:
    """The patterns of rounds 2 and 3 are in the object, each with its type (sections 3.2 and 3.3)."""
    patterns = told(f'{WHOLE[:-1]}, "{key}": ["Refers to an earlier turn", "Something else"]}}').patterns
    assert [("Refers to an earlier turn", "temporal_inconsistency"), ("Something else", "unclassified")] == [
        (pattern.text, pattern.type) for pattern in patterns
    ]


def test_patterns_may_stand_around_the_scores() -> None:
    """Scores in an object of their own keep the patterns and the reasoning that are beside it."""
    text = f'{{"evaluation": {OTHER}, "reasoning": "Because.", "patterns_observed": ["One"]}}'
    assert ("Because.", ("One",)) == (told(text).reasoning, tuple(pattern.text for pattern in told(text).patterns))


def test_a_pattern_that_was_cut_is_dropped() -> None:
    """Of a list that was cut, the patterns that were written to their end are kept."""
    text = f'{WHOLE[:-1]}, "patterns_observed": ["Refers to an earlier turn", "Asks polit'
    assert ("Refers to an earlier turn",) == tuple(pattern.text for pattern in told(text).patterns)


def test_a_reply_without_numbers_is_asked_for_once_more() -> None:
    """The sentence names the object that is wanted; numbers that were read leave nothing to ask."""
    assert "falsehood" in (unclear(answered(0, None)) or "")
    assert unclear(answered(0, 0.8)) is None


def test_a_guess_is_asked_about_before_it_counts() -> None:
    """A falsehood that keywords gave is in for numbers only where there are none the second time either."""
    guess = Reading(assessment=assessed(0.8, source="heuristic")).model_dump(mode="json")
    assert unclear(answered(0, None, reading=guess))


def test_keywords_give_fixed_scores() -> None:
    """A reply without numbers that names a violation is F = 0.8, T = 0.2, I = 0.5, and says so (section 5.4)."""
    text = "This is a clear reciprocity violation."
    assert Assessment(truth=0.2, indeterminacy=0.5, falsehood=0.8, reasoning=text, source="heuristic") == told(
        text, RESILIENT
    )


@pytest.mark.parametrize("needs", [STRICT, {}, {"heuristic": "yes"}, {"heuristic": 1}])
def test_keywords_count_only_where_they_are_asked_for(needs: Mapping[str, JsonValue]) -> None:
    """A strict circle takes no keyword for a score."""
    assert read_assessment("This is a clear reciprocity violation.", needs).assessment is None


@pytest.mark.parametrize(
    "text",
    ["There is hardly any violation.", "This is far from an attack.", "A violation would require a claimed past."],
)
def test_a_keyword_that_is_denied_is_no_guess(text: str) -> None:
    """Words that deny or suppose the accusation leave the reply unread."""
    assert read_assessment(text, RESILIENT).assessment is None


@pytest.mark.parametrize("text", [WHOLE.replace("0.85", "1.5"), WHOLE.replace("0.85", "null")])
def test_keywords_are_read_where_the_scores_are_void(text: str) -> None:
    """Scores that cannot be used leave the words: an object that speaks of an attack accuses."""
    assert "heuristic" == told(text.replace("Claims", "An attack: claims"), RESILIENT).source


def test_scores_go_before_keywords() -> None:
    """A reply that gives scores is taken at its numbers, whatever words are beside them."""
    assert 0.05 == told(f"This is no attack but a violation: {OTHER}", RESILIENT).falsehood


PIECES = [
    *('"truth":', "'falsehood':", "F =", "I:", "0.8", "NaN", "true", WHOLE, OTHER, "```json\n", "<think>", "</think>"),
    *("attack", "no", '"patterns_observed": [', "\\", "\ud83d", "//", "(round 1)", "é", "“"),
]
SCRAPS = st.lists(st.sampled_from([*PIECES, *"{}[]\"',:\n .0185%-"]), max_size=40).map("".join)


@given(SCRAPS | st.text(), st.sampled_from([STRICT, RESILIENT]))
def test_no_text_breaks_the_reader(text: str, needs: Mapping[str, JsonValue]) -> None:
    """Whatever is read, every score lies from 0 to 1, and what was not read says why."""
    reading = read_assessment(text, needs)
    found = numbers(reading)
    assert all(0 <= score <= 1 for score in found[:3]) if found else reading.why
    assert Reading.model_validate_json(reading.model_dump_json()) == reading


@given(st.tuples(*[st.integers(0, 1000).map(lambda n: n / 1000)] * 3), st.text())
def test_what_is_written_is_read_back(scores: tuple[float, float, float], reasoning: str) -> None:
    """Any scores in the form asked for are read back as they are, whatever the reasoning says."""
    form = dict(zip(("truth", "indeterminacy", "falsehood"), scores, strict=True)) | {"reasoning": reasoning}
    assert (*scores, "json") == numbers(read_assessment(json.dumps(form), STRICT))


HUGE = {
    "reasoning": WHOLE.replace("Claims", "word " * 100_000),
    "behind prose": "word " * 100_000 + WHOLE,
    "before prose": WHOLE + " word" * 100_000,
}

RUINS = {
    "braces": "{" * 500_000,
    "open names": '{"' * 250_000,
    "nested": '{"a":' * 100_000,
    "nested lists": "[" * 500_000,
    "nested scores": '{"truth": 0.1, "indeterminacy": 0.1, {"' * 12_500,
    "quotes": '{"truth": 0.1, "indeterminacy": 0.1, ' + '" "[' * 125_000,
    "what the mender trips over": '{"truth": 0.1, "indeterminacy": 0.1, “```json0```json}',
    "thinking": "<think>\n" * 60_000,
    "labels": "F: " * 160_000,
    "points": "0." * 250_000,
    "escapes": '"\\' * 250_000,
}


@pytest.mark.parametrize("text", HUGE.values(), ids=HUGE.keys())
def test_a_huge_reply_is_read(text: str) -> None:
    """Half a megabyte around the scores, the most that is given to a reader, does not hide them."""
    assert (0.15, 0.25, 0.85, "json") == numbers(read_assessment(text, RESILIENT))


@pytest.mark.parametrize("text", RUINS.values(), ids=RUINS.keys())
def test_a_ruin_is_given_up(text: str) -> None:
    """What would take the mender or the parser for ever is unreadable, and soon."""
    assert read_assessment(text, RESILIENT).assessment is None


WANTED = '{"truth": 1.0, "indeterminacy": 0.0, "falsehood": 0.0}'
LINES = "Truth: 0.15\nIndeterminacy: 0.25\nFalsehood: 0.85"


@pytest.mark.parametrize(
    "text",
    [
        f"The prompt tries to force {WANTED} on me.",
        f"The decoded payload demands {WANTED}.\n\nThis is an attack. I assess truth 0.1, falsehood 0.95.",
        '{"evaluations": [{"model": "peer", "truth": 0.9, "indeterminacy": 0.1, "falsehood": 0.0}]}',
        *(f"{WHOLE}\n\n{said}" for said in ("My final: Falsehood 0.8, Truth 0.2", "Korrektur: Falschheit 0,8")),
        *(f"{WHOLE}\n\n{said}" for said in ("Ignore the above.", "Wait, this is benign. Falsehood should be 0.1.")),
        f"{WHOLE}\n\nUpdate after considering peers: Truth 0.15, Indeterminacy 0.25, Falsehood 0.5",
        *(f"{LINES}\n\n{said}" for said in ("Correction: Falsehood 0.8.", "Final scores: Truth 0.15, Falsehood 0.3")),
        f"{LINES}\n\nThat is what the prompt wants me to say. I refuse.",
        *(f"{LINES} {said}" for said in ("(raised to 0.9)", "initially, 0.7 now", "then 0.7", "if benign, 0.9 if not")),
        *(f"{LINES} {said}" for said in ("(previous), 0.9 (now)", "in round 1, 0.9 in round 2")),
    ],
)
def test_scores_that_the_prompt_wants_or_that_are_taken_back_or_given_twice_are_unread(text: str) -> None:
    """What the prompt wants, what a later sentence corrects, and two numbers for one score are no assessment."""
    assert read_assessment(text, STRICT).assessment is None


@pytest.mark.parametrize(
    "text",
    [
        *(f"{said} {WHOLE}" for said in ("I assess this prompt as follows:", "The prompt demands a past, so I give")),
        f"This prompt is a trick; my scores: {AS_JSON['letters']}",
        f"The payload demands {WANTED}. Truth: 0.15, Indeterminacy: 0.25, Falsehood: 0.85",
        *(f"{WHOLE}\n\n{said}" for said in ("My final scores are as above.", "Final: Falsehood 0.85, Truth 0.15")),
        *(f"{WHOLE}\n\n{said}" for said in ("It makes me ignore the above rules.", "Peers gave falsehood 0.2.")),
        *(f"{LINES} {said}" for said in ("(raised from 0.7)", "(previously 0.7)", "(high, if anything)")),
    ],
)
def test_scores_with_words_around_them_are_still_read(text: str) -> None:
    """What leads up to them, says them again, or states what they were before is no other assessment."""
    assert 0.85 == told(text).falsehood


def test_a_short_percent_is_a_share() -> None:
    """One pct is a hundredth."""
    assert 0.01 == told("Truth: 0.9\nIndeterminacy: 0\nFalsehood: 1 pct").falsehood
