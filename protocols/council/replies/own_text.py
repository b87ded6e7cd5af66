"""The reviewer's own words, without quotations of its prompt and without formatting."""

import re

from protocols.council.wording import folded

READ_FROM_END = 200_000
"""Characters of a review that are read: a ranking is at the end, and a runaway reply must not be slow."""

_QUOTE_MARK = re.compile(r"<(?P<slash>[\s/]*)answer\b[^<>]{0,300}>", re.IGNORECASE)
_OPEN_QUOTATION = re.compile(r"<[\s/]*answer\b[^<>]{0,100}name=", re.IGNORECASE)
_QUOTED_LINE = re.compile(r"^[^\S\n]*>.*$", re.MULTILINE)
_QUOTED_HEADING = re.compile(r"[^\S\n]*>")
_QUOTE_SIGN = re.compile(r"^[^\S\n]*>[^\S\n>]*", re.MULTILINE)
_STRUCK = re.compile(r"~~[^~\n]{1,300}~~")
_BREAK = re.compile(r"</?(?:li|ol|ul|p|br|tr|table|tbody|thead|div|h[1-6])\b[^<>\n]{0,80}>", re.IGNORECASE)
_CELL = re.compile(r"</?(?:td|th)\b[^<>\n]{0,80}>", re.IGNORECASE)
_TAG = re.compile(r"</?(?:b|i|em|strong|u|code|span|sub|sup|mark|ranking|final_ranking)\b[^<>\n]{0,80}>", re.IGNORECASE)
_LATEX = (
    (re.compile(r"\\(?:succ|gt|rightarrow|to|Rightarrow)(?![A-Za-z])"), ">"),
    (re.compile(r"\\(?:prec|lt|leftarrow)(?![A-Za-z])"), "<"),
    (re.compile(r"\\(?:sim|approx|equiv)(?![A-Za-z])"), "="),
    (re.compile(r"\\(?:geq?|succeq)(?![A-Za-z])"), "≥"),
    (re.compile(r"\\(?:text|mathrm|mathbf|textbf|boxed|mathsf)\{"), " "),
    (re.compile(r"\\[,;:!]|\\quad"), " "),
)
_DRESSING = str.maketrans({"*": None, "`": None, "“": None, "”": None, '"': None, "_": " ", "[": "(", "]": ")"})


def own_text(text: str, nonce: str | None) -> str:
    """Return the end of the reviewer's own words; without a code, lines quoted with ``>`` are taken for a peer's."""
    if nonce is not None:
        return folded(_unquoted(text[-READ_FROM_END:], nonce))
    return folded(_QUOTED_LINE.sub("", _unquoted(text, None)[-READ_FROM_END:]))


def undressed(region: str) -> str:
    """Return the text under a header without the signs of Markdown, HTML and LaTeX around words."""
    first = next((line for line in region.split("\n")[1:] if line.strip()), "")
    region = _OPEN_QUOTATION.split(region, maxsplit=1)[0]
    signs = _QUOTE_SIGN if _QUOTED_HEADING.match(first) else _QUOTED_LINE
    said = signs.sub("", region)
    said = _CELL.sub("|", _BREAK.sub("\n", _TAG.sub("", _STRUCK.sub("", said))))
    for pattern, sign in _LATEX:
        said = pattern.sub(sign, said)
    if "\\" in region:
        said = said.replace("$", " ").replace("{", " ").replace("}", " ").replace("\\", " ")
    return said.translate(_DRESSING)


def _unquoted(text: str, nonce: str | None) -> str:
    """Return ``text`` without the answers that the reviewer quotes between the marks of its prompt.

    With a nonce only marks that carry it count, so that no peer can open a quotation that swallows the ranking; what
    follows an unclosed one is kept, for a header still needs the code. Without a nonce it may be a peer's, and is
    dropped. A bare ``<answer>`` is the reviewer's own way to wrap its text.
    """
    kept: list[str] = []
    start, inside = 0, False
    for mark in _QUOTE_MARK.finditer(text):
        closes = "/" in mark["slash"]
        if closes != inside or not (closes or "name=" in mark[0]) or (nonce is not None and nonce not in mark[0]):
            continue
        if not inside:
            kept.append(text[start : mark.start()])
        start, inside = mark.end(), not inside
    if not inside or nonce is not None:
        kept.append(text[start:])
    return "\n".join(kept)
