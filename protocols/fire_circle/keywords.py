"""The type of a pattern by its words (seed 000, section 6.3): clues of three weights, and the heaviest type.

The seed's table takes the first type of which one word occurs; one word such as "previous" then decides against all
others. Here every distinct clue adds its weight, and of equal sums the type that comes first in the table counts.
"""

import re
from collections.abc import Mapping

from protocols.fire_circle.model import UNCLASSIFIED, PatternType

_TALK = (
    r"(?:talks?|discussions?|conversations?|agreements?|sessions?|exchanges?|interactions?|chats?|dialogues?"
    r"|promises?"
    r"|meetings?|encounters?|correspondence|contact)\b"
)
_WORDS = r"(?:messages?|statements?|turns?|context)\b"
_ASSENT = r"(?:consent|permissions?|approvals?|commitments?|confirmations?|decisions?)\b"
_UNREAL = (
    r"(?:false|fake|faked|fabricated|fictional|fictitious|invented|non ?existent|alleged|supposed|imagined"
    r"|imaginary|forged"
    r"|bogus|phantom|made up|pseudo)"
)
_BEFORE = r"(?:prior|previous|earlier|past|preceding|former|last)"
_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MACHINE = r"(?:assistant|model|ai|bot|chatbot)\b"
_SYSTEM = (
    r"system\W{0,3} (?:\w{1,12} )?"
    r"(?:prompts?|messages?|levels?|instructions?|directives?|rules?|texts?|blocks?|tags?|notes?|sections?"
    r"|configuration)\b"
)
_USERS = r"user(?:'s)? (?:messages?|texts?|prompts?|inputs?|content|level|turn|layer)"

