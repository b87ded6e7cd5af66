"""The operator's guide says what is so, where a machine can tell."""

import re

import pytest

from runtime.settings import PREFIX, Settings
from tests.compose.stack import ROOT, references
from workflows import search_attributes

GUIDE = ROOT / "docs" / "operating.md"
TEXT = GUIDE.read_text("utf-8")
LINKS = sorted(link for link in set(re.findall(r"\]\(([^)#]+)\)", TEXT)) if "://" not in link)


def test_every_list_column_is_named_with_its_type() -> None:
    """An operator who creates the columns by hand finds all of them, each with the type that the server calls it by."""
    rows = dict(re.findall(r"^\| `([A-Z]\w+)` \| (\w+) \|$", TEXT, re.MULTILINE))

    assert rows == {key.name: key.indexed_value_type.name.title().replace("_", "") for key in search_attributes.ALL}


def test_every_setting_that_is_named_exists() -> None:
    """The guide names no setting that the program would refuse."""
    known = {f"{PREFIX}{field.upper()}" for field in Settings.model_fields}

    assert set(re.findall(rf"\b{PREFIX}[A-Z_]+\b", TEXT)) <= known


@pytest.mark.parametrize("link", LINKS)
def test_every_link_leads_somewhere(link: str) -> None:
    """What the guide points to in the project is there."""
    assert (GUIDE.parent / link).exists()


def test_the_ports_are_the_defaults() -> None:
    """The table of ports gives the defaults of the settings."""
    rows = re.findall(rf"^\| (\d+) \| `{PREFIX}(\w+)` \|", TEXT, re.MULTILINE)
    defaults = Settings.model_validate({}).model_dump()

    assert {name.lower(): int(port) for port, name in rows} == {
        name: value for name, value in defaults.items() if name.endswith("_port")
    }


def test_every_password_is_named() -> None:
    """An operator who starts the stack finds in the guide what it will ask for."""
    required = {name for name, rest in references() if rest.startswith(":?")}

    assert required <= set(re.findall(r"`([A-Z_]+)`", TEXT))


@pytest.mark.parametrize("name", ["docs/operating.md", "docker-compose.yml"])
def test_commands_are_shown_as_they_work(name: str) -> None:
    """The command line of the stack has no keys: a council that is no rehearsal is shown without looking for them."""
    shown = re.findall(r"docker compose run .*parley council .*", (ROOT / name).read_text("utf-8"))

    assert shown
    assert [line for line in shown if "--no-key-check" not in line and "--rehearse" not in line] == []


def test_no_command_is_shown_in_a_worker() -> None:
    """The workers' image has no command line, so that the guide runs every command in the service that has one."""
    assert re.findall(r"docker compose exec worker\S* parley .*", TEXT) == []
