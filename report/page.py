"""The file: one document with its own style and script, and a policy that allows nothing else.

The policy names the script and the style by their hashes. Nothing is fetched, no form is sent, and text that became
markup by mistake could not run.
"""

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from protocols.plurals import counted
from report.markup import Markup, el

GENERATOR = "parley report"
"""The mark of a report, which the next one may overwrite."""

REHEARSED = (
    "Rehearsal: scripted models answered. These figures measure the machinery, not any model; they are no evidence of "
    "quality, and their costs were never paid."
)


def page(title: str, *body: Markup | None, rehearsals: int = 0, of: int = 1, scripted: bool = False) -> str:
    """Return the whole document.

    Args:
        title: Of the window; escaped like everything else.
        body: Its content, from the first heading on.
        rehearsals: How many of the ``of`` deliberations were rehearsed; a banner says so.
        of: The number of deliberations in it.
        scripted: Whether the page's script is needed.
    """
    style, script = _part("page.css"), _part("page.js") if scripted else ""
    head = el(
        "head",
        el("meta", charset="utf-8"),
        el("meta", http_equiv="Content-Security-Policy", content=_policy(style, script)),
        el("meta", name="generator", content=GENERATOR),
        el("meta", name="viewport", content="width=device-width, initial-scale=1"),
        el("meta", name="color-scheme", content="light dark"),
        el("meta", name="referrer", content="no-referrer"),
        el("title", title),
        el("style", Markup(style)),
    )
    main = el("main", list(body))
    end = el("script", Markup(script)) if scripted else None
    whole = el("html", head, el("body", _banner(rehearsals, of), main, end), lang="en")
    return f"<!DOCTYPE html>\n{whole}\n"


def _banner(rehearsals: int, of: int) -> Markup | None:
    if not rehearsals:
        return None
    some = "" if rehearsals >= of else f" ({rehearsals:,} of {counted(of, 'deliberation')})"
    return el("p", el("strong", f"REHEARSAL{some}. "), REHEARSED, class_="banner", role="note")


def _policy(style: str, script: str) -> str:
    run = _hashed(script) if script else "'none'"
    allowed = f"script-src {run}; style-src {_hashed(style)}"
    return f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"


def _hashed(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def _part(name: str) -> str:
    return files(__package__).joinpath(name).read_text("utf-8")
