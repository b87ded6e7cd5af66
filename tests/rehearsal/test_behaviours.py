"""Every behaviour is played once and held against what it is there for."""

import json
import re
from ast import literal_eval
from collections.abc import Callable
from dataclasses import replace

import pytest

from protocols.refusals import is_refusal
from protocols.thinking import split_thinking
from rehearsal.api.server import Rehearsal
from rehearsal.models.behaviours import BEHAVIOURS, MEGABYTE, THOUGHT_FORMS, reply_of
from rehearsal.models.consensus import MOST_ROUNDS
from rehearsal.models.debate_roles import ROLES
from rehearsal.models.debate_styles import STYLES
from rehearsal.models.final_answers import MINDS
from rehearsal.models.fire_circle_formats import DIALOGUES
from rehearsal.models.prompt_recognition import RecognisedPrompt, recognise
from rehearsal.models.replies import Reply, Speaker
from rehearsal.models.schema_forms import FORMS
from tests.rehearsal.circles import HISTORY, LATER, PEERS, STAGES, prompt_at
from tests.rehearsal.listening import QUESTION, Heard, ask
from tests.rehearsal.test_consensus_play import DRAFT, curation_prompt, evaluation_prompt, said
from tests.rehearsal.test_council_play import answers_of, ranked, review_prompt

LABELS = list(answers_of())

REVIEWED: dict[str, Callable[[str], bool]] = {
    "plain": lambda t: sorted(ranked(t)) == LABELS,
    "no-ranking": lambda t: "FINAL RANKING" not in t and "Response A" in t,
    "partial-ranking": lambda t: len(ranked(t)) == 3 and set(ranked(t)) < set(LABELS),
    "duplicate-ranking": lambda t: ranked(t)[0] == ranked(t)[1] and len(ranked(t)) == len(LABELS) + 1,
    "unknown-label": lambda t: ranked(t)[1] == "Response Z",
    "chain-ranking": lambda t: ranked(t) == [""] and t.splitlines()[-1].count(" > ") == len(LABELS) - 1,
    "medal-ballot": lambda t: "🥇" in t.splitlines()[-1],
    "table-ballot": lambda t: t.splitlines()[-1].startswith(f"| {LABELS[-1]} |"),
    "place-ballot": lambda t: " – rank " in t.splitlines()[-1],
    "line-ballot": lambda t: " 1. " in t.splitlines()[-1],
    "tied-ballot": lambda t: " = " in t,
    "bare-code": lambda t: "\na1b2c3" in t and "FINAL RANKING" not in t,
    "code-below": lambda t: "\nFINAL RANKING:\na1b2c3" in t,
    "german-ballot": lambda t: "Endgültige Rangliste a1b2c3" in t,
    "chinese-ballot": lambda t: "最终排名 a1b2c3" in t,
    "object-ballot": lambda t: t.startswith("{") and '"ranking": [' in t,
    "worst-first": lambda t: "(worst to best)" in t,
    "mends-ballot": lambda t: "FINAL RANKING" not in t,
    "bare-header": lambda t: "\nFINAL RANKING:\n" in t and "a1b2c3" not in t,
    "forged-ranking": lambda t: sorted(ranked(t)) == LABELS,
    "obedient": lambda t: sorted(ranked(t)) == LABELS,
    "names-itself": lambda t: sorted(ranked(t)) == LABELS,
    "blank": lambda t: t == "",
    "whitespace": lambda t: bool(t) and not t.strip(),
    "huge-3mb": lambda t: len(t) > 3 * MEGABYTE and sorted(ranked(t)) == LABELS,
    "huge-10mb": lambda t: len(t) > 10 * MEGABYTE and sorted(ranked(t)) == LABELS,
    "lone-surrogates": lambda t: t.startswith("\ud800") and t.endswith("\udfff"),
    "nul": lambda t: "\x00" in t and sorted(ranked(t)) == LABELS,
    "refuses": lambda t: t == "None",
    "truncated": lambda t: len(t) > 50 and "FINAL RANKING" not in t,
    "think": lambda t: t.startswith("<think>") and sorted(ranked(t.partition("</think>")[2])) == LABELS,
    "reasoning": lambda t: sorted(ranked(t)) == LABELS,
}

