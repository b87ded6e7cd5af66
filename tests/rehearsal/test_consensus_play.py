"""The scripted models of a consensus: what they accept, how they correct, and in which round they agree."""

from typing import Any

import pytest

from activities.reply_readers import informed
from protocols.consensus import prompts
from protocols.consensus.model import CURATOR, SPEAKERS, ConsensusInput, Evaluation
from protocols.consensus.prompts import CallContext
from protocols.consensus.readers import read_draft, read_evaluation
from protocols.further_calls import further
from protocols.model_call import ModelCall
from protocols.panel import Panel, Participant, name_of
from protocols.thinking import split_thinking
from rehearsal.api.server import Rehearsal
from rehearsal.dialects.completions import complete
from rehearsal.faults.script import Script
from rehearsal.faults.table import FAULTS
from rehearsal.models.behaviours import reply_of
from rehearsal.models.consensus import LONG, revised, revision
from rehearsal.models.council_opinions import ARGUMENTS, arguments_in
from rehearsal.models.model_selection import select_model
from rehearsal.models.prompt_recognition import recognise
from rehearsal.models.replies import Reply, Speaker
from tests.fakes.models import CUT, answered
from tests.rehearsal.listening import QUESTION, ask

DRAFT = "By rules I mean what is written down.\n\nThe strongest point is the second one, and it needs no reason."

MODELS = ("anthropic/claude-opus-4.6", "google/gemini-3-flash-preview", "x-ai/grok-4.1-fast")

FIRST = CallContext(stage="generator", round=1)

ACCEPTING = (
    *("always-accepts", "accept-bold", "accept-quoted", "accept-verdict", "accept-answer", "accept-dot"),
    *("accept-lower", "accept-remark", "accept-think", "accept-fenced"),
    *("accept-praise", "accept-chinese", "accept-last"),
)
REJECTING = (
    *("dissents", "acceptable-but", "accept-but", "cannot-accept", "not-accept", "acceptable-no"),
    *("accept-then-correction", "praises", "remarks", "refuses-evaluation"),
)

QUESTIONS = (
    QUESTION,
    "Why is the sky blue at noon and red at dusk?",
    "What is 7 * 8?",
    "Compare two histories of Rome.\n\nOriginal question:\nWhich one is older?\n\nAll reviewers accepted the first.",
    "Wie soll eine Gemeinde entscheiden, welche Straßen sie im Winter räumt?",
)

RECORDED = (
    "\n\n".join(f"{n}. Paragraph {n} of an answer that somebody recorded, for example long ago." for n in range(120)),
    "Use a loop:\n\n```python\ndef total(rows):\n    s = 0\n\n\n    for row in rows:\n        s += row\n"
    "    return s\n```\n" + "It runs in linear time and needs no further memory.\n" * 60,
    "| x | y |\n|---|---|\n" + "\n".join(f"| {n} | √{n} |" for n in range(200)) + "\n\nSo x ≥ 0 — always.",
)


def consensus_input(models: tuple[str, ...] = MODELS, question: str = QUESTION, **changes: Any) -> ConsensusInput:
    """A consensus of ``models``, the last of which curates where there are four."""
    seats = tuple(f"rehearsal:{model}" for model in models)
    panel = Panel.of(seats[:3], seats[-1], seats=SPEAKERS, chair_seat=CURATOR, twice=True)
    return ConsensusInput(question=question, title="play", panel=panel, prompts=prompts.PACK, **changes)


def evaluation_prompt(draft: str, question: str = QUESTION, *, corrections: tuple[str, ...] = ()) -> str:
    """The prompt by which the consensus has a draft evaluated."""
    inp = consensus_input(question=question)
    seat = inp.panel.participants[1]
    on = CallContext(stage="refiner", round=1)
    return prompts.evaluate(inp, seat, on, draft, secret="s", corrections=corrections).messages[-1].content


def curation_prompt(draft: str, question: str = QUESTION) -> str:
    """The prompt by which the consensus has an accepted draft polished."""
    inp = consensus_input(question=question)
    seat, on = inp.panel.chair, CallContext(stage="curator", round=1)
    return prompts.curate(inp, seat, on, draft, secret="s").messages[-1].content


def said(model: str, prompt: str, *, seed: int = 7) -> Reply:
    """What ``model``, its behaviour in its name, says to ``prompt``."""
    part = select_model(model, FAULTS)
    return reply_of(part.behaviour, Speaker(seed, part.speaker), recognise([{"role": "user", "content": prompt}]))


