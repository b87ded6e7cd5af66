"""What the image is made of, and as whom it runs."""

import fnmatch
import tomllib

import pytest

from tests.compose.stack import OURS, ROOT, SERVICES, instructions

DOCKERFILE = instructions((ROOT / "Dockerfile").read_text("utf-8"))
LAST_STAGE = DOCKERFILE[max(n for n, (word, _) in enumerate(DOCKERFILE) if word == "FROM") :]
IGNORED = (ROOT / ".dockerignore").read_text("utf-8").split("\n")
SENT = {line[1:] for line in IGNORED if line.startswith("!")}


def said(word: str, stage: list[tuple[str, str]]) -> list[str]:
    """What follows each instruction ``word`` in ``stage``."""
    return [rest for name, rest in stage if name == word]


def environment() -> dict[str, str]:
    """The variables that the image sets."""
    return dict(pair.split("=", 1) for rest in said("ENV", LAST_STAGE) for pair in rest.split())


def test_the_image_runs_as_a_user_with_a_fixed_number() -> None:
    """The last word on the user is a number, the one that the stack names too."""
    assert {said("USER", LAST_STAGE)[-1]} == {SERVICES[name]["user"] for name in OURS}


def test_nothing_is_installed_without_its_hash() -> None:
    """Every installation checks hashes and resolves nothing, or takes the wheel that was just built and no other."""
    installs = [
        part for rest in said("RUN", DOCKERFILE) for part in rest.split("&&") if " install " in part and "pip" in part
    ]
    hashed = [part for part in installs if "--require-hashes --no-deps -r requirements/" in part]

    assert len(hashed) == 2
    assert all("--no-index" in part and "/build/wheel/" in part for part in installs if part not in hashed)


def test_the_last_stage_has_no_tools() -> None:
    """The image holds what runs; what builds stays behind."""
    copies = said("COPY", LAST_STAGE)

    assert copies == ["--from=build /opt/parley /opt/parley"]


def test_the_stages_have_an_exact_python() -> None:
    """Both stages are the same Python, so that what was built for one runs in the other."""
    bases = {rest.split()[0] for rest in said("FROM", DOCKERFILE)}

    assert bases == {"python:3.12-slim-bookworm"}


def test_the_image_is_a_worker_and_states_whether_it_lives() -> None:
    """Started without a word the image works, and the health check asks for the live process that it wrote down."""
    assert said("CMD", LAST_STAGE)[-1] == '["python", "-m", "parley.worker"]'
    assert "worker.pid" in said("HEALTHCHECK", LAST_STAGE)[0]
    assert "running_process" in said("HEALTHCHECK", LAST_STAGE)[0]


def test_home_and_texts_can_be_written_by_the_user() -> None:
    """The folders that the image names exist and belong to its user; a new volume takes that over."""
    made = next(rest for rest in said("RUN", LAST_STAGE) if "install -d -o parley -g parley" in rest).split()

    assert {environment()["PARLEY_HOME"], environment()["PARLEY_BLOBS"]} <= set(made)


def test_no_secret_can_reach_the_builder() -> None:
    """The builder is sent a list of things, and .env, results and history are not on it."""
    assert IGNORED[1] == "*"
    assert not [name for name in (".env", ".git", ".parley", "providers.toml") if name in SENT]


def test_everything_that_is_packed_is_sent() -> None:
    """A package that pyproject.toml packs and the image lacks would be missed only at run time."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    hook = wheel["hooks"]["custom"]

    assert {*hook["packages"], hook["path"], "pyproject.toml", "README.md"} <= SENT


def test_the_pins_that_a_service_names_are_sent() -> None:
    """What the stack has the image built with is in the list for the builder, and so is what builds."""
    named = {service["build"]["args"]["PINS"] for service in SERVICES.values() if "build" in service}

    assert {f"requirements/{name}.txt" for name in named | {"build"}} <= SENT


@pytest.mark.parametrize("name", sorted(SENT))
def test_everything_that_is_sent_is_there(name: str) -> None:
    """The list names nothing that was renamed or removed."""
    assert (ROOT / name).exists()
    assert not fnmatch.fnmatch(name, "*.env*")