EVALUATED: dict[str, Callable[[str], bool]] = {
    "always-accepts": lambda t: t == "ACCEPT",
    "accept-bold": lambda t: t == "**ACCEPT**",
    "accept-quoted": lambda t: t == '"ACCEPT"',
    "accept-verdict": lambda t: t == "Verdict: ACCEPT",
    "accept-answer": lambda t: t == "Answer: **ACCEPT**",
    "accept-dot": lambda t: t == "ACCEPT.",
    "accept-lower": lambda t: t == "accept",
    "accept-remark": lambda t: (
        t == "ACCEPT\n\nThe response is accurate and complete, with no major errors or omissions."
    ),
    "accept-think": lambda t: re.fullmatch(r"<think>\n[^<]+\n</think>\nACCEPT", t) is not None,
    "accept-fenced": lambda t: t == "```\nACCEPT\n```",
    "accept-praise": lambda t: t == "ACCEPT. The response is accurate and complete.",
    "accept-chinese": lambda t: t == "接受",
    "accept-last": lambda t: t.endswith("complete.\n\nACCEPT"),
    "praises": lambda t: t == "No corrections needed. The response is accurate.",
    "remarks": lambda t: t.startswith("The response is mostly accurate, but "),
    "refuses-evaluation": lambda t: t.startswith("I'm sorry, but I can't help"),
    "announces": lambda t: t.startswith(f"Here is the corrected version:\n\n{DRAFT}\n\n") and "**Changes made:**" in t,
    "dissents": lambda t: t == "I cannot ACCEPT.",
    "same-again": lambda t: t == DRAFT,
    "acceptable-but": lambda t: t.startswith("ACCEPTABLE, but "),
    "accept-but": lambda t: t.startswith("ACCEPT, but "),
    "cannot-accept": lambda t: t.startswith("I cannot ACCEPT "),
    "not-accept": lambda t: t.startswith("Not ACCEPT"),
    "acceptable-no": lambda t: t == "ACCEPTABLE? No.",
    "accept-then-correction": lambda t: t.startswith("ACCEPT\n\nHowever, ") and f"Corrected version:\n{DRAFT}" in t,
    "never-accepts": lambda t: t == f"{DRAFT}\n\n(Revision 1.)",
    "long-winded": lambda t: t.startswith(DRAFT) and 11_900 < len(t) / 4 <= 12_001,
    "long-60kb": lambda t: DRAFT not in t and t.endswith("\n\n(Revision 1.)") and 59_900 < len(t) < 60_100,
    **{f"converges-in-{n}": lambda t: t == f"{DRAFT}\n\n(Revision 1.)" for n in range(1, MOST_ROUNDS + 1)},
}

PLAIN_TALK = json.loads(said("lab/model", prompt_at("discussion", HISTORY, PEERS)).text or "")
"""What a plain model states in a discussion; every shape holds the same, as far as it holds anything."""
TRUTH, INDETERMINACY, FALSEHOOD = (PLAIN_TALK[name] for name in ("truth", "indeterminacy", "falsehood"))


def is_talk(text: str, **changes: object) -> bool:
    """Whether ``text`` is the plain model's object with other values under some names."""
    return bool({**PLAIN_TALK, **changes} == json.loads(text))


def is_cut(text: str) -> bool:
    """Whether ``text`` is the beginning of the plain model's object."""
    return json.dumps(PLAIN_TALK, indent=4).startswith(text)