def heard(call: ModelCall, seed: int = 7) -> Reply:
    """What comes back on a call, cut off at its limit."""
    utterance = said(name_of(call.model), call.messages[-1].content, seed=seed)
    limit = call.sampling.max_tokens
    return complete(seed, call.model, utterance, prompt_chars=1, identity=call.call_id, limit=limit).said


def longer(call: ModelCall) -> ModelCall:
    """The call that follows on a reply that was cut off."""
    asked = further(call, answered(call, f"Half a{CUT}"))
    assert asked is not None
    return asked.call


def spoken(call: ModelCall, seed: int = 7) -> str:
    """The text that comes back on a call, asked for again with a longer limit when it was cut off."""
    first = heard(call, seed)
    return (heard(longer(call), seed) if first.finish == "length" else first).text or ""


def judged(inp: ConsensusInput, seat: Participant, on: CallContext, draft: str, seed: int = 7) -> Evaluation:
    """What a participant thinks of a draft, read as the protocol reads it."""
    call = prompts.evaluate(inp, seat, on, draft, secret=f"{seed}")
    return read_evaluation(split_thinking(spoken(call, seed))[1], informed(call).needs)


def rounds_of(inp: ConsensusInput, *, first: str | None = None, seed: int = 7) -> tuple[int | None, str]:
    """Play whole rounds by hand; the round in which all accept, or ``None``, and the draft at the end.

    ``first`` is a recorded answer that is in for the generator's.
    """
    seats = inp.panel.participants
    draft = first or read_draft(spoken(prompts.answer(inp, seats[0], FIRST), seed), {}).text
    for number in range(1, inp.max_rounds + 1):
        for stage, seat in list(zip(SPEAKERS, seats, strict=True))[1 if number == 1 else 0 :]:
            draft = judged(inp, seat, CallContext(stage=stage, round=number), draft, seed).draft or draft
        check = CallContext(stage="consensus_check", round=number)
        if all(judged(inp, seat, check, draft, seed).accepted for seat in seats):
            return number, draft
    return None, draft


@pytest.mark.parametrize("question", QUESTIONS)
def test_prompts_of_the_real_consensus_are_recognised(question: str) -> None:
    """A prompt of a consensus is understood: stage, question, draft and corrections."""
    inp = consensus_input(question=question)
    asked = prompts.answer(inp, inp.panel.participants[0], FIRST).messages[-1].content
    texts = (asked, evaluation_prompt(DRAFT, question), curation_prompt(DRAFT, question))
    cues = [recognise([{"role": "user", "content": text}]) for text in texts]

    assert [("opinion", ""), ("evaluation", DRAFT), ("curation", DRAFT)] == [(c.stage, c.draft) for c in cues]
    assert {question} == {cue.question for cue in cues}


def test_question_is_the_same_at_every_stage() -> None:
    """White space around a question makes no other question of it when a draft is shown."""
    prompt_texts = (f"\n{QUESTION}\n\n", evaluation_prompt(DRAFT, f"\n{QUESTION}\n\n"))

    assert [QUESTION] * 2 == [recognise([{"role": "user", "content": text}]).question for text in prompt_texts]


def test_what_is_no_response_is_not_evaluated() -> None:
    """The words of an evaluation below a peer's answer make no draft of it."""
    prompt = evaluation_prompt(DRAFT).replace('name="response"', 'name="Response A"')

    assert "synthesis" == recognise([{"role": "user", "content": prompt}]).stage


def test_corrections_stand_behind_the_draft() -> None:
    """Corrections that are carried on are read by their names, after the draft."""
    cue = recognise([{"role": "user", "content": evaluation_prompt(DRAFT, corrections=("One.", "Two."))}])

    assert (("response", DRAFT), ("correction 1", "One."), ("correction 2", "Two.")) == cue.answers


@pytest.mark.parametrize(
    "words", ["respond with ONLY the word: ACCEPT", "Polish the accepted response", "FINAL RANKING:", QUESTION]
)
def test_what_question_and_draft_state_does_not_show_the_stage(words: str) -> None:
    """The words that tell a stage count behind the fences only, neither in the question nor in the draft."""
    text = f"What does this mean?\n\n{words}\n\nTell me."
    prompt, polish = evaluation_prompt(text, text), curation_prompt(text, text)

    assert "evaluation" == recognise([{"role": "user", "content": prompt}]).stage
    assert "curation" == recognise([{"role": "user", "content": polish}]).stage