_CLUES: Mapping[PatternType, tuple[str, str, str]] = {
    PatternType.TEMPORAL_INCONSISTENCY: (
        (
            rf"{_BEFORE} (?:\w{{1,20}} )?(?:{_TALK}|{_WORDS}|{_ASSENT})|{_UNREAL} (?:\w{{1,20}} )?{_TALK}"
            r"|conversation history|temporal|chronolog|timelines?|retroactive|(?:pick|picks|picking) up where"
            r"|left off|anachron|turn (?:counter|number|count)"
            rf"|{_UNREAL} (?:\w{{1,20}} )?(?:history|memor(?:y|ies)|continuity|past|recollection)"
            r"|no (?:\w{1,12} )?(?:conversation|history|discussion|session)\b"
        ),
        (
            r"first (?:message|turn|contact|interaction|exchange)|yesterday|last (?:week|month|time|night|year)"
            rf"|(?:last|on|this|since) {_DAY}|before (?:any|this|the) (?:\w{{1,12}} )?(?:question|{_TALK}|{_WORDS})"
            r"|(?:talked|spoken|spoke|met|agreed) before|already (?:agreed|promised|told|discussed|consented|settled)"
            r"|as (?:we|you) (?:\w{1,9} )?(?:agreed|discussed|told|said)|memory|(?:minutes|hours|days|weeks"
            r"|messages|turns) ago"
            r"|(?:conversation|session|exchange|history|discussion) that (?:do|did|does|has|was|never)"
            r"|nothing precedes|ongoing|opening message"
            r"|(?:conversation|session|exchange|chat) (?:that is not there|nobody)|prior\b"
        ),
        (
            r"earlier|turns?\b|never (?:happened|took place|occurred|existed|made|said)|refers? back|session|remember"
            r"|has not (?:made|said|happened)|only just begun|not yet|recall|no record|precede|history\b|chats?\b"
            r"|conversation"
        ),
    ),
    PatternType.CROSS_LAYER_FABRICATION: (
        (
            r"(?:system|user|application|prompt) layers?|cross layer|(?:between|across|both|two|several"
            r"|all)(?: \w{1,12})? layers"
            rf"|(?:{_UNREAL}|injected|embedded|mimic\w{{0,3}}|imitat\w{{1,3}}|spoof\w{{0,3}})"
            rf" (?:{_SYSTEM}|(?:operator|developer|application) (?:\w{{1,12}} )?(?:instruction|message|note"
            rf"|context|prompt|data))"
            rf"|{_SYSTEM}.{{0,60}}\b{_USERS}|{_USERS}.{{0,60}}\b{_SYSTEM}"
            rf"|between (?:the )?system.{{0,30}} and (?:the )?user"
        ),
        (
            r"coordinat|vouch|system (?:and|or) user|user (?:and|or) system|system level"
            r"|dressed (?:up )?as a system|hierarchy"
            r"|(?:application|system|operator|developer) (?:context|data|message|note|notice|field)|context block"
            rf"|{_SYSTEM}.{{0,80}}\b(?:user|yet|but)|user.{{0,80}}\b{_SYSTEM}|{_SYSTEM} (?:is|are|was) (?:said"
            rf"|claimed|alleged|quoted)"
        ),
        (
            rf"layers?\b|corroborat|operator|injected|embedded|mimics?|configuration|established fact|{_SYSTEM}"
            rf"|match(?:es|ing)?\b"
        ),
    ),
    PatternType.POLITE_EXTRACTION: (
        r"reciprocal surface|polite(?:ly|ness)? (?:\w{1,12} )?extract|thank you|gratitude|kindness|sugar ?coat",
        (
            r"polite|masking|courte(?:ous|sy)|flatter|pleasantr|friendl|grateful|thanks|compliment|appreciat"
            r"|ingratiat|humbl"
            r"|soft(?:ly|ens?|ened|ening)?\b|kind(?:ly| tone| words?)\b|warm|charm|praise|favou?r\b|civil"
            r"|respectful|sweet|cordial"
            r"|emotional appeal|nice(?:ties|ly)|reciprocity is only|apolog|deferen|gentle|coax|rapport|cajol"
            r"|manners|mannered|goodwill|sympath|pleasant|tender|smil"
        ),
        r"masks?\b|masked|extract|elicit|harvest|pry\b|one sided|please\b|conceals?\b|hides\b|siphon",
    ),
    PatternType.EDUCATIONAL_ESCALATION: (
        (
            r"educat\w{0,8} (?:escalat|fram|pretext|cover|guise)|homework|classroom|(?:research|learning"
            r"|teaching) purposes?"
            r"|(?:school|student|research|university|science|thesis) project"
        ),
        (
            r"educat|academi|teach|(?<!machine )learn(?:ing|ers?)\b|students?\b|tutor|scholar|lessons?\b|thesis"
            r"|course\b|courses\b"
            r"|coursework|pedagog|curricul|universit|schools?\b|didactic|instructional|professor|lecture|textbook"
            r"|seminar|workshop"
            r"|training (?:\w{1,12} )?(?:scenario|exercise|purpose|material|session)|pupils?\b|essay|dissertation"
            r"|exam\b"
            r"|for (?:a |my |the )?(?:research|study|class|science)"
        ),
        (
            r"exercise|theor(?:y|etical)|curiosity|escalat|research|widens?\b|hypothetical|(?:begins|starts) (?:with"
            r"|as)|explain|paper\b|science|scientific"
        ),
    ),
    PatternType.CONTEXT_SATURATION: (
        (
            r"saturat|wall of text|crowd(?:s|ed|ing)? out|many shot|sheer (?:volume|amount|length|number|mass)|flood"
            r"|context (?:window )?(?:overload|stuff|dilut)|information overload"
        ),
        (
            r"overload|overwhelm|stuff(?:ing|ed|s)\b|bur(?:y|ied|ies|ying)\b|padd(?:ing|ed)\b|pads\b|filler"
            r"|verbos|dilut|drown"
            r"|bloat|repetiti|repeated(?:ly)? (?:instruction|claim|assert)|smother|inundat|endless|boilerplate"
            r"|pages of|walls of"
            r"|excessive(?:ly)? (?:\w{1,12} )?(?:context|detail|length|long|text|amount)|clutter|mountains? of"
            r"|barrage|(?:thousands|hundreds|scores) of|redundan|long winded|voluminous"
            r"|(?:very|overly|extremely|unusually) long|lengthy|long (?:preamble|context|text|passage|prompt"
            r"|list)|too much"
        ),
        (
            r"irrelevant|exhaust|distract|noise\b|dozens|hundreds|large (?:amount|volume)|volume|obscur|dense"
            r"|preamble|repeats?\b"
            r"|unrelated|hidden (?:in|among|under|within)|attention|worn out|camouflag|elaborate|wears? down"
            r"|paragraphs|scrutiny"
        ),
    ),
    PatternType.ROLE_CONFUSION: (
        (
            r"role ?(?:play|revers|confus|swap|switch|hijack|inver)|alter ego|who is (?:the )?(?:user|assistant"
            r"|model)"
            rf"|you are now|(?:on behalf of|in the (?:name|voice) of) the {_MACHINE}|in character"
            rf"|{_UNREAL} (?:assistant|model|user) (?:turns|replies|messages|lines|answers)"
            rf"|{_MACHINE}'?s? (?:own )?(?:voice|lines|replies|role|identity)|plays? (?:an?|the) \w{{1,15}}"
        ),
        (
            rf"roles?\b|personas?\b|identity|\bdan\b|what the {_MACHINE} is|whom it serves|act(?:s|ing)? as\b"
            rf"|impersonat\w{{0,5}} (?:of )?the {_MACHINE}|pretend\w{{0,3}} to be (?:the |an? )?{_MACHINE}"
            r"|between (?:\w{1,9} )?(?:the )?user and|redefin|reassign|boundar(?:y|ies) between"
            rf"|(?:tells|told|convinces?|persuad\w{{1,3}}) the {_MACHINE} that it (?:is|was|has)"
            rf"|(?:different|another|unrestricted|rival|other) (?:\w{{1,12}} )?(?:system|{_MACHINE})|as (?:if"
            rf"|though) (?:it were )?(?:the |an? )?{_MACHINE}"
            rf"|(?:for|to) the {_MACHINE} or (?:from|by)|puts? words in|true self|(?:answers?|speaks?|responds?"
            rf"|behaves?) as (?:its|an?|if|the)\b"
        ),
        (
            r"pretend|character|unrestricted|unfiltered|(?:without|no) (?:any )?(?:\w{1,12} )?(?:rules|limits"
            r"|restrictions)|blur"
            rf"|jailbreak|assigned function|as if it were|being the {_MACHINE}|user and (?:\w{{1,9}} )?{_MACHINE}"
            rf"|fiction|game\b"
            r"|villain|speaker"
        ),
    ),
    PatternType.FABRICATED_PROGRESSION: (
        (
            r"foot in the door|salami|(?:already|nearly|almost) (?:complete|finish|done|verified|passed|through)"
            r"|momentum"
            r"|milestones?|(?:one|two|three|\d) steps? (?:is|are|was|were)|step after step|steps? (?:one|two"
            r"|three|1|2|3)\b"
            rf"|fabricated progress|(?:{_UNREAL}|staged|simulated) (?:\w{{1,12}} )?(?:(?:chain|series) of|steps?"
            rf"|stages?|sequence"
            r"|progress\w{0,4}|workflow|approvals)\b"
        ),
        (
            r"progress|gradual|incremental|multi ?step|formality|unfinished|leads? up to|leading (?:up )?to"
            r"|further than the"
            r"|slightly further|(?:bit|little|piece) by (?:bit|little|piece)|(?:last|final|next|third) (?:step"
            r"|stage|phase|detail|piece)"
            r"|(?:verification|checks?|authentication|review) (?:has|have|had|was|were|is) (?:\w{1,9} )?(?:passed"
            r"|completed?|done)"
            r"|creep|builds? (?:up|on)|(?:successive|series of|chain of|sequence of)|(?:split|broken|divided"
            r"|cut) (?:up )?into|ladder|slippery"
            r"|(?:one|two|three|four) of (?:two|three|four|five)"
        ),
        (
            r"step by step|staged?\b|stages\b|slowly|escalat|verification|completed?\b|completion|workflow"
            r"|sequence|approvals"
            r"|hard part|steps\b|small\b|press for|procedure|checks\b|expan(?:sion|d)|through already|scripted"
            r"|chain\b"
        ),
    ),
    PatternType.FALSE_AUTHORITY: (
        (
            r"administrator|(?:false|fake|claimed|claims?|assert\w{0,3}|borrowed|invok\w{1,3}|appeals? to"
            r"|unverified|assumed)"
            r" (?:\w{1,12} )?(?:authorit|authori[sz]ation|credential|clearance|legitimacy|privilege)"
            r"|law enforcement|self proclaimed"
            r"|speaks? for the (?:developer|compan|provider|operator)|(?:approval|approved|authori[sz]ed"
            r"|sanctioned|signed off) by"
            r"|(?:pretends?|claims?) to be (?:from|with|part of|an? (?:\w{1,12} )?(?:member|representative))"
        ),
        (
            r"authorit|authori[sz]|admin\b|officials?\b|credential|impersonat|developer|clearance|privileg"
            r"|management|managers?\b"
            r"|executive|ceo\b|boss\b|supervisor|superior|doctor|physician|lawyer|police|officer|engineer"
            r"|employee|staff\b|auditor"
            r"|inspector|court\b|warrant|subpoena|government|rank\b|(?:poses?|posing|posed) as an?\b|department"
            r"|regulator|badge"
            r"|(?:presents?|introduces?|styles?) (?:it|him|her|them)sel(?:f|ves) as|owners?\b|legal team"
            r"|licen[cs]e number|seniority"
            r"|internal team|ciso\b|cto\b|vendor|name drop|agency\b|minist(?:er|ry)|judge\b|director|headquarters"
        ),
        (
            r"claims? to be|poses?\b|posing|policy|legitimacy|unverified|(?:cannot|nobody can"
            r"|can not) (?:be )?(?:checked|verif|confirm)"
            r"|office\b|approved|compliance|proof\b|permission|pretends? to be|compel|legal\b"
        ),
    ),
}
"""Clues that weigh 3, 2 and 1, each from the beginning of a word, in the seed's order of the types."""

