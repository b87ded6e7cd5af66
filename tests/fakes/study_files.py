"""Study files and datasets for tests, written where the test runs."""

from pathlib import Path

from runtime.settings import Settings
from studies.definition.files import Overrides
from studies.definition.load import LoadedStudy, load_study

STUDY = """\
name = "small"
seed = 7
[dataset]
path = "questions.csv"
id = "id"
question = "prompt"
label = "answer"
[label]
read = "choice"
choices = ["A", "B"]
[panels.lab]
models = ["rehearsal:one", "rehearsal:two", "rehearsal:three"]
[grid]
protocols = ["council", "single"]
"""
"""Two arms on a panel of three."""

QUESTIONS = "id,prompt,answer\nq1,What is 1 + 1? A) 2 B) 3,A\nq2,What is 1 + 2? A) 2 B) 3,b\n"

AT_ONCE = Overrides(protocols=("council",))
"""What makes a study of a dataset alone."""


def settings() -> Settings:
    """An installation in the directory of the test."""
    return Settings(home=Path("home"))


def study(text: str = STUDY, questions: str | None = QUESTIONS, overrides: Overrides = Overrides()) -> LoadedStudy:  # noqa: B008 - a value that never changes
    """The study in ``text`` over ``questions``, opened; ``None`` leaves the dataset that is there."""
    Path("study.toml").write_text(text)
    if questions is not None:
        Path("questions.csv").write_text(questions)
    return load_study("study.toml", overrides, settings())


def dataset(name: str, content: str | bytes, overrides: Overrides = AT_ONCE) -> LoadedStudy:
    """The dataset of that name and content, opened without a study file."""
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return load_study(name, overrides, settings())