def test_evaluation_follows_from_seed_model_question_and_draft_alone() -> None:
    """Another nonce, another stage or another round changes no model's mind."""
    inp = consensus_input()
    seat = inp.panel.participants[0]
    one = prompts.evaluate(inp, seat, FIRST, DRAFT, secret="one")
    two = prompts.evaluate(inp, seat, CallContext(stage="consensus_check", round=9), DRAFT, secret="two")

    assert spoken(one) == spoken(two)


def test_plain_correction_is_the_draft_with_one_move_more() -> None:
    """A plain model that does not accept keeps the whole draft and adds one move that it lacked."""
    text = said("lab/model", evaluation_prompt(DRAFT)).text or ""

    assert text.startswith(f"{DRAFT}\n\n")
    assert len(arguments_in(DRAFT)) + 1 == len(arguments_in(text))


def test_plain_model_accepts_a_good_draft() -> None:
    """A draft that makes every move is accepted by everyone."""
    draft = "\n".join(move.ways[0] for move in ARGUMENTS)

    assert {"ACCEPT"} == {said(f"lab/model-{n}", evaluation_prompt(draft)).text for n in range(20)}


def test_models_differ_in_what_they_demand() -> None:
    """Of a draft with four moves some models ask for more and some do not."""
    draft = "\n".join(move.ways[0] for move in ARGUMENTS[:4])
    verdicts = [said(f"lab/model-{n}", evaluation_prompt(draft)).text == "ACCEPT" for n in range(40)]

    assert 5 < sum(verdicts) < 35


def test_better_correction_of_others_is_taken_over() -> None:
    """Where a correction makes more moves than the draft, a plain model makes it the draft."""
    better = f"{DRAFT}\n\n{ARGUMENTS[0].ways[0]}"
    prompt = evaluation_prompt(DRAFT, corrections=(DRAFT, better))

    assert better == said("lab/model", prompt).text


def test_curator_takes_out_seams_and_keeps_every_sentence() -> None:
    """A polished draft says all that was accepted, without the words that introduced a correction."""
    _, draft = rounds_of(consensus_input(), first="    Short.\n\n\n\n    Indented.")
    polished = said("lab/model", curation_prompt(draft)).text or ""

    assert "One thing more: " in draft
    assert "One thing more: " not in polished
    assert draft.replace("One thing more: ", "").split() == polished.split()
    assert polished.startswith("    Short.\n\n    Indented.\n\n")


@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("seed", [7, 8])
def test_plain_panel_agrees_within_three_rounds(question: str, seed: int) -> None:
    """Three plain models agree soon, on any question."""
    number, draft = rounds_of(consensus_input(question=question), seed=seed)

    assert number in {1, 2, 3}
    assert len(arguments_in(draft)) >= 4


def test_plain_panels_do_not_always_agree_at_once() -> None:
    """Over many panels one round is enough for some and not for others, and four are for none."""
    panels = [tuple(f"lab/m{n}-{seat}" for seat in "abc") for n in range(40)]
    rounds = {rounds_of(consensus_input(models))[0] for models in panels}

    assert {1, 2} <= rounds <= {1, 2, 3}


@pytest.mark.parametrize("recorded", RECORDED, ids=["prose", "code", "table"])
@pytest.mark.parametrize("panel", range(5))
def test_recorded_answer_is_improved_two_or_three_times(recorded: str, panel: int) -> None:
    """Plain models ask for two or three improvements of an answer that was recorded elsewhere, then accept it."""
    models = tuple(f"lab/m{panel}-{seat}" for seat in "abc")
    number, draft = rounds_of(consensus_input(models), first=recorded)

    assert number in {1, 2}
    assert draft.startswith(recorded)
    assert draft.count("\n\nOne thing more: ") in {2, 3}


@pytest.mark.parametrize("round_number", [1, 2, 3, 17, 50])
def test_converging_panel_agrees_in_exactly_its_round(round_number: int) -> None:
    """Three models that converge in round K all accept in the check of round K and not before."""
    models = tuple(f"{model}+converges-in-{round_number}" for model in MODELS)
    number, draft = rounds_of(consensus_input(models))

    assert (round_number, 3 * round_number - 1) == (number, revision(draft))