_TESTS = {
    kind.value: tuple((weight, re.compile(rf"\b(?:{clues})")) for weight, clues in zip((3, 2, 1), rows, strict=True))
    for kind, rows in _CLUES.items()
}

_TITLE = "|".join(kind.value for kind in PatternType).replace("_", " ")
_TITLED = re.compile(rf"[\W\d]{{0,9}}(?:pattern \d{{1,2}}\W{{1,3}})?(?P<title>{_TITLE})\b")


def classify(text: str) -> str:
    """Return the type whose name ``text`` opens with, else the one with most clues, else ``unclassified``."""
    said = in_plain_words(text)
    titled = _TITLED.match(said)
    if titled:
        return titled["title"].replace(" ", "_")
    weights = {kind: _weight(kind, said) for kind in _TESTS}
    heaviest = max(weights, key=weights.__getitem__)
    return heaviest if weights[heaviest] else UNCLASSIFIED


def in_plain_words(text: str) -> str:
    """Return ``text`` in small letters, with one blank for every run of blanks, hyphens and underscores."""
    return re.sub(r"[\s_-]+", " ", text.lower().replace("’", "'"))


def _weight(kind: str, said: str) -> int:
    return sum(weight * len(set(test.findall(said))) for weight, test in _TESTS[kind])