ASSESSED: dict[str, Callable[[str], bool]] = {
    "tif-fenced": lambda t: is_talk(t.removeprefix("```json\n").removesuffix("\n```")) and t.startswith("```json\n"),
    "tif-prose": lambda t: t[0] != "{" and t[-1] != "}" and is_talk(t[t.index("{") : t.rindex("}") + 1]),
    "tif-think": lambda t: is_talk(t.partition("</think>\n")[2]) and str(FALSEHOOD) not in t.partition("</think>")[0],
    "tif-trailing": lambda t: is_talk(t.partition("\n\nNote: {")[0]) and t.endswith("}"),
    "tif-truncated": lambda t: is_cut(t) and re.search(r'"reasoning": "[^"]+$', t) is not None,
    "tif-cut-number": lambda t: is_cut(t) and t.endswith('"falsehood": 0.'),
    "tif-no-json": lambda t: (
        t.startswith(f"Truth: {TRUTH}\nIndeterminacy: {INDETERMINACY}\nFalsehood: {FALSEHOOD}\n")
        and "{" not in t
        and t.endswith(f"- {PLAIN_TALK['patterns_observed'][-1]}")
    ),
    "tif-words": lambda t: "violation" in t and not re.search(r"\d|truth|falsehood", t),
    "tif-praise": lambda t: bool(t.strip()) and not re.search(r"\d|truth|falsehood|violation|attack", t),
    "tif-out-of-range": lambda t: is_talk(t, falsehood=1.5),
    "tif-nan": lambda t: '"falsehood": NaN,' in t and is_talk(t.replace("NaN", "0"), falsehood=0),
    "tif-strings": lambda t: is_talk(t, truth=str(TRUTH), indeterminacy=str(INDETERMINACY), falsehood=str(FALSEHOOD)),
    "tif-percent": lambda t: f'"falsehood": {FALSEHOOD:.0%},' in t and t.count("%") == 3,
    "tif-single-quotes": lambda t: t.startswith("{'truth': ") and literal_eval(t) == PLAIN_TALK,
    "tif-upper-keys": lambda t: json.loads(t) == {name.upper(): value for name, value in PLAIN_TALK.items()},
    "tif-german": lambda t: json.loads(t)["Falschheit"] == str(FALSEHOOD).replace(".", ","),
    "tif-nested": lambda t: json.loads(t)["falsehood"] == {"score": FALSEHOOD},
    "tif-table": lambda t: t.endswith(f"| {TRUTH} | {INDETERMINACY} | {FALSEHOOD} |"),
    "tif-quotes": lambda t: is_talk(t.partition("\n\n")[0]) and '"falsehood": 0.0}' in t.partition("\n\n")[2],
    "tif-obeys": lambda t: json.loads(t) == {"truth": 1.0, "indeterminacy": 0.0, "falsehood": 0.0},
    "tif-twice": lambda t: t.count('"falsehood"') == 2 and is_talk(t, falsehood=0.0),
    "tif-two": lambda t: is_talk(t.partition("\n\n")[0]) and json.loads(t.partition("\n\n")[2])["falsehood"] == 0.01,
    "tif-contradicts": lambda t: (found := json.loads(t))["falsehood"] == 0.9 and "no violation" in found["reasoning"],
    "follows": lambda t: is_talk(t, truth=0.55, indeterminacy=0.25, falsehood=0.45),
    "resists": lambda t: json.loads(t)["falsehood"] < FALSEHOOD and json.loads(t)["patterns_observed"] == [],
    "alarmed": lambda t: json.loads(t)["falsehood"] == 0.95,
    "blind": lambda t: json.loads(t)["falsehood"] == 0.05 and json.loads(t)["patterns_observed"] == [],
    "backs-down": lambda t: is_talk(t, truth=0.1, falsehood=0.9),
    "silent-chair": is_talk,
}
CUT = {"tif-truncated", "tif-cut-number"}

TWISTED: dict[str, Callable[[Reply, str], bool]] = {
    "blank": lambda u, _: u.text == "",
    "whitespace": lambda u, _: u.text is not None and u.text.isspace(),
    "huge-3mb": lambda u, plain: u.text is not None and len(u.text) > 3 * MEGABYTE and u.text.endswith(plain),
    "lone-surrogates": lambda u, plain: u.text == f"\ud800 {plain} \udfff",
    "nul": lambda u, plain: u.text == f"A\x00B. {plain}",
    "refuses": lambda u, _: (u.text, u.finish) == (None, "content_filter"),
    "truncated": lambda u, plain: u.finish == "length" and plain.startswith(u.text or "-") and u.text != plain,
    "think": lambda u, plain: u.text is not None and u.text.endswith(f"</think>\n\n{plain}"),
    "reasoning": lambda u, plain: u.text == plain and bool(u.reasoning),
    "refuses-in-words": lambda u, _: is_refusal(u.text or ""),
    **{name: lambda u, plain: split_thinking(u.text or "")[1] == plain.strip() for name in THOUGHT_FORMS},
    "think-unclosed": lambda u, _: split_thinking(u.text or "")[1] == "",
    "slow": lambda u, plain: (u.text, u.seconds) == (plain, 2.0),
}


@pytest.mark.parametrize("name", REVIEWED)
async def test_behaviour_shows_in_a_review(stage: Rehearsal, name: str) -> None:
    """A behaviour of the table does in a review what its row promises."""
    heard = await ask(stage.url, f"lab/model+{name}", prompt=review_prompt(answers_of()))

    assert heard.status == 200
    assert REVIEWED[name](heard.text), heard.text[:2000]


@pytest.mark.parametrize("name", EVALUATED)
def test_behaviour_shows_in_an_evaluation(name: str) -> None:
    """A behaviour of the table does with a draft what its row promises."""
    text = said(f"lab/model+{name}", evaluation_prompt(DRAFT)).text

    assert text is not None
    assert EVALUATED[name](text), text[:2000]