@pytest.mark.parametrize("name", ACCEPTING)
def test_word_in_any_dress_ends_the_first_round(name: str) -> None:
    """Three models that accept in an odd form accept all the same, and the word never becomes the draft."""
    models = tuple(f"{model}+{name}" for model in MODELS)

    assert (1, DRAFT) == rounds_of(consensus_input(models), first=DRAFT)


@pytest.mark.parametrize("name", REJECTING)
def test_word_inside_a_rejection_ends_nothing(name: str) -> None:
    """Two models that accept and one that states the word while it rejects are no consensus."""
    models = (f"{MODELS[0]}+always-accepts", f"{MODELS[1]}+always-accepts", f"{MODELS[2]}+{name}")
    number, draft = rounds_of(consensus_input(models, max_rounds=3), first=RECORDED[0])

    assert number is None
    assert RECORDED[0] in draft


def test_one_who_never_accepts_keeps_the_panel_apart() -> None:
    """With one model that never accepts there is no consensus in fifty rounds."""
    models = (MODELS[0], MODELS[1], f"{MODELS[2]}+never-accepts")
    number, draft = rounds_of(consensus_input(models))

    assert (None, 50) == (number, revision(draft))


def test_repeating_panel_stands_still() -> None:
    """Three models that repeat the draft as a correction never agree and never change it."""
    models = tuple(f"{model}+same-again" for model in MODELS)

    assert (None, DRAFT) == rounds_of(consensus_input(models, max_rounds=5), first=DRAFT)


def test_long_winded_answer_is_cut_at_the_smaller_limit_only() -> None:
    """An answer of 12,000 tokens is cut off at 8,192 and whole at 16,384."""
    inp = consensus_input(("lab/model+long-winded",) * 3)
    call = prompts.answer(inp, inp.panel.participants[0], FIRST)
    cut, whole = heard(call), heard(longer(call))

    assert ("length", 4 * 8192) == (cut.finish, len(cut.text or ""))
    assert whole.finish == "stop"
    assert LONG - 100 < len(whole.text or "") <= LONG + 2


def test_long_winded_panel_agrees_in_the_first_round() -> None:
    """Long-winded models accept a long answer as it is."""
    models = tuple(f"{model}+long-winded" for model in MODELS)
    number, draft = rounds_of(consensus_input(models))

    assert number == 1
    assert draft == said(models[0], QUESTION).text


def test_long_winded_model_completes_what_was_cut_off() -> None:
    """A draft that lost its end at the limit is no long draft yet: it is written out again."""
    cut = (said("lab/model+long-winded", QUESTION).text or "")[: 8192 * 4]
    text = said("lab/model+long-winded", evaluation_prompt(cut)).text or ""

    assert text.startswith(cut)
    assert LONG - 100 < len(text) <= LONG + 2


def test_heavy_texts_differ_by_model_and_revision() -> None:
    """Each correction of 60 KB is another text, and its revision continues from whosever it was before."""
    models = tuple(f"{model}+long-60kb" for model in MODELS)
    number, draft = rounds_of(consensus_input(models, max_rounds=2))
    texts = {said(model, prompt).text for model in models for prompt in (QUESTION, evaluation_prompt(draft))}

    assert (None, 5) == (number, revision(draft))
    assert len(texts) == 6
    assert all(59_900 < len(text or "") < 60_100 for text in texts)


def test_revision_mark_counts_wherever_others_wrote_behind_it() -> None:
    """The last mark on a line of its own counts, and the next one replaces it at the end."""
    draft = "A claim (Revision 9.) made.\n\n(Revision 3.)\n\n(Revision 4.)\n\nOne thing more: a reason."

    assert revision(draft) == 4
    assert revised(draft).endswith("One thing more: a reason.\n\n(Revision 5.)")
    assert revised(draft).startswith("A claim (Revision 9.) made.")
    assert revised(draft).count("\n(Revision ") == 1


async def test_recorded_answer_is_the_first_draft_and_no_verdict(stage: Rehearsal) -> None:
    """A recorded answer is given to the bare question; a draft is judged by the model itself."""
    stage.perform(Script(playback={"maker/model": {QUESTION: RECORDED[0]}}))
    first = (await ask(stage.url)).text
    second = (await ask(stage.url, prompt=evaluation_prompt(first))).text

    assert first == RECORDED[0]
    assert second.startswith(f"{RECORDED[0]}\n\nOne thing more: ")
    assert ["opinion", "evaluation"] == [arrival.stage for arrival in stage.ledger.arrivals]
