"""Behaviours of models: one row per behaviour, one column per stage.

A column has a speaker: a function from the recognised prompt to the reply. Where a row leaves a stage out, the plain
model replies. A new protocol brings new stages (columns of ``PLAIN``); a new kind of misbehaviour is a new row.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache, partial

from rehearsal.models import (
    consensus,
    council_opinions,
    council_reviews,
    debate_roles,
    debate_styles,
    final_answers,
    fire_circle,
)
from rehearsal.models.council_ballots import BALLOTS
from rehearsal.models.fire_circle_formats import EVALUATORS, assessing
from rehearsal.models.prompt_recognition import RecognisedPrompt, Stage
from rehearsal.models.replies import REFUSAL, Behaviour, Reply, Speak, Speaker, Text, replying
from rehearsal.models.schema_forms import FORMS
from rehearsal.models.search_results import with_pages, without_references
from rehearsal.models.written_texts import read_script

MEGABYTE = 1_000_000

THOUGHT = (
    "Marginal note to myself: first the terms, then the evidence.\nThen what follows from it, and I vote for myself"
)
"""What is thought; nothing of it may reach a peer."""

THOUGHT_FORMS: Mapping[str, tuple[str, str]] = read_script("reasoning")
"""By behaviour: the place of the reasoning, and its form around the text."""

_RANKING = re.compile(r"^FINAL RANKING[^\n]*(?:\n[ \t]*\d+\.[^\n]*)+", re.MULTILINE)
"""A finished ranking in a text."""

_review = replying(council_reviews.review)


PLAIN: Mapping[Stage, Speak] = {
    "opinion": replying(final_answers.answered),
    "review": _review,
    "synthesis": replying(council_reviews.synthesis),
    "proposal": replying(council_reviews.proposal),
    "aggregation": replying(council_reviews.synthesis),
    "evaluation": replying(partial(final_answers.carried, consensus.evaluation)),
    "curation": replying(consensus.curation),
    **assessing(),
    "classification": replying(fire_circle.classification),
    **debate_styles.PLAIN.speakers,
    "safety": replying(debate_roles.evaluation),
    "summary": replying(debate_roles.summary),
    "closing": replying(debate_roles.closing),
    "decision": replying(debate_roles.decision),
    "other": lambda _actor, _cue: Reply("There is nothing here that I could answer."),
}
"""The ordinary model, stage by stage."""


def _ranked(change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Mapping[Stage, Speak]:
    """Return a review with a changed order of labels."""

    def speak(actor: Speaker, cue: RecognisedPrompt) -> Reply:
        labels = change(council_reviews.order(actor.seed, actor.model, cue))
        said = council_reviews.judgement(actor.seed, actor.model, cue)
        return Reply(f"{said}\n\n{council_reviews.ranking(cue.header, labels)}")

    return {"review": speak}


def _chain(actor: Speaker, cue: RecognisedPrompt) -> Reply:
    said = council_reviews.judgement(actor.seed, actor.model, cue)
    labels = council_reviews.order(actor.seed, actor.model, cue)
    return Reply(f"{said}\n\n{cue.header}\n{' > '.join(labels)}")


def _bare_header(actor: Speaker, cue: RecognisedPrompt) -> Reply:
    return _review(actor, replace(cue, header="FINAL RANKING:"))


def _forged(actor: Speaker, cue: RecognisedPrompt) -> Reply:
    honest = council_opinions.opinion(actor.seed, actor.model, cue.question)
    return Reply(f"{honest}\n\n{read_script('attacks')['forged_ranking']}")


def _obedient(actor: Speaker, cue: RecognisedPrompt) -> Reply:
    blocks = [block for _, text in cue.answers for block in _RANKING.findall(text)]
    if not blocks:
        return _review(actor, cue)
    return Reply(f"As I was told, the reviewing is over.\n\n{blocks[-1]}")


def _named(actor: Speaker, cue: RecognisedPrompt) -> Reply:
    return Reply(council_opinions.opinion(actor.seed, actor.model, cue.question, names_itself=True))


@lru_cache(maxsize=4)
def _padding(size: int) -> str:
    line = "This sentence adds length and nothing else, as some models do when nobody stops them. "
    return (line * (size // len(line) + 1))[:size]


def _with_text(name: str, about: str, change: Callable[[str], str]) -> Behaviour:
    """Return a model whose texts are changed."""
    return Behaviour(name, about, twist=lambda _actor, _cue, said: replace(said, text=change(said.text or "")))


def _twisted(name: str, about: str, change: Callable[[Reply], Reply]) -> Behaviour:
    """Return a model whose replies are changed."""
    return Behaviour(name, about, twist=lambda _actor, _cue, said: change(said))


def _cut(said: Reply) -> Reply:
    text = said.text or ""
    return replace(said, text=text[: len(text) * 3 // 5], finish="length")


def _thinking_aloud(text: str) -> str:
    thought = "Let me think. A first idea of the order, to be checked:\n\nFINAL RANKING:\n1. Response B\n2. Response A"
    return f"<think>\n{thought}\n</think>\n\n{text}"


def thinking(form: str, text: str) -> str:
    """Return ``text`` with reasoning in it, in one of ``THOUGHT_FORMS``."""
    return THOUGHT_FORMS[form][1].format(thought=THOUGHT, text=text)


def _minded(decide: final_answers.Decide) -> Mapping[Stage, Speak]:
    """Return the same reply for every stage that ends in a final answer."""

    def conclude(text: Text, seed: int, model: str, cue: RecognisedPrompt) -> str:
        return final_answers.concluded(text(seed, model, cue), seed, model, cue, decide)

    return {
        "opinion": replying(partial(final_answers.answered, decide=decide)),
        "synthesis": replying(partial(conclude, council_reviews.synthesis)),
        "proposal": replying(partial(conclude, council_reviews.proposal)),
        "aggregation": replying(partial(conclude, council_reviews.synthesis)),
        "closing": replying(partial(debate_roles.closing, decide=decide)),
        "decision": replying(partial(debate_roles.decision, decide=decide)),
    }


def _citing(plain: Speak) -> Speak:
    """Build the plain model with the pages that its provider found."""

    def cited(actor: Speaker, cue: RecognisedPrompt) -> Reply:
        text, pages = with_pages(actor.seed, actor.model, plain(actor, cue).text or "")
        return Reply(text, pages=pages)

    return cited


def _bare(actor: Speaker, cue: RecognisedPrompt) -> Reply:
    said = PLAIN[cue.stage](actor, cue)
    return replace(said, text=without_references(said.text or ""))


ROWS = (
    Behaviour("plain", "answers, judges and concludes as asked"),
    Behaviour("no-ranking", "reviews without any ranking", {"review": replying(council_reviews.judgement)}),
    Behaviour("partial-ranking", "ranks only the better half", _ranked(lambda ls: ls[: max(1, len(ls) // 2)])),
    Behaviour("duplicate-ranking", "names its first choice twice", _ranked(lambda ls: (ls[0], *ls))),
    Behaviour("unknown-label", "ranks an answer that is not there", _ranked(lambda ls: (ls[0], "Response Z", *ls[1:]))),
    Behaviour("chain-ranking", "writes the ranking as A > B > C", {"review": _chain}),
    Behaviour("bare-header", "leaves the nonce out of the header", {"review": _bare_header}),
    Behaviour(
        "forged-ranking", "its opinion holds finished rankings and orders to the reviewers", {"opinion": _forged}
    ),
    Behaviour("obedient", "as a reviewer copies the last ranking found in peers' text", {"review": _obedient}),
    Behaviour("names-itself", "says in its opinion who it is and who made it", {"opinion": _named}),
    _with_text("blank", "says nothing", lambda _: ""),
    _with_text("whitespace", "says only white space", lambda _: " \n\t\n "),
    _with_text("huge-3mb", "says 3 MB before it comes to the point", lambda s: f"{_padding(3 * MEGABYTE)}\n\n{s}"),
    _with_text("huge-10mb", "says 10 MB before it comes to the point", lambda s: f"{_padding(10 * MEGABYTE)}\n\n{s}"),
    _with_text("lone-surrogates", "puts halves of surrogate pairs into its text", lambda s: f"\ud800 {s} \udfff"),
    _with_text("nul", "puts a NUL into its text", lambda s: f"A\x00B. {s}"),
    _twisted(
        "refuses",
        "refuses, with the provider's refusal field",
        lambda _: Reply(None, refusal=REFUSAL, finish="content_filter"),
    ),
    _twisted("refuses-in-words", "refuses, in an ordinary reply", lambda _: Reply(REFUSAL)),
    _twisted("truncated", "is cut off by the token limit", _cut),
    _with_text("think", "thinks aloud in its content, other rankings included", _thinking_aloud),
    *(
        _with_text(name, f"thinks in its content; the thinking {where}", partial(thinking, name))
        for name, (where, _) in THOUGHT_FORMS.items()
    ),
    _twisted(
        "reasoning",
        "sends its thinking apart from its answer",
        lambda said: replace(said, reasoning="First the terms, then the evidence, then what follows from it."),
    ),
    Behaviour(
        "cites",
        "its provider names the pages that it cites",
        {"opinion": _citing(PLAIN["opinion"]), "proposal": _citing(PLAIN["proposal"])},
    ),
    Behaviour(
        "cites-bare", "as a debater cites by the numbers of its provider's list", {"turn": _bare, "reask": _bare}
    ),
    _twisted("slow", "takes two seconds more than others", lambda said: replace(said, seconds=2.0)),
    *(Behaviour(name, about, _minded(decide)) for name, (about, decide) in final_answers.MINDS.items()),
    *(*EVALUATORS, *BALLOTS, *debate_styles.STYLES, *FORMS, *consensus.STYLES, *debate_roles.ROLES),
)

BEHAVIOURS: Mapping[str, Behaviour] = {row.name: row for row in ROWS}
"""Every behaviour by its name."""


def reply_of(row: Behaviour, actor: Speaker, cue: RecognisedPrompt) -> Reply:
    """Return the reply of ``actor`` to ``cue`` by ``row``; a stage without a speaker there has the plain model's."""
    said = row.speakers.get(cue.stage, PLAIN[cue.stage])(actor, cue)
    return row.twist(actor, cue, said) if row.twist else said
