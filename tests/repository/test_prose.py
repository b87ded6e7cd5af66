from pathlib import Path

import pytest

from tests.repository import prose
from tests.repository.prose import complaints, complaints_of
from tests.repository.sources import PACKAGES, ROOT, listed, modules


def wrong(source: str, name: str = "council.py") -> list[str]:
    """What is wrong with a file of this content."""
    return [one.partition(" ")[2] for one in complaints_of(Path(name), source)]


@pytest.mark.parametrize("place", PACKAGES)
def test_every_package_is_in_plain_words(place: str) -> None:
    """No banned word, no sentence in place of a verb or a noun; ``python -m tests.repository.prose`` lists them."""
    found = complaints(place)

    assert (ROOT / place).exists()
    assert not found, listed(found)


def test_tests_are_in_plain_words() -> None:
    """The names, docstrings and comments of tests have the words of the code; the checks of words name the others."""
    quoted = {Path(__file__), Path(prose.__file__)}
    found = [one for path in modules("tests") if path not in quoted for one in prose.complaints_of_test(path)]

    assert not found, listed(found)


@pytest.mark.parametrize(
    "source",
    ['"""Values.\n\nThe ledger says\nso, and nobody asks.\n"""', "x = 1  # as it stands", 'x = 1\n"""Told."""'],
)
def test_every_sentence_is_read(source: str) -> None:
    """The check itself notices a phrase below a first line, in a comment and beside a constant, not in a quotation."""
    assert wrong(source)
    assert not wrong('"""Words such as "nobody" and ``told``."""')


@pytest.mark.parametrize(
    "line",
    [
        'raise ValueError("the batch goes on by itself")',
        'notify(f"{name}: nobody answers here")',
        '_log.info("run_goes_on_here")',
        'help = "as the file says"',
    ],
)
def test_messages_are_read(line: str) -> None:
    """The check itself notices a phrase in an error, a notice, the name of a log event and any other text."""
    assert wrong(f'"""Values."""\n{line}')
    assert not wrong(f'"""Values."""\n{line}', "protocols/council/prompts.py")
    assert not wrong('"""Values."""\nx = re.compile(r"(?:nobody said it)\\b")')


@pytest.mark.parametrize(
    "line",
    [
        "Return the text whoever wrote it.",
        "What is left of a budget.",
        "The text of the reply.",
        "Whether the reply is complete.",
        "Return what the file says.",
        "Start a worker and have it told.",
        "Return the row which names the arm that is compared.",
        "Speak to the models.",
    ],
)
def test_a_sentence_about_nobody_is_seen(line: str) -> None:
    """The check itself notices a first line of a function that gives no order in plain words."""
    assert wrong(f'def parse() -> None:\n    """{line}"""')


@pytest.mark.parametrize(
    "line", ["Return the text of the reply.", "Start a worker.", "Count one deliberation that finished."]
)
def test_an_order_in_plain_words_is_accepted(line: str) -> None:
    """The check itself accepts an imperative verb and its object."""
    assert not wrong(f'def parse() -> None:\n    """{line}"""')


@pytest.mark.parametrize(
    "line", ["What a council keeps.", "Reads replies.", "The books of a study.", "Nobody's draft."]
)
def test_a_class_without_a_noun_is_seen(line: str) -> None:
    """The check itself notices a class or module whose first line is no plain noun phrase."""
    assert wrong(f'class Reply:\n    """{line}"""')
    assert wrong(f'"""{line}"""')


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("class Purse: ...", "budget.py"),
        ("def tell_server() -> None: ...", "server.py"),
        ("DICE = 1", "draws.py"),
        ("class Row:\n    told: str", "row.py"),
        ("def close(errand: str) -> None: ...", "calls.py"),
        ("def close() -> None:\n    for heard, _ in []: ...", "calls.py"),
        ("def close(self: Row) -> None:\n    self.told = ''", "calls.py"),
        ("", "corridor.py"),
    ],
)
def test_a_private_word_in_a_name_is_seen(source: str, name: str) -> None:
    """The check itself notices a banned word in the name of a file, class, function, field or variable."""
    assert wrong(source, name)


def test_a_help_text_is_read_too() -> None:
    """What an option says of itself is held to the same words."""
    assert wrong('option("--detach", help="Return. Somebody else must run a worker.")')
    assert not wrong('option("--detach", help="Print the id and return.")')
