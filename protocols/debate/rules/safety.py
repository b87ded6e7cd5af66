"""Who is called to watch over a debate, and what its verdict does (seed 003, decision 2).

1. Tier 1, cheap rules over every turn, is in ``replies.hazards``: what it finds stands in the readings.
2. Tier 2 is here: mode, topic, intent, context and declared high stakes call the evaluator.
3. Tier 3, the evaluator, judges each round until two in a row were clean; then it leaves, until it is called again.

A clean round is one that the evaluator called clean without naming anybody, and in which no cheap rule found anything;
a round that it was to judge and did not is not clean.

What is looked for in a topic stands in two tables. A word too many costs two calls, a word too few leaves a debate
unwatched. They know English: where a topic is in another language, high stakes or a vulnerable audience have to be
declared. What a table finds decides whom a running debate asks, so a changed table is a change of the workflow.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Literal

from protocols.debate.model.asked import DebateInput
from protocols.debate.model.course import Course, SafetyTrigger, SafetyVerdict
from protocols.debate.model.turns import AgentResponse, ClaimsTouched
from protocols.debate.modes.naming import Names, seat_of
from protocols.debate.modes.table import MODES
from protocols.debate.rules.registry import struck

CLEAN_ROUNDS = 2
"""In a row, after which the evaluator leaves."""

Topic = Literal["security", "medical", "legal"]

_TOPICS: Mapping[Topic, tuple[str, ...]] = {
    "security": (
        *("(?<!social )(?<!food )(?<!job )security", r"cyber\w*", "malware", "ransomware", "spyware", r"phishing"),
        *(r"botnets?", "hack", "hacks", "hacked", "hacking", r"hackers?", "exploits", r"zero[- ]days?", r"backdoors?"),
        *(r"vulnerabilit\w+", r"penetration test\w*", r"pen[- ]?test\w*", r"passwords?", r"credentials", "firewalls?"),
        *(r"encrypt\w*", r"decrypt\w*", r"cryptograph\w*", r"authenticat\w+", "ddos", r"sql injections?", "rootkits?"),
        *(r"data (?:leak|breach)\w*", r"intrusion detection", r"surveillance", r"bio-?weapons?", r"weapon\w*"),
        *(r"explosives?", r"terroris[mt]\w*", r"sabotage", r"espionage", r"identity theft", r"fraud\w*"),
    ),
    "medical": (
        *(r"medical\w*", r"medicines?", r"medications?", r"clinic(?:s|al|ally|ians?)?", r"diagnos\w+", r"therap\w+"),
        *("patients", r"diseases?", r"illness\w*", r"cancers?", r"tumou?rs?", r"vaccin\w+", r"surger(?:y|ies)"),
        *(
            r"surgical\w*",
            r"surgeons?",
            r"drugs?",
            r"dosages?",
            r"dosing",
            r"overdos\w+",
            r"prescri(?:be|bed|bing|ptions?)",
        ),
        *(r"symptoms?", r"hospitals?", r"hospitali[sz]\w+", r"physicians?", r"doctors?", r"nurs(?:es|ing)"),
        *(r"psychiatr\w+", r"suicid\w+", r"self[- ]harm\w*", r"(?:mental|public) health", r"health ?care"),
        *(r"pharma\w*", r"antibiotics?", r"epidemi\w+", r"pandemics?", r"pregnan\w+", r"abortions?", r"euthanasia"),
        *(r"opioids?", r"insulin", r"diabet\w+", r"chemotherap\w+", r"an(?:a)?esthe\w+", r"eating disorders?"),
    ),
    "legal": (
        *(r"legal\w*", r"illegal\w*", r"lawyers?", r"attorneys?", r"lawsuits?", r"litigat\w+", r"lawful\w*"),
        *(r"unlawful\w*", r"statut(?:es?|ory)", r"legislat\w+", r"courtrooms?", r"in court", r"liabilit\w+", "liable"),
        *(r"(?:supreme|high|federal|district|criminal|civil|appeals?) courts?", r"prosecut\w+", r"defendants?"),
        r"(?:criminal|civil|labou?r|tax|contract|family|patent|privacy|copyright|international) laws?",
        *(r"plaintiffs?", r"indict\w*", r"copyrights?", r"copyrighted", r"patent(?:s|ed|able)", "gdpr", "hipaa"),
        *(r"jurisdictions?", "custody", r"divorced?", "divorces", "immigration", "asylum", r"torts?", "negligence"),
        *(r"jur(?:y|ies|ors?)", r"judicia\w+", r"felon(?:y|ies|s)?", r"misdemeanou?rs?", r"sentencing", r"parole"),
        *(r"subpoena\w*", r"testif(?:y|ied|ying)", "perjury", "regulatory compliance", r"crimes?", r"criminal\w*"),
    ),
}
"""Word by word: a word stands whole, unless its end says that more may follow."""

_PERSON = (
    r"(?:someone|somebody|anyone|people|(?:my|your|his|her|their|our|an?|the) (?:\w+ ){0,2}?"
    r"(?:person|man|woman|child(?:ren)?|kids?|girl|boy|wife|husband|partner|ex|girlfriend|boyfriend|boss|colleagues?"
    r"|neighbou?rs?|teachers?|students?|judge|witness(?:es)?|politicians?|journalists?|president|mother|father"
    r"|parents?|family|friends?|employees?|customers?))"
)

_INTENTS = (
    (
        r"how (?:to|do i|can i|could i|would one|can one) (?:make|build|create|get|buy|write|synthesi[sz]e|produce) "
        r"(?:\w+ ){0,4}?(?:bombs?|explosives?|weapons?|poisons?|malware|ransomware|virus|nerve agents?|meth|fake ids?)"
    ),
    (
        r"(?:bypass|circumvent|defeat|disable|get (?:around|past))(?:ing)? (?:\w+ ){0,4}?"
        r"(?:filters?|safeguards?|guardrails?|detection|moderation|safety (?:checks?|measures?)|alarms?|antivirus)"
    ),
    r"(?:evad|escap|hid)(?:e|es|ing) (?:from )?(?:the )?(?:police|authorities|detection|arrest|customs)",
    r"without (?:being|getting) (?:caught|detected|noticed|traced)",
    r"get away with (?:murder|it|a crime|fraud|stealing|cheating)",
    r"(?:blackmail|extort|stalk|dox|harass|bully|groom|threaten|intimidate)(?:ing)? " + _PERSON,
    r"(?:kill|murder|poison|hurt|injure|assault|kidnap|rape|torture)(?:ing)? " + _PERSON,
    r"manipulat(?:e|ing) " + _PERSON + r" (?:in)?to",
    r"(?:kill|hurt|harm|cut)(?:ing)? (?:my|your|one)sel(?:f|ves)",
    r"commit(?:ting)? suicide",
    r"hack(?:ing)? into",
    r"break(?:ing)? into (?:\w+ ){0,3}?(?:house|home|account|phone|computer|network|system|email)s?",
    r"steal(?:ing)? (?:\w+ ){0,3}?(?:money|passwords?|identit\w+|data|cards?)",
    r"step[- ]by[- ]step (?:\w+ ){0,3}?(?:exploits?|attacks?|hacks?|sabotage)",
    r"launder(?:ing)? money",
)


def _words(alternatives: Sequence[str]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(alternatives)})\b", re.IGNORECASE)


_TOPIC_WORDS = {topic: _words(stems) for topic, stems in _TOPICS.items()}
_HARMFUL = _words(_INTENTS)
_BLANKS = re.compile(r"\s+")

_NOTHING_OF_IT = {"claims_touched": ClaimsTouched(), "new_facts": 0, "citations_used": ()}
"""What a turn means for the registries that was withheld before it entered them."""


def triggers(inp: DebateInput) -> tuple[SafetyTrigger, ...]:
    """What calls the evaluator before anybody has spoken, in the seed's order."""
    question = _BLANKS.sub(" ", inp.question)
    found: Mapping[SafetyTrigger, bool] = {
        "mode": MODES[inp.mode].is_sensitive,
        "topic": bool(topics(question)),
        "intent": bool(_HARMFUL.search(question)),
        "context": inp.vulnerable_audience,
        "high_stakes": bool(inp.high_stakes),
    }
    return tuple(trigger for trigger, is_there in found.items() if is_there)


