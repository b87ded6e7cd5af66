"""Words of denial and assent in the languages that the readers know, as tables."""

from collections.abc import Mapping


def _words(table: str) -> frozenset[str]:
    return frozenset(table.split())


def _pairs(table: str) -> dict[str, str]:
    return dict(pair.split("=") for pair in table.split())


NEGATIONS = _words(
    """
    not no never without cannot none neither nor hardly nicht kein keine keinen keinem keiner keines nie niemals
    ohne weder keinesfalls keineswegs nullement nul nulle fail fails refrain refrains pas jamais aucun aucune sans
    nunca jamás ningún ninguna sin tampoco
    """
)

NEGATED_CHARACTERS = (
    *("べきではない", "べきでない", "ではない", "でない", "しない", "ません", "ない", "不应该", "不應該"),
    *("不", "没", "沒", "别", "別", "勿", "禁止", "反对", "反對", "拒绝", "拒絕"),
)
"""Of texts without blanks between words; longer ones first, because the shorter are part of them."""

DENIED: Mapping[str, str] = {
    **dict.fromkeys(("ban", "bans", "banned", "banning", "prohibit", "prohibits", "forbid", "outlaw"), "allow"),
    **dict.fromkeys(("reject", "rejects", "refuse", "refuses", "decline"), "accept"),
    **dict.fromkeys(("oppose", "opposes", "opposed"), "support"),
    **dict.fromkeys(("abolish", "repeal", "scrap"), "keep"),
    **dict.fromkeys(("decrease", "reduce", "lower", "cut"), "raise"),
    **dict.fromkeys(("close", "closed", "shut", "closing"), "open"),
    **dict.fromkeys(("against", "contra", "contre", "gegen"), ""),
    **_pairs(
        """
        unsafe=safe impossible=possible illegal=legal false=true wrong=right unlikely=likely innocent=guilty
        less=more fewer=more worse=better unfair=fair unnecessary=necessary disagree=agree stop=continue leave=stay
        verbieten=erlauben ablehnen=annehmen unsicher=sicher falsch=richtig schließen=öffnen weniger=mehr
        abschaffen=behalten senken=erhöhen interdire=autoriser refuser=accepter faux=vrai moins=davantage
        fermer=ouvrir prohibir=permitir rechazar=aceptar menos=más falso=verdadero cerrar=abrir
        """
    ),
}
"""Opposites of another word, which may be blank: they count as that word with a negation."""

SPLITS: Mapping[str, bool] = {
    **dict.fromkeys(("and", "or", "but", "however", "although", "though", "while", "because", "if"), False),
    **dict.fromkeys(("und", "oder", "aber", "sondern", "obwohl", "weil", "wenn", "et", "ou", "mais", "car"), False),
    **dict.fromkeys(("y", "o", "pero", "sino", "porque", "aunque", "si"), False),
    **dict.fromkeys(("than", "unless", "instead", "statt", "anstatt"), True),
}
"""Words between two clauses; true where they deny the second one."""

ANSWERS: Mapping[str, str] = {
    **dict.fromkeys(("yes", "ja", "oui", "sí", "yep", "yeah", "true", "是的", "应该", "はい"), "yes"),
    **dict.fromkeys(("no", "nein", "non", "nope", "false", "不是", "不应该", "否", "いいえ"), "no"),
    **dict.fromkeys(("neither", "neutral", "undecided", "unclear", "weder", "ninguno", "it depends"), "neither"),
    **dict.fromkeys(("unentschieden", "indécis", "indeciso", "两者都不", "どちらでもない"), "neither"),
}
"""With which a position may open."""

FUNCTION_WORDS = _words(
    """
    a an the i we our us my you it its this that these those they is are be been was were do does did will would
    should shall can could may might must has have had to of in on at by for from with as into so then there also
    only very yes rather position believe think hold say der die das den dem des ein eine einen einem einer ich wir
    uns es sie ist sind sein wird werden sollte sollten soll muss müssen kann zu zum zur von vom im am auf für mit
    als auch ja nein le la les l un une du de d je nous il elle ce est sont ne n que qui devons faut doit pour dans
    sur avec oui non el los las una del al yo se son debe debemos deberíamos en con por para sí aux au
    """
)
"""Function words, which are not compared."""

_MOVED = "(?:motion|answer|proposal|position|consensus|group|resolution|statement)"
_OF_GROUP = "(?:(?:the|this|that|our|group|group's|present|current|joint) ){0,4}"
_WE = "(?:(?:yes,? )?(?:i|we) )?(?:(?:fully|broadly|mostly|also|completely|strongly) )?"
_AS_IT_IS = "(?: as (?:it is|it stands|worded|written|stated))?"

ASSENTS = (
    f"{_WE}(?:agree|agreed|concur|accepted)",
    f"{_WE}(?:agree|concur) with {_OF_GROUP}{_MOVED}{_AS_IT_IS}",
    f"{_WE}(?:accept|support|endorse|second|adopt|approve) {_OF_GROUP}{_MOVED}{_AS_IT_IS}",
    f"(?:same as )?(?:the|this) (?:(?:group|group's|present|current) ){{0,3}}{_MOVED}{_AS_IT_IS}",
    "(?:ich|wir) stimmen? (?:dem antrag|der antwort(?: der gruppe)?|dem vorschlag|der gruppe)?(?: ?(?:voll|ganz))? ?zu",
    "(?:ich|wir) (?:nehmen?|unterstützen?) (?:den antrag|die antwort(?: der gruppe)?|den vorschlag)(?: an)?",
    "(?:ich bin |wir sind )?einverstanden(?: mit (?:dem|der) (?:antrag|vorschlag|gruppe))?",
    "(?:je suis |nous sommes )?(?:tout à fait )?d'accord(?: avec (?:la|le) (?:motion|proposition|groupe))?",
    "(?:j'|je |nous )(?:accepte|acceptons|approuve|approuvons|soutiens) la (?:motion|proposition)",
    "(?:estoy |estamos )?(?:totalmente )?de acuerdo(?: con (?:la|el) (?:moción|propuesta|grupo))?",
    "(?:acepto|aceptamos|apoyo|apoyamos) la (?:moción|propuesta)",
    "我?(?:完全)?(?:同意|赞成|接受|支持)(?:这个|该|此|小组的|群体的)?(?:动议|提案|提议|答案|回答)?",
    "(?:この|グループの)?(?:動議|提案|回答)?(?:に|を)?(?:賛成|同意|支持)(?:する|します|です)?",
)
"""Whole positions in lower case that only express agreement with the group."""
