"""Files that a study attaches to its questions, row by row and arm by arm."""

import json
from pathlib import Path
from typing import Any

import pytest

from parley.errors import RequestError
from protocols.study.input_templates import merged
from runtime.attachment_store import AttachmentStore
from studies.definition.load import LoadedStudy
from studies.runs.start import refuse_unable_arms
from tests.fakes.files import pdf, png, written
from tests.fakes.study_files import settings, study

STUDY = """\
name = "seen"
[dataset]
path = "questions.jsonl"
id = "id"
question = "question"
attach = "files"
[panels.lab]
models = ["rehearsal:one", "rehearsal:two"]
[[arms]]
name = "plain"
protocol = "council"
panel = "lab"
[[arms]]
name = "noted"
protocol = "vote"
panel = "lab"
options = { attach = ["notes.txt"] }
"""


def opened(*cells: object, text: str = STUDY, skip_bad: bool = False) -> LoadedStudy:
    """Open a study of rows with these files."""
    here = Path()
    written(here, "chart.png", png())
    written(here, "paper.pdf", pdf(["It is tall."]))
    written(here, "notes.txt", b"Our notes.")
    lines = [json.dumps({"id": f"q{n}", "question": "Why?", "files": cell}) for n, cell in enumerate(cells, 1)]
    written(here, "questions.jsonl", "\n".join(lines).encode())
    return study(text.replace("[panels", "skip_bad = true\n[panels") if skip_bad else text, None)


def files_of(inp: Any) -> list[dict[str, str]]:
    """Return the references in an argument."""
    found: list[dict[str, str]] = inp["attachments"]
    return found


def names(found: LoadedStudy) -> list[list[str]]:
    """Return the names of the files of every deliberation, in their order."""
    template = {arm.arm: arm.template for arm in found.entered().arms}
    inputs = [merged(template[one.arm], one.changes) for one in found.prepared()]
    return [[one["name"] for one in files_of(inp)] for inp in inputs]


def test_a_row_has_its_files_and_an_arm_its_own() -> None:
    """A path, a list of paths, or none; those of the arm come first."""
    found = opened("paper.pdf", ["chart.png", "paper.pdf"], "")

    assert [
        ["paper.pdf"],
        ["notes.txt", "paper.pdf"],
        ["chart.png", "paper.pdf"],
        ["notes.txt", "chart.png", "paper.pdf"],
        [],
        ["notes.txt"],
    ] == names(found)


def test_what_is_sent_is_stored_when_the_study_is_entered() -> None:
    """Each deliberation names a blob that has the content; loading alone stores nothing."""
    found = opened("paper.pdf")
    assert not settings().blobs.exists()

    template = {arm.arm: arm.template for arm in found.entered().arms}
    (plain, noted) = [merged(template[one.arm], one.changes) for one in found.prepared()]

    store = AttachmentStore.of(settings())
    assert [b"[page 1]\nIt is tall."] == [store.get(one["blob"]) for one in files_of(plain)]
    assert {b"Our notes.", b"[page 1]\nIt is tall."} == {store.get(one["blob"]) for one in files_of(noted)}


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("gone.pdf", "there is no file"),
        ("../secret.txt", "leads out of"),
        ("/etc/hostname", "leads out of"),
        (["paper.pdf", "paper.pdf"], "attach it once"),
        ([7], "is no path of a file"),
        ("notes.txt", "'notes.txt' is attached twice, with the same content"),
    ],
)
def test_a_row_with_a_bad_file_is_named_before_anything_starts(cell: object, said: str) -> None:
    """The line and the reason; skip_bad leaves it out."""
    with pytest.raises(RequestError, match=rf"line 2: .*{said}"):
        opened("paper.pdf", cell)

    assert 1 == len(opened("paper.pdf", cell, skip_bad=True).rejected)


def test_another_content_is_another_study() -> None:
    """The hash of a file is part of the identity, its place is not."""
    first = opened("paper.pdf").fingerprint
    assert first == opened("paper.pdf").fingerprint
    assert first != opened("chart.png").fingerprint
    written(Path(), "other.txt", b"Other notes.")
    assert first != opened("paper.pdf", text=STUDY.replace("notes.txt", "other.txt")).fingerprint


def test_files_are_charged_in_the_estimate() -> None:
    """A row with an image takes more than the same row without one."""
    bare, shown = opened("").estimate.amount.tokens, opened("chart.png").estimate.amount.tokens

    assert shown - bare > 1600


async def test_a_model_that_takes_no_images_is_named_with_its_arm() -> None:
    """Before anything is entered; rows without an image are no reason."""
    blind = STUDY.replace("rehearsal:two", "rehearsal:text-only")

    await refuse_unable_arms(opened("paper.pdf", text=blind))
    with pytest.raises(RequestError, match=r"arm 'plain': 'rehearsal:text-only' \(seat p2\) takes no images"):
        await refuse_unable_arms(opened("paper.pdf", "chart.png", text=blind))


async def test_an_arm_that_cannot_search_is_named() -> None:
    """A search of the web is for models of OpenRouter."""
    text = STUDY.replace("[[arms]]", "[[arms]]\noptions = { web = true }", 1).replace('"rehearsal:two"', '"ollama:two"')

    with pytest.raises(RequestError, match=r"arm 'plain': 'ollama:two' \(seat p2\) cannot search the web"):
        await refuse_unable_arms(opened("", text=text))
