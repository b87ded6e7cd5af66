"""The words of rankings: headers in several languages, reversals of order, numbers in words.

``holds_header`` and ``holds_ranking_object`` say of a text that peers are shown whether it could pass for a ranking:
only then must a reviewer's header carry the code that no peer can know.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping

from protocols.council.model import Opinion
from protocols.model_call import FrozenModel

HEADERS: tuple[str, ...] = (
    *("final ranking", "final rankings", "final rank", "my final order", "overall ranking"),
    *("endgültige rangliste", "endgültiges ranking", "finale rangliste", "finales ranking", "abschließende rangliste"),
    "abschliessende rangliste",
    *("classement final", "classement définitif", "clasificación final", "ranking final", "ranking definitivo"),
    *("classificação final", "classifica finale", "graduatoria finale", "definitieve rangschikking"),
    *("итоговый рейтинг", "окончательный рейтинг", "финальный рейтинг", "ranking końcowy", "nihai sıralama"),
    *("最终排名", "最终排序", "最終排名", "最終排序", "最終順位", "最終ランキング", "최종 순위", "최종 랭킹"),
)
"""The header's words, which are asked for in English, and how models translate them."""

RANKING_WORDS: tuple[str, ...] = (
    *("rank", "order", "rangliste", "rangfolge", "reihenfolge", "platzierung", "classement", "clasificaci"),
    "classifica",
    *("graduatoria", "rangschikking", "ranglijst", "рейтинг", "ранжирование", "порядок", "klasyfikacja", "sıralama"),
    *("排名", "排序", "排行", "顺序", "順位", "順番", "ランキング", "순위", "랭킹", "ترتيب", "تصنيف", "रैंकिंग"),
    *("xếp hạng", "peringkat"),
)
"""Parts of words, one of which is on a line that carries the code and is a header in words of its own."""

_WORST_FIRST: tuple[str, ...] = (
    r"(?:worst|lowest|weakest|poorest)[ -](?:to[ -]|first)",
    r"(?:from |in )?(?:ascending|reverse)(?: quality| order)",
    r"1\s?(?:=|is|means)\s?(?:the )?(?:worst|weakest|lowest)",
    r"schlecht\w{0,6} (?:zuerst|bis|zum|nach)",
    r"du (?:pire|moins bon) au meilleur",
    r"(?:de|da) (?:peor a|pior (?:para|a)) (?:mejor|melhor)",
    r"dal peggiore al migliore",
    r"от худшего к лучшему",
    r"(?:从|由)(?:最)?(?:差|低|坏)(?:到|至)",
    r"(?:悪い|低い)(?:もの)?(?:順|から)",
    r"최악.{0,6}(?:최고|순)|낮은 순",
)
WORST_FIRST = re.compile("|".join(f"(?:{way})" for way in _WORST_FIRST), re.IGNORECASE)
"""What says that an order begins with its worst."""

WORD_NUMBERS: Mapping[str, int] = {
    **dict.fromkeys(("first", "best", "top", "winner", "erster", "erste", "premier", "première", "primero"), 1),
    **dict.fromkeys(("primeiro", "primo", "первый", "第一名", "第一位", "第一"), 1),
    **dict.fromkeys(("second", "second best", "runner-up", "zweiter", "zweite", "deuxième", "segundo", "secondo"), 2),
    **dict.fromkeys(("второй", "第二名", "第二位", "第二"), 2),
    **dict.fromkeys(("third", "dritter", "dritte", "troisième", "tercero", "terceiro", "terzo"), 3),
    **dict.fromkeys(("третий", "第三名", "第三位", "第三"), 3),
    **dict.fromkeys(("fourth", "vierter", "vierte", "quatrième", "cuarto", "quarto"), 4),
    **dict.fromkeys(("четвёртый", "четвертый", "第四名", "第四位", "第四"), 4),
    **dict.fromkeys(("fifth", "fünfter", "fünfte", "cinquième", "quinto", "пятый", "第五名", "第五位", "第五"), 5),
    **dict.fromkeys(("sixth", "第六名", "第六位", "第六"), 6),
    **dict.fromkeys(("last", "worst", "letzter", "letzte", "dernier", "dernière", "último", "ultimo"), 99),
    **dict.fromkeys(("последний", "最后", "最後"), 99),
}
"""Places in words; the last one lies behind every number."""