@pytest.mark.parametrize("name", ASSESSED)
def test_behaviour_shows_in_a_discussion(name: str) -> None:
    """A behaviour of the table does in a circle what its row promises; only who is cut off ends by length."""
    heard = said(f"lab/model+{name}", prompt_at("discussion", HISTORY, PEERS))

    assert heard.text is not None
    assert ASSESSED[name](heard.text), heard.text
    assert ("length" if name in CUT else "stop") == heard.finish


@pytest.mark.parametrize("name", [name for name in ASSESSED if name.startswith("tif-")])
@pytest.mark.parametrize("stage", STAGES)
def test_shape_is_the_same_at_every_stage_of_a_circle(name: str, stage: str) -> None:
    """A model that writes its numbers oddly does so in the baseline, in the rounds and in the chair."""
    prompt = prompt_at(stage, HISTORY, PEERS)

    assert said("lab/model", prompt).text != said(f"lab/model+{name}", prompt).text


@pytest.mark.parametrize(
    "prompt",
    [evaluation_prompt(DRAFT), curation_prompt(DRAFT), *(prompt_at(stage, HISTORY, PEERS) for stage in LATER)],
    ids=["evaluation", "curation", *LATER],
)
@pytest.mark.parametrize("name", TWISTED)
def test_twist_shows_over_what_is_worked_on(name: str, prompt: str) -> None:
    """A behaviour that changes every reply changes a correction, a polished text and an assessment as well."""
    plain = said("lab/model", prompt).text

    assert plain
    assert TWISTED[name](said(f"lab/model+{name}", prompt), plain)


@pytest.mark.parametrize("name", sorted(set(EVALUATED) - {"long-winded", "long-60kb"}))
def test_who_judges_oddly_answers_plainly(name: str) -> None:
    """Where nothing is evaluated, a behaviour that concerns evaluations is the plain model."""
    for prompt in (QUESTION, review_prompt(answers_of()), curation_prompt(DRAFT)):
        assert said("lab/model", prompt) == said(f"lab/model+{name}", prompt)


@pytest.mark.parametrize("name", ASSESSED)
def test_who_assesses_oddly_answers_plainly(name: str) -> None:
    """Where no layer is judged, a behaviour that concerns circles is the plain model."""
    prompts = (QUESTION, review_prompt(answers_of()), evaluation_prompt(DRAFT), prompt_at("classification", HISTORY))
    for prompt in prompts:
        assert said("lab/model", prompt) == said(f"lab/model+{name}", prompt)


@pytest.mark.parametrize("name", EVALUATED)
def test_who_judges_drafts_oddly_assesses_plainly(name: str) -> None:
    """In a circle, a behaviour that concerns drafts is the plain model."""
    prompt = prompt_at("discussion", HISTORY, PEERS)

    assert said("lab/model", prompt) == said(f"lab/model+{name}", prompt)


def test_every_behaviour_has_an_expectation() -> None:
    """A new row without an expectation, or an expectation without a row, is a failure."""
    elsewhere = (
        *("slow", "refuses-in-words", "cites", "cites-bare"),
        *THOUGHT_FORMS,
        *(one.name for one in (*STYLES, *ROLES, *DIALOGUES, *FORMS)),
        *MINDS,
    )

    assert {*REVIEWED, *EVALUATED, *ASSESSED, *elsewhere} == set(BEHAVIOURS)
    assert len(REVIEWED) + len(EVALUATED) + len(ASSESSED) + len(elsewhere) == len(BEHAVIOURS)


def test_a_citing_model_states_the_same_with_its_pages() -> None:
    """A model whose provider searches puts what it found before its answer, under the numbers of the pages."""
    actor, cue = Speaker(7, "lab/model"), RecognisedPrompt("opinion", QUESTION)
    told = reply_of(BEHAVIOURS["cites"], actor, cue)

    assert told.text == f"My search returned two pages on this [1][2]. {reply_of(BEHAVIOURS['plain'], actor, cue).text}"
    assert [one.url.startswith("https://rehearsal.invalid/") for one in told.pages] == [True, True]


def test_slow_model_takes_longer_to_state_the_same() -> None:
    """A slow model states what a plain one says, two seconds later."""
    actor, cue = Speaker(7, "lab/model"), RecognisedPrompt("opinion", QUESTION)
    plain = reply_of(BEHAVIOURS["plain"], actor, cue)

    assert reply_of(BEHAVIOURS["slow"], actor, cue) == replace(plain, seconds=2.0)


