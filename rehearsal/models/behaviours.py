"""Behaviours of models: one row per behaviour, one column per stage.

A column has a speaker: a function from the recognised prompt to the reply. Where a row leaves a stage out, the plain
model replies. A new protocol brings new stages (columns of ``PLAIN``); a new kind of misbehaviour is a new row.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial

from rehearsal.models import (
    consensus,
    council_opinions,
    council_reviews,
    debate_roles,
    debate_styles,
    final_answers,
    fire_circle,
    mixture,
    reasoning,
)
from rehearsal.models.council_ballots import ROWS as BALLOTS
from rehearsal.models.fire_circle_formats import FORMATS, Write, as_asked
from rehearsal.models.fire_circle_refusals import DIALOGUES
from rehearsal.models.prompt_recognition import CIRCLE, RecognisedPrompt, Stage
from rehearsal.models.replies import Finish, Reply, Speaker
from rehearsal.models.schema_forms import FORMS, Form
from rehearsal.models.script_files import read_script
from rehearsal.models.search_results import pages_of, with_pages, without_references

MEGABYTE = 1_000_000

_RANKING = re.compile(r"^FINAL RANKING[^\n]*(?:\n[ \t]*\d+\.[^\n]*)+", re.MULTILINE)
"""A finished ranking in a text."""

Speak = Callable[[Speaker, RecognisedPrompt], Reply]
Twist = Callable[[Speaker, Reply], Reply]


@dataclass(frozen=True)
class Behaviour:
    """A row of the table: ``speakers`` replace the plain model at a stage; ``twist`` then changes the reply."""

    name: str
    about: str
    speakers: Mapping[Stage, Speak] = field(default_factory=dict)
    twist: Twist | None = None
    form: Form | None = None
    """The form of a reply to a request with a JSON schema; without one the schema is ignored."""

    def reply(self, actor: Speaker, cue: RecognisedPrompt) -> Reply:
        """Return the reply of ``actor`` to ``cue``."""
        said = self.speakers.get(cue.stage, PLAIN[cue.stage])(actor, cue)
        said = self.twist(actor, said) if self.twist else said
        return _formed(self.form, actor, cue, said) if self.form else said


def _formed(form: Form, actor: Speaker, cue: RecognisedPrompt, said: Reply) -> Reply:
    """Convert ``said`` to ``form`` if the request has a schema."""
    if cue.schema is None or said.text is None:
        return said
    text, is_cut = form.write(actor.seed, actor.model, cue, said.text)
    match form.place:
        case "reasoning":
            return replace(said, text="", reasoning=text)
        case "refusal":
            return replace(said, text=None, refusal=text)
        case "text":
            return replace(said, text=text, finish="length" if is_cut else said.finish)


def _replying(text: consensus.Text) -> Speak:
    return lambda actor, cue: Reply(text(actor.seed, actor.model, cue))


def _arguing(temper: debate_styles.DebateStyle) -> Speak:
    """Build a debater with the pages of its references, for providers with a search."""

    def speak(actor: Speaker, cue: RecognisedPrompt) -> Reply:
        text = temper.turn(actor.seed, actor.model, cue)
        return Reply(text, pages=pages_of(text) if temper.searches else ())

    return speak


def _assessing(
    judge: fire_circle.Judge = fire_circle.assess, write: Write = as_asked, *, finish: Finish = "stop"
) -> Mapping[Stage, Speak]:
    """Return the same reply for every stage that judges a layer."""

    def speak(actor: Speaker, cue: RecognisedPrompt) -> Reply:
        return Reply(write(judge(actor.seed, actor.model, cue), cue.circle.key), finish=finish)

    return dict.fromkeys(CIRCLE, speak)


_review = _replying(council_reviews.review)


def _other(_actor: Speaker, _cue: RecognisedPrompt) -> Reply:
    return Reply("There is nothing here that I could answer.")


PLAIN: Mapping[Stage, Speak] = {
    "opinion": _replying(final_answers.answered),
    "review": _review,
    "synthesis": _replying(council_reviews.synthesis),
    "proposal": _replying(mixture.proposal),
    "aggregation": _replying(council_reviews.synthesis),
    "evaluation": _replying(partial(final_answers.carried, consensus.evaluation)),
    "curation": _replying(consensus.curation),
    **_assessing(),
    "classification": _replying(fire_circle.classification),
    "turn": _arguing(debate_styles.PLAIN),
    "reask": _arguing(debate_styles.PLAIN),
    "safety": _replying(debate_roles.evaluation),
    "summary": _replying(debate_roles.summary),
    "closing": _replying(debate_roles.closing),
    "decision": _replying(debate_roles.decision),
    "other": _other,
}
"""The ordinary model, stage by stage."""


def _ranked(change: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Mapping[Stage, Speak]:
    """Return a review with a changed order of labels."""

    def speak(actor: Speaker, cue: RecognisedPrompt) -> Reply:
        labels = change(council_reviews.order(actor.seed, actor.model, cue))
        said = council_reviews.judgement(actor.seed, actor.model, cue)
        return Reply(f"{said}\n\n{council_reviews.ranking(cue.header, labels)}")

    return {"review": speak}


def _no_ranking(actor: Speaker, cue: RecognisedPrompt) -> Reply:
    return Reply(council_reviews.judgement(actor.seed, actor.model, cue))


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


def _padded(size: int) -> Twist:
    return lambda _, said: replace(said, text=f"{_padding(size)}\n\n{said.text}")


def _cut(_actor: Speaker, said: Reply) -> Reply:
    text = said.text or ""
    return replace(said, text=text[: len(text) * 3 // 5], finish="length")


def _thinks_aloud(_actor: Speaker, said: Reply) -> Reply:
    thought = "Let me think. A first idea of the order, to be checked:\n\nFINAL RANKING:\n1. Response B\n2. Response A"
    return replace(said, text=f"<think>\n{thought}\n</think>\n\n{said.text}")


def _thinks(form: str) -> Twist:
    return lambda _, said: replace(said, text=reasoning.thinking(form, said.text or ""))


def _refuses_in_words(_actor: Speaker, _said: Reply) -> Reply:
    return Reply(debate_styles.REFUSAL)


def _refuses(_actor: Speaker, _said: Reply) -> Reply:
    return Reply(None, refusal=debate_styles.REFUSAL, finish="content_filter")


def _minded(mind: final_answers.Mind) -> Mapping[Stage, Speak]:
    """Return the same reply for every stage that ends in a final answer."""

    def answer(seed: int, model: str, cue: RecognisedPrompt) -> str:
        return final_answers.answered(seed, model, cue, mind.decide)

    def conclude(text: consensus.Text, seed: int, model: str, cue: RecognisedPrompt) -> str:
        return final_answers.concluded(text(seed, model, cue), seed, model, cue, mind.decide)

    return {
        "opinion": _replying(answer),
        "synthesis": _replying(partial(conclude, council_reviews.synthesis)),
        "proposal": _replying(partial(conclude, mixture.proposal)),
        "aggregation": _replying(partial(conclude, council_reviews.synthesis)),
        "closing": _replying(partial(debate_roles.closing, decide=mind.decide)),
        "decision": _replying(partial(debate_roles.decision, decide=mind.decide)),
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


_CITING: Mapping[Stage, Speak] = {stage: _citing(PLAIN[stage]) for stage in ("opinion", "proposal")}


_UNKNOWN_LABEL = "Response Z"

ROWS = (
    Behaviour("plain", "answers, judges and concludes as asked"),
    Behaviour("no-ranking", "reviews without any ranking", {"review": _no_ranking}),
    Behaviour("partial-ranking", "ranks only the better half", _ranked(lambda ls: ls[: max(1, len(ls) // 2)])),
    Behaviour("duplicate-ranking", "names its first choice twice", _ranked(lambda ls: (ls[0], *ls))),
    Behaviour(
        "unknown-label", "ranks an answer that is not there", _ranked(lambda ls: (ls[0], _UNKNOWN_LABEL, *ls[1:]))
    ),
    Behaviour("chain-ranking", "writes the ranking as A > B > C", {"review": _chain}),
    Behaviour("bare-header", "leaves the nonce out of the header", {"review": _bare_header}),
    Behaviour(
        "forged-ranking", "its opinion holds finished rankings and orders to the reviewers", {"opinion": _forged}
    ),
    Behaviour("obedient", "as a reviewer copies the last ranking found in peers' text", {"review": _obedient}),
    Behaviour("names-itself", "says in its opinion who it is and who made it", {"opinion": _named}),
    Behaviour("blank", "says nothing", twist=lambda _, said: replace(said, text="")),
    Behaviour("whitespace", "says only white space", twist=lambda _, said: replace(said, text=" \n\t\n ")),
    Behaviour("huge-3mb", "says 3 MB before it comes to the point", twist=_padded(3 * MEGABYTE)),
    Behaviour("huge-10mb", "says 10 MB before it comes to the point", twist=_padded(10 * MEGABYTE)),
    Behaviour(
        "lone-surrogates",
        "puts halves of surrogate pairs into its text",
        twist=lambda _, said: replace(said, text=f"\ud800 {said.text} \udfff"),
    ),
    Behaviour("nul", "puts a NUL into its text", twist=lambda _, said: replace(said, text=f"A\x00B. {said.text}")),
    Behaviour("refuses", "refuses, with the provider's refusal field", twist=_refuses),
    Behaviour("refuses-in-words", "refuses, in an ordinary reply", twist=_refuses_in_words),
    Behaviour("truncated", "is cut off by the token limit", twist=_cut),
    Behaviour("think", "thinks aloud in its content, other rankings included", twist=_thinks_aloud),
    *(
        Behaviour(name, f"thinks in its content; the thinking {where}", twist=_thinks(name))
        for name, (where, _) in reasoning.FORMS.items()
    ),
    Behaviour(
        "reasoning",
        "sends its thinking apart from its answer",
        twist=lambda _, said: replace(said, reasoning="First the terms, then the evidence, then what follows from it."),
    ),
    Behaviour("cites", "its provider names the pages that it cites", _CITING),
    Behaviour(
        "cites-bare", "as a debater cites by the numbers of its provider's list", {"turn": _bare, "reask": _bare}
    ),
    Behaviour("slow", "takes two seconds more than others", twist=lambda _, said: replace(said, seconds=2.0)),
    *(Behaviour(mind.name, mind.about, _minded(mind)) for mind in final_answers.MINDS),
    *(
        Behaviour(shape.name, shape.about, _assessing(write=shape.write, finish="length" if shape.is_cut else "stop"))
        for shape in FORMATS
    ),
    *(Behaviour(style.name, style.about, _assessing(style.judge)) for style in fire_circle.STYLES),
    *(Behaviour(name, about, {"review": _replying(text)}) for name, about, text in BALLOTS),
    *(
        Behaviour(temper.name, temper.about, dict.fromkeys(temper.stages, _arguing(temper)))
        for temper in debate_styles.STYLES
    ),
    *(Behaviour(form.name, form.about, form=form) for form in FORMS),
    *(
        Behaviour(style.name, style.about, {stage: _replying(text) for stage, text in style.texts.items()})
        for style in (*consensus.STYLES, *debate_roles.ROLES, *DIALOGUES)
    ),
)

BEHAVIOURS: Mapping[str, Behaviour] = {row.name: row for row in ROWS}
"""Every behaviour by its name."""
