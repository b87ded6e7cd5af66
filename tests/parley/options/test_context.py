"""What a user gives to a debate, and how much its prompts may hold: options, files and the command line."""

import io
from pathlib import Path
from typing import Any

import click
import pytest

from parley.errors import RequestError
from parley.options.debate import DebateOptions
from parley.panel_files import shipped_panels
from parley.questions import read_config
from parley.specs.debate import DEBATE
from parley.visibility import details
from protocols.debate.model.context import ContextBudget, Material
from studies.definition.files import read_study
from studies.definition.grid import arms_of
from tests.fakes.command_lines import line_read
from tests.fakes.debates import debate_of

NOTE = "Traffic fell by 11 % in 2024.\n"


def options(**given: Any) -> DebateOptions:
    """The options of a debate of two."""
    return DebateOptions.of({"agents": ("a", "b"), **given})


class TestBudget:
    """``--context-tokens``, and components in a file (point 28)."""

    def test_without_either_the_budget_is_that_of_the_seed(self) -> None:
        """Nothing has to be given."""
        assert ContextBudget() == options().build_input("Why?", queues={}).context_budget

    def test_context_tokens_scale_every_component(self) -> None:
        """The workflow starts with the whole budget."""
        made = options(context_tokens=20_000).build_input("Why?", queues={}).context_budget
        assert ContextBudget.scaled(20_000) == made

    def test_a_component_that_is_named_is_as_it_was_said(self) -> None:
        """The others follow from the context tokens."""
        made = options(context_tokens=20_000, context_budget={"state": 9000}).budget
        assert (9000, 10_000, 20_000) == (made.state, made.previous, made.total)

    @pytest.mark.parametrize(
        ("given", "message"),
        [
            ({"context_tokens": 100}, "context_tokens: '100' cannot be used: write 4000 or more"),
            ({"context_tokens": 10**7}, "context_tokens: '10000000' cannot be used: write 200000 or less"),
            (
                {"context_budget": {"state": 9000}},
                "context_budget: state 9,000, previous 5,000 .* raise total or lower the others",
            ),
            ({"context_budget": {"state": 9}}, "context_budget.state is 9: write 500 or more"),
            ({"context_budget": {"stat": 9}}, "'stat' cannot be used: write 'state', 'historical'"),
        ],
    )
    def test_what_cannot_be_used_is_refused_with_a_remedy(self, given: dict[str, Any], message: str) -> None:
        """The message names the value and what to write."""
        with pytest.raises(RequestError, match=message):
            options(**given)


class TestMaterial:
    """``--material FILE``, files and the Python client (point 27)."""

    def test_a_path_is_read_and_a_text_is_a_document(self, tmp_path: Path) -> None:
        """A file has its own name, a text a number."""
        (tmp_path / "note.md").write_text(NOTE)
        made = options(material=[tmp_path / "note.md", "By hand."]).build_input("Why?", queues={}).material
        assert (Material(name="note.md", text=NOTE), Material(name="material 2", text="By hand.")) == made

    def test_options_survive_their_dump(self) -> None:
        """The command line hands them on as keywords."""
        made = options(material=["By hand."], context_budget={"state": 3000}, context_tokens=12_000)
        assert made == DebateOptions.of(made.model_dump())

    def test_a_text_that_looks_like_a_file_is_not_taken_for_a_text(self) -> None:
        """Nothing reads it here, and the name of a file is no evidence."""
        with pytest.raises(RequestError, match=r"'@note.md' names a file; give pathlib.Path\('note.md'\)"):
            options(material=["@note.md"])

    @pytest.mark.parametrize(
        "given", [{"name": "a", "text": "b", "url": "c"}, [{"name": "a", "text": "b", "url": "c"}]]
    )
    def test_a_document_has_no_other_parts(self, given: object) -> None:
        """A part of a document that would be left out is refused, with the parts that there are."""
        with pytest.raises(RequestError, match="material: 'url' is no part of a document, which has 'name' and 'text'"):
            options(material=given)

    def test_too_much_of_it_is_refused_before_anything_is_started(self) -> None:
        """With the figure and the remedy; the remedy works."""
        with pytest.raises(RequestError, match=r"about 9,00\d tokens, and at most 8,000 .*--context-tokens 1125\d"):
            options(material=["word " * 9000])
        assert options(material=["word " * 9000], context_tokens=11_300).material

    def test_the_command_line_reads_files_and_standard_input(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """``FILE``, ``@FILE`` and ``-``, each with its name."""
        (tmp_path / "note.md").write_text(NOTE)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"Piped.")))
        named = [word for name in ("note.md", "@note.md", "-") for word in ("--material", name)]
        _, made = line_read("debate", "Why?", *named, "--agents", "a,b")
        assert [("note.md", NOTE), ("note.md", NOTE), ("standard input", "Piped.")] == [
            (one.name, one.text) for one in made.material
        ]

    @pytest.mark.parametrize(("content", "message"), [(None, "there is no file"), (" \n", "'note.md' is blank")])
    def test_a_file_that_states_nothing_is_refused(self, tmp_path: Path, content: str | None, message: str) -> None:
        """The message names it."""
        if content is not None:
            (tmp_path / "note.md").write_text(content)
        with pytest.raises(click.UsageError, match=message):
            line_read("debate", "Why?", "--material", str(tmp_path / "note.md"))

    def test_a_configuration_file_names_files_below_it(self, tmp_path: Path) -> None:
        """``@FILE`` is the text of the file, any other text is itself, and components are in a table."""
        (tmp_path / "note.md").write_text(NOTE)
        (tmp_path / "d.toml").write_text('material = ["@note.md", "@@home", "Text."]\n[context_budget]\nstate = 3000')
        keys = read_config(str(tmp_path / "d.toml"))
        assert [("note.md", NOTE), ("material 2", "@home"), ("material 3", "Text.")] == [
            (one.name, one.text) for one in options(**keys).material
        ]
        assert 3000 == options(**keys).budget.state

    def test_a_configuration_file_cannot_lead_out_of_its_directory(self, tmp_path: Path) -> None:
        """It may have been written by another one."""
        (tmp_path / "note.md").write_text(NOTE)
        (tmp_path / "sub").mkdir()
        (tmp_path / "sub" / "d.toml").write_text('material = "@../note.md"')
        with pytest.raises(RequestError, match="leads out of"):
            read_config(str(tmp_path / "sub" / "d.toml"))

    def test_an_arm_of_a_study_may_have_material(self, tmp_path: Path) -> None:
        """Its files lie below the study file, and every row is debated with them."""
        (tmp_path / "note.md").write_text(NOTE)
        (tmp_path / "rows.csv").write_text("question\nWhy?\n")
        (tmp_path / "s.toml").write_text(
            'name = "s"\nrehearse = true\n[dataset]\npath = "rows.csv"\n'
            '[[arms]]\nprotocol = "debate"\noptions = {material = ["@note.md"], context_tokens = 12000}\n'
        )
        study = read_study(str(tmp_path / "s.toml"))
        made = arms_of(study, shipped_panels())[0].options
        assert isinstance(made, DebateOptions)
        assert [("note.md", NOTE)] == [(one.name, one.text) for one in made.material]
        assert 12_000 == made.budget.total


def test_a_debate_is_introduced_with_its_material_and_context() -> None:
    """The follow-up is shown what all seats are shown."""
    inp = debate_of(material=({"name": "note.md", "text": NOTE},), context_budget=ContextBudget.scaled(20_000))
    assert "20,000 context tokens, material: note.md" in details(DEBATE, inp)