DOUBT = re.compile(
    r"\b(?:not|cannot|unable|refuse\w*|won['’]t|never|than|worse|worst|weak\w*|least|behind|below|after|under|inferior"
    r"|wrote|writes|sa(?:ys|id)|claims?|last|los(?:es|t)|unlike|except|instead|nicht|kein\w*|schlecht\w*|hinter|nach|pas|pire|après|peor|después|no)\b"
    r"|n['’]t\b|\bti(?:e|es|ed|ing)\b|equal|不|没|差|最后",
    re.IGNORECASE,
)
"""Words behind which labels in running text have no order, or another than that of being named."""

SHARED = re.compile(
    r"\bti(?:e|es|ed)\b|\bequal|\bshared?\b|\bjoint|\bdraw\b|gleich|geteilt|unentschieden|ex[ -]?æ?(?:a?equo)|égalité"
    r"|empat|parità|ничья|поровну|并列|並列|平手|同列|同率|동점|공동",
    re.IGNORECASE,
)
"""Words for labels that share a place."""

_RANKING_KEY = re.compile(r"rank[a-z_ ]{0,20}[\"'”]?\s{0,3}[:=]", re.IGNORECASE)


class Forgeable(FrozenModel):
    """A text in the question or in a shown answer that would pass for a ranking."""

    has_header: bool
    has_object: bool


MAYBE_FORGEABLE = Forgeable(has_header=True, has_object=True)


def folded(text: str) -> str:
    """Return ``text`` for parsing only: compatibility forms made plain, what is invisible or combines gone.

    Done character by character, because normalising a text whole takes quadratic time over stacked combining marks.
    """
    table = {ord(c): _plain(c) for c in set(text) if not c.isascii()}
    if ord("🥉") in table:
        table |= dict.fromkeys(map(ord, "🏅🎖"), " #4 ")
    return text.translate(table | {ord("\r"): "\n"})


def squashed(text: str) -> str:
    """Return the letters and digits of ``text`` in lower case, so that no dressing makes a difference."""
    return re.sub(r"[\W_]+", "", folded(text).lower())


def holds_header(text: str) -> bool:
    """Return whether ``text`` has the words of a header anywhere, however they are dressed."""
    plain = squashed(text)
    return any(words in plain for words in _SQUASHED_HEADERS)


def holds_ranking_object(text: str) -> bool:
    """Return whether ``text`` names a ranking as an object's key does."""
    return _RANKING_KEY.search(folded(text)) is not None


def forgeable(question: str, opinions: Iterable[Opinion]) -> Forgeable:
    """Return what reviewers could copy from ``question`` and ``opinions`` and would pass for a ranking."""
    read = tuple(opinions)
    return Forgeable(
        has_header=holds_header(question) or any(one.has_header for one in read),
        has_object=holds_ranking_object(question) or any(one.has_ranking_object for one in read),
    )


_MARKS: Mapping[str, str] = {
    "\u20e3": ". ",
    **{chr(0x2460 + n): f" {n + 1}. " for n in range(20)},
    **{chr(0x2776 + n): f" {n + 1}. " for n in range(10)},
    **{chr(0x2780 + n): f" {n + 1}. " for n in range(10)},
    **{medal: f" #{n} " for n, medal in enumerate("🥇🥈🥉", start=1)},
    "🔟": " 10. ",
    **dict.fromkeys("\u2028\u2029\x85", "\n"),
}
"""Numbers that are one character, and the ends of lines."""


def _plain(char: str) -> str:
    if char in _MARKS:
        return _MARKS[char]
    if unicodedata.category(char) in {"Cf", "Mn", "Me"}:
        return ""
    return unicodedata.normalize("NFKC", char)


_SQUASHED_HEADERS = tuple(dict.fromkeys(squashed(words) for words in HEADERS))
