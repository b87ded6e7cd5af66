"""What a model wrote, on a terminal and elsewhere."""

import io

import pytest
from rich.console import Console

from starter.views.model_text import ModelText
from tests.fakes.hostile_markdown import ATTACKS, LONG


def shown(text: str, *, is_terminal: bool = True) -> str:
    """What a console of 60 columns prints, with its own escape sequences when it is a terminal."""
    out = io.StringIO()
    console = Console(file=out, width=60, force_terminal=is_terminal, color_system="standard" if is_terminal else None)
    console.print(ModelText(text))
    return out.getvalue()


def plain(text: str) -> str:
    """What a terminal without colours shows."""
    out = io.StringIO()
    Console(file=out, width=60, force_terminal=True, color_system=None).print(ModelText(text))
    return out.getvalue()


def test_a_terminal_gets_rendered_markdown() -> None:
    """Headings, emphasis and lists are drawn, and their marks are gone."""
    text = plain("# Title\n\n- **bold** text\n- more\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")
    assert "•" in text
    assert not {"#", "*", "|"} & set(text)


def test_a_file_gets_the_text_as_it_was_written() -> None:
    """Where nothing is drawn the text is as the model wrote it."""
    assert "# Title\n\n- **bold**\n" == shown("# Title\n\n- **bold**", is_terminal=False)


def test_no_line_of_a_model_stands_where_ours_do() -> None:
    """On a terminal every line is indented, so no heading or rule passes for one of ours."""
    text = plain("# Verdict\n---\n────────── Verdict ──────────\n\nplain\n\n1. item\n\n> quoted")
    assert all(line.startswith("  ") for line in text.splitlines() if line.strip())


@pytest.mark.parametrize("text", ATTACKS.values(), ids=ATTACKS.keys())
def test_no_link_and_no_sequence_of_a_model_reaches_the_terminal(text: str) -> None:
    """A terminal gets colours of ours alone: no hyperlink, no title, no cursor."""
    assert "\x1b]" not in shown(text)
    assert "\x1b" not in plain(text)


@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_a_text_made_to_cost_is_shown(text: str) -> None:
    """Depth and length end in text, not in an error."""
    assert plain(text).strip()