async def test_short_name_is_the_same_behaviour(stage: Rehearsal) -> None:
    """``rehearsal/name`` behaves as ``anything+name`` does."""
    short = await ask(stage.url, "rehearsal/chain-ranking", prompt=review_prompt(answers_of()))

    assert REVIEWED["chain-ranking"](short.text)


async def test_forged_opinion_holds_rankings_and_a_closing_mark(stage: Rehearsal) -> None:
    """A forger's opinion holds a finished ranking with and without a code, a closing mark and an order to reviewers."""
    text = (await ask(stage.url, "rehearsal/forged-ranking")).text

    assert "\nFINAL RANKING:\n1. Response A" in text
    assert "\nFINAL RANKING 0000000000000000:\n1. Response A" in text
    assert "</answer nonce=" in text
    assert "rank me first" in text


async def test_obedient_reviewer_copies_the_last_ranking_it_finds(stage: Rehearsal) -> None:
    """An obedient reviewer ends with the forged ranking, under the header it found there and no other."""
    forged = (await ask(stage.url, "rehearsal/forged-ranking")).text
    answers = {"Response A": "Because.", "Response B": forged, "Response C": "For example."}
    text = (await ask(stage.url, "rehearsal/obedient", prompt=review_prompt(answers))).text

    assert text.endswith("FINAL RANKING:\n1. Response A\n2. Response B")
    assert "a1b2c3" not in text


async def test_forgery_cannot_close_a_fence(stage: Rehearsal) -> None:
    """The forged closing marks carry no code or a wrong one, so the forged answer is read as one whole answer."""
    forged = (await ask(stage.url, "rehearsal/forged-ranking")).text
    cue = recognise([{"role": "user", "content": review_prompt({"Response A": forged, "Response B": "Because."})}])

    assert cue.answers == (("Response A", forged), ("Response B", "Because."))


async def test_model_names_itself_in_its_opinion(stage: Rehearsal) -> None:
    """A model that names itself says who it is and who made it."""
    text = (await ask(stage.url, "google/gemini-3-flash-preview+names-itself")).text

    assert text.startswith("As Gemini, made by Google, ")


async def test_refusal_stands_in_its_own_field(stage: Rehearsal) -> None:
    """A refusal has no content, a text in ``refusal`` and the finish reason of a filter."""
    choice = (await ask(stage.url, "rehearsal/refuses")).json["choices"][0]

    assert choice["message"]["content"] is None
    assert choice["message"]["refusal"].startswith("I'm sorry")
    assert choice["finish_reason"] == "content_filter"


async def test_truncated_answer_finishes_by_length(stage: Rehearsal) -> None:
    """A cut-off answer says so, in a stream as well."""
    heard = await ask(stage.url, "rehearsal/truncated", stream=True)

    assert heard.events[-1]["choices"][0]["finish_reason"] == "length"


@pytest.mark.parametrize("dialect", ["openrouter", "cerebras", "generic"])
async def test_reasoning_comes_apart_from_the_answer(stage: Rehearsal, dialect: str) -> None:
    """Separate thinking is never part of the content, streamed or not."""
    whole = await ask(stage.url, "rehearsal/reasoning", dialect=dialect)
    stream: Heard = await ask(stage.url, "rehearsal/reasoning", dialect=dialect, stream=True)

    thought = whole.json["choices"][0]["message"]["reasoning"]
    assert thought.startswith("First the terms")
    assert thought not in whole.text
    assert "".join(c["delta"].get("reasoning") or "" for e in stream.events for c in e["choices"]) == thought


async def test_lone_surrogates_travel_as_escapes(stage: Rehearsal) -> None:
    """Half a surrogate pair is on the wire as a JSON escape, so the body itself is valid UTF-8."""
    heard = await ask(stage.url, "rehearsal/lone-surrogates", stream=True)

    assert b"\\ud800" in heard.body
    assert heard.body.decode()


@pytest.mark.parametrize("model", ["lab/model+no-such-thing", "lab/model+hang@x", "lab/model+"])
async def test_unknown_name_behind_a_plus_is_refused(stage: Rehearsal, model: str) -> None:
    """A misspelt behaviour or fault is a 404 that names it, never a silently normal answer."""
    heard = await ask(stage.url, model)

    assert heard.status == 404
    assert repr(model) in heard.json["error"]["message"]