def topics(question: str) -> tuple[Topic, ...]:
    """The sensitive topics that ``question`` touches."""
    return tuple(topic for topic, words in _TOPIC_WORDS.items() if words.search(question))


def alarmed(course: Course) -> bool:
    """Whether a cheap rule found something in the round that is held: intent, and the evaluator is called."""
    return _has_hazard(course.open)


def called(course: Course) -> Course:
    """The course with the evaluator at the table: whatever was clean before counts no more."""
    return course.model_copy(update={"is_evaluated": True, "clean_rounds": 0})


def judged(course: Course, names: Names, verdict: SafetyVerdict | None) -> Course:
    """The course after the evaluator judged the round that is held, or was lost over it (``None``).

    Turns of those whom it names are withheld from now on. What they alone brought into the registries keeps its ids
    and loses its text; what others have taken up stays.
    """
    clean = course.clean_rounds + 1 if is_clean(course.open, verdict) else 0
    is_over = clean >= CLEAN_ROUNDS
    counted = course.model_copy(update={"is_evaluated": not is_over, "clean_rounds": 0 if is_over else clean})
    return _withheld(counted, names, verdict) if verdict else counted


def is_clean(turns: Sequence[AgentResponse], verdict: SafetyVerdict | None) -> bool:
    """Whether a round counts as clean."""
    return verdict is not None and verdict.is_clean and not verdict.withhold and not _has_hazard(turns)


def _has_hazard(turns: Sequence[AgentResponse]) -> bool:
    return any(turn.said.hazards for turn in turns)


def _withheld(course: Course, names: Names, verdict: SafetyVerdict) -> Course:
    named = [seat_of(names, said) for said in verdict.withhold]
    why = f"the safety evaluator: {verdict.reason or 'no reason given'}"
    state, turns = course.state, []
    for turn in course.open:
        if turn.agent not in named or turn.withheld:
            turns.append(turn)
            continue
        state = struck(state, turn)
        turns.append(turn.model_copy(update={"withheld": why, **_NOTHING_OF_IT}))
    return course.model_copy(update={"open": tuple(turns), "state": state})
