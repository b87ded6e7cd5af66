"""The program ``parley`` from outside: what it loads, what it refuses, and with which exit code."""

import asyncio
import errno
import gc
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import get_args, get_type_hints

import click
import pytest
from click.testing import CliRunner, Result
from temporalio.service import RPCError, RPCStatusCode

from ledger.store_errors import StoreFullError
from parley import errors
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import AnySpec
from runtime.errors import CannotReachTemporalError, PayloadError, ServerFailedError, SettingsError
from runtime.settings import Settings
from starter.cli import parley
from starter.commands.batch.begin import FORMATS as BATCH_FORMATS
from starter.commands.export import FORMATS as WRITTEN_FORMATS
from starter.commands.export import TABLES as WRITTEN_TABLES
from starter.commands.export import _kind
from starter.commands.screen import FORMATS as PROMPT_FORMATS
from starter.handlers.command_runner import run
from studies.dataset.dataset import Format
from studies.dataset.prompt_rows import READERS
from studies.exports.columns import TABLES
from studies.exports.files import FORMATS as EXPORT_FORMATS

HEAVY_FOR_HELP = (
    *("temporalio", "google.protobuf", "sqlalchemy", "alembic", "httpx", "aiohttp", "structlog", "rich.console"),
    *(
        "pydantic_settings",
        "cryptography",
        "opentelemetry",
        "pyarrow",
        "openpyxl",
        "yaml",
        "scipy",
        "numpy",
        "genai_prices",
    ),
)
"""What no help needs; of pydantic a protocol's command needs the options."""

HEAVY = ("temporalio", "pydantic", "rich", "httpx", "anyio", "sqlalchemy", "aiohttp", "structlog", "asyncio")


def invoke(*arguments: str) -> Result:
    """Run the program in this process."""
    return CliRunner().invoke(parley, arguments)


def loaded_by(code: str) -> set[str]:
    """The heavy modules that a fresh interpreter has loaded after ``code``."""
    script = f"import sys\n{code}\nprint('LOADED', [m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(json.loads(done.stdout.rpartition("LOADED ")[2].replace("'", '"')))


def test_help_loads_nothing_heavy() -> None:
    """``parley --help`` is answered without the SDK, pydantic, rich or an event loop."""
    assert loaded_by("from starter.cli import parley\nparley(['--help'], standalone_mode=False)") == set()


def test_importing_the_package_loads_nothing_heavy() -> None:
    """``import starter`` costs nothing until ``Parley`` is asked for."""
    assert loaded_by("import starter") == set()
    assert "temporalio" in loaded_by("from parley import Parley")


def test_requesting_loads_no_database_and_no_http_client() -> None:
    """A command that asks imports SQLAlchemy only for a file or the ledger; a provider is asked by the worker alone."""
    asked = "starter.handlers.ask, starter.handlers.command_exit, starter.handlers.screen, parley.specs.council"
    assert loaded_by(f"import {asked}").isdisjoint({"sqlalchemy", "httpx", "anyio", "aiohttp"})


def commands(group: click.Group, *path: str) -> list[tuple[str, ...]]:
    """Return the words that name each command of the program."""
    context = click.Context(group)
    found: list[tuple[str, ...]] = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        found += commands(command, *path, name) if isinstance(command, click.Group) else [(*path, name)]
    return found


COMMANDS = commands(parley)


def command_of(words: tuple[str, ...]) -> click.Command:
    """Return the command that ``words`` name."""
    found: click.Command = parley
    for word in words:
        assert isinstance(found, click.Group)
        command = found.get_command(click.Context(found), word)
        assert command is not None
        found = command
    return found


def test_no_help_loads_what_the_command_works_with() -> None:
    """The help of every command is answered without the SDK, a database or an HTTP client, and compiles no pattern."""
    lines = [f"parley({[*words, '--help']!r}, standalone_mode=False)" for words in COMMANDS]
    code = f"HEAVY = {HEAVY_FOR_HELP!r}\nfrom starter.cli import parley\n" + "\n".join(lines)
    compiled = "from protocols.lazy_patterns import Compilations"
    script = f"import sys\n{code}\n{compiled}\nprint([m for m in HEAVY if m in sys.modules], Compilations.ended)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "[] 0" == done.stdout.splitlines()[-1]


def test_garbage_is_looked_for_while_a_command_works() -> None:
    """The program begins without it; a command may run for days, and then its memory would only grow."""
    seen: list[bool] = []

    @click.command()
    def watched() -> None:
        async def work(_settings: Settings) -> None:
            seen.append(gc.isenabled())

        run(work)

    gc.disable()
    try:
        CliRunner().invoke(watched)
    finally:
        gc.enable()
    assert [True] == seen


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_help_of_every_option_names_its_default(words: tuple[str, ...]) -> None:
    """An option is a switch, or its help says what is taken without it."""
    for parameter in command_of(words).params:
        if not isinstance(parameter, click.Option) or parameter.required:
            continue
        is_switch = parameter.is_flag and not parameter.secondary_opts
        has_value = parameter.default not in {None, "", ()} and not callable(parameter.default)
        assert is_switch or has_value or "default" in (parameter.help or ""), (words, parameter.name)


@pytest.mark.parametrize("words", [("batch",), ("estimate",), ("limits",), ("panels",), ("schedule",)])
def test_no_line_of_a_help_is_cut(words: tuple[str, ...]) -> None:
    """The line of every command of a group is whole in a terminal of 80 letters."""
    assert "..." not in invoke(*words, "--help").output.replace("[ARGS]...", "")


def test_an_interruption_while_a_command_is_imported_has_its_code(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ctrl-C before the work begins ends with 130, and not with the code of a deliberation without a verdict."""

    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(click.Group, "invoke", interrupted)

    assert errors.INTERRUPTED == invoke("council", "Why?").exit_code


def test_h_is_help() -> None:
    """``-h`` is ``--help`` everywhere."""
    for words in ((), ("council",), ("batch",), ("batch", "run"), ("limits", "set")):
        assert invoke(*words, "-h").output == invoke(*words, "--help").output


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("councl",), "council"),
        (("batch", "statsu"), "status"),
        (("council", "--temprature", "1"), "--temperature"),
    ],
)
def test_a_misspelt_command_or_option_is_answered_with_the_nearest(words: tuple[str, ...], near: str) -> None:
    """Exit code 2, and the name that was probably meant."""
    done = invoke(*words)
    assert errors.USAGE == done.exit_code
    assert "Did you mean" in done.stderr
    assert near in done.stderr


def test_commands_are_listed_by_what_they_are_for() -> None:
    """The help has its headings in this order, and every command below one of them."""
    told = invoke("--help").output
    headings = ["Ask:", "Watch and steer:", "Studies:", "Results:", "Administration:"]
    assert sorted(map(told.index, headings)) == list(map(told.index, headings))


def test_formats_that_are_written_out_are_those_of_their_readers() -> None:
    """The help names formats without importing what reads them."""
    assert BATCH_FORMATS == get_args(Format)
    assert WRITTEN_FORMATS == (*EXPORT_FORMATS, "inspect")
    assert WRITTEN_TABLES == tuple(TABLES)
    assert PROMPT_FORMATS == tuple(READERS)


@pytest.mark.parametrize("spec", PROTOCOLS.values(), ids=PROTOCOLS)
def test_the_keywords_of_a_protocol_are_its_options(spec: AnySpec) -> None:
    """What a type checker accepts in ``Parley.council(...)`` is what the options class has, and all of it."""
    module = sys.modules[spec.options.__module__]
    keywords = getattr(module, f"{spec.options.__name__.removesuffix('Options')}Keywords")
    assert set(spec.options.keys()) == set(get_type_hints(keywords))


@pytest.mark.parametrize("name", parley.list_commands(click.Context(parley)))
def test_every_command_of_the_table_exists(name: str) -> None:
    """A command's file has the command under the name by which the table lists it, and its help can be read."""
    command = parley.get_command(click.Context(parley), name)
    assert command is not None
    assert command.name == name
    assert invoke(name, "--help").exit_code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["council"],
        ["council", "  "],
        ["council", "why", "--file", "q.txt"],
        ["council", "why", "--temperature", "warm"],
        ["council", "why", "--rehearse", "--temperature", "9"],
        ["council", "why", "--rehearse", "--models", "a,a"],
        ["council", "why", "--rehearse", "--config", "missing.toml"],
        ["council", "--file", "missing.txt"],
        ["debate"],
        ["debate", "why", "--rehearse", "--agents", "a"],
        ["debate", "why", "--rehearse", "--mode", "loud"],
        ["debate", "why", "--rehearse", "--high-stakes", "gambling"],
        ["debate", "why", "--rehearse", "--escalation-timeout", "soon"],
        ["accept"],
        ["evidence", "d", "--fact", "Traffic fell."],
        ["rounds", "d", "+51"],
        ["list", "--limit", "0"],
        ["limits", "set", "lab", "--rps", "nan"],
        ["limits", "set", "lab", "--per-model", "inf"],
        ["validate", "fire-circle", "--threshold", "nan", "--rehearse", "--dry-run"],
        ["watch"],
    ],
)
def test_what_cannot_be_meant_ends_with_2(arguments: list[str]) -> None:
    """Wrong usage has exit code 2 and leaves standard output empty."""
    done = invoke(*arguments)
    assert (done.exit_code, done.stdout) == (errors.USAGE, "")


def test_missing_key_ends_before_anything_starts(tmp_path: Path) -> None:
    """Without a provider's key the variable is named, and no server, worker or file was made."""
    done = invoke("council", "why", "--models", "maker/one", "--chair", "maker/one")
    assert done.exit_code == errors.USAGE
    assert "OPENROUTER_API_KEY" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_panels_are_printed_as_json() -> None:
    """The document has the models of every panel, protocol by protocol and role by role."""
    panels = json.loads(invoke("panels", "list", "--json").stdout)
    (one,) = [json.loads(invoke("panels", "show", "seed", "--json").stdout)]
    debaters = ["anthropic/claude-sonnet-4-20250514", "openai/gpt-5.2", "perplexity/sonar-pro"]
    assert debaters == panels["seed"]["protocols"]["debate"]["agents"]
    assert panels["seed"] == one


def test_a_panel_is_shown_with_each_setting_once_in_the_words_of_its_file(tmp_path: Path) -> None:
    """A seat that has a role in every protocol has its settings below the roles; long instructions are shortened."""
    (tmp_path / "panels.toml").write_text(
        '[panels.mine]\nmodels = ["a/b", { model = "c/d", name = "Sceptic", schema = false, '
        f'provider = {{ zdr = true }}, system = "Doubt {{x}}. {"word " * 2000}" }}]'
    )
    shown = invoke("panels", "show", "mine").stdout
    assert shown.count("Sceptic: c/d") > 2
    assert 'provider = {"zdr": true}' in shown
    assert "schema = false" in shown
    assert (1, 1) == (shown.count('system = "Doubt {x}.'), shown.count("routing") + shown.count("…"))
    assert "system" not in invoke("panels", "list").stdout


def test_key_is_never_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """``parley models`` says that a key is set, and not which."""
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-canary-000000")
    done = invoke("models", "--json")
    assert "canary" not in done.output
    assert next(p for p in json.loads(done.stdout)["providers"] if p["name"] == "openrouter")["key"] == "set"


def test_configured_server_that_does_not_answer_ends_with_3(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where Temporal cannot be reached the exit code is 3."""
    monkeypatch.setenv("TEMPORAL_ADDRESS", "127.0.0.1:1")
    assert invoke("doctor").exit_code == errors.FAILED
    assert ended_with(lambda: CannotReachTemporalError("gone")).exit_code == errors.UNREACHABLE


def test_misspelt_setting_ends_with_2(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that is no setting is named, with what was probably meant."""
    monkeypatch.setenv("PARLEY_HOMR", "x")
    done = invoke("models")
    assert done.exit_code == errors.USAGE
    assert "PARLEY_HOME" in done.stderr


def test_columns_that_nobody_names_are_said(tmp_path: Path) -> None:
    """A dataset alone has no label, and its lines as ids, whatever its columns are called; the help has that."""
    (tmp_path / "q.csv").write_text("id,question,answer\nsky,Why?,blue\n")
    done = invoke("batch", "run", str(tmp_path / "q.csv"), "--protocol", "single", "--rehearse", "--dry-run", "--json")
    row = json.loads(done.stdout)["first_row"]
    helped = " ".join(invoke("batch", "run", "--help").output.split())
    assert ("2", None) == (row["id"], row["expected"])
    assert all(end in helped for end in ("in the study file, else none.", "in the study file, else their lines."))


def test_error_with_json_is_one_document() -> None:
    """With ``--json`` an error is JSON on standard output and a sentence on standard error."""
    done = invoke("council", "why", "--json", "--models", "nobody:one", "--chair", "nobody:one")
    assert "nobody" in json.loads(done.stdout)["error"]
    assert done.stderr.startswith("parley: ")


def ended_with(make: Callable[[], BaseException], *, as_json: bool = False) -> Result:
    """A command whose work raises."""

    @click.command()
    def broken() -> None:
        async def work(_settings: Settings) -> int:
            raise make()

        run(work, json=as_json)

    return CliRunner().invoke(broken)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("show", "--json"), "Missing argument 'ID'."),
        (("list", "--limit", "many", "--json"), "Invalid value for '--limit': 'many' is not a valid integer range."),
        (("counsel", "--json"), "No such command 'counsel'. Did you mean council?"),
        (("batch", "status", "--json", "--folow"), "No such option '--folow'. Did you mean --follow?"),
    ],
)
def test_usage_errors_are_json_too(arguments: tuple[str, ...], said: str) -> None:
    """With ``--json`` arguments that cannot be used are a JSON document on standard output, as every other error."""
    done = invoke(*arguments)
    assert (2, {"error": said}) == (done.exit_code, json.loads(done.stdout))
    assert f"Error: {said}" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("vote --options A,B", "--answer choice:A,B"),
        ("debate --model a/b", "--agents"),
        ("consensus --models a/b", "--generator, --refiner and --validator"),
        ("mixture --rounds 2", "--layers"),
        ("batch run --repeats 3", "--repeat"),
        ("single --repeats 3", None),
        ("council --budget 3", "--budget-usd or --budget-tokens or --on-budget"),
        ("compare night --format csv", "--json"),
        ("export night --out a.csv", "--output"),
        ("council --max-rounds 2", None),
        ("vote --patients 3", "--patience"),
        ("vote -q", None),
    ],
)
def test_an_unknown_option_gets_the_one_that_was_meant(arguments: str, meant: str | None) -> None:
    """An option of another name or of another program is answered with ours, and with none that only looks alike."""
    said = invoke(*arguments.split()).stderr
    assert "No such option" in said
    assert (f"Did you mean {meant}?" in said) if meant else ("Did you mean" not in said)


def test_an_interrupted_command_is_one_document() -> None:
    """With ``--json`` a program that reads what was interrupted gets a document, and never an empty text."""
    done = ended_with(asyncio.CancelledError, as_json=True)
    assert (errors.INTERRUPTED, {"error": "interrupted"}) == (done.exit_code, json.loads(done.stdout))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.RequestError("x"), 2),
        (errors.IdUsedError("x"), 2),
        (errors.DeliberationFailedError("x"), 1),
        (errors.ProcessFailedError("x"), 3),
        (SettingsError("x"), 2),
        (PayloadError("x"), 2),
        (ServerFailedError("x"), 3),
        (CannotReachTemporalError("x"), 3),
        (RPCError("x", RPCStatusCode.UNAVAILABLE, b""), 3),
        (ZeroDivisionError("x"), errors.BUG),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_every_error_has_its_exit_code(error: Exception, code: int) -> None:
    """What went wrong decides the exit code, and the message goes to standard error."""
    done = ended_with(lambda: error)
    assert (done.exit_code, done.stdout) == (code, "")
    assert "parley: " in done.stderr


@pytest.mark.parametrize(
    ("number", "told"),
    [
        (errno.ENOSPC, "the disk is full; free some space, or name another home with PARLEY_HOME"),
        (errno.EROFS, "the file system is read-only; make it writable, or name another home with PARLEY_HOME"),
        (errno.EACCES, "it may not be written; change its permissions, or name another home with PARLEY_HOME"),
        (errno.ENAMETOOLONG, "the name is too long; use a shorter one"),
    ],
    ids=lambda value: errno.errorcode[value] if isinstance(value, int) else "",
)
def test_a_home_that_cannot_be_written_is_one_sentence(number: int, told: str) -> None:
    """A full disk, a read-only home and a long name are named with the remedy, and are no defect of the program."""
    done = ended_with(lambda: OSError(number, "no", "/home/lab/parley.db"))
    assert (errors.USAGE, f"parley: '/home/lab/parley.db': {told}\n") == (done.exit_code, done.stderr)


def test_a_ledger_without_space_is_one_sentence() -> None:
    """A ledger whose disk is full needs space, and no worker that makes it or brings it up to date."""
    done = ended_with(lambda: StoreFullError("the ledger has no space left"))
    assert (errors.USAGE, "parley: the ledger has no space left\n") == (done.exit_code, done.stderr)


def test_closed_streams_are_no_crash() -> None:
    """A daemon that closed standard input and standard error gets the exit code of what went wrong."""
    program = [sys.executable, "-m", "starter.cli", "council", "-", "--rehearse"]
    done = subprocess.run(["sh", "-c", '"$@" <&- 2>&-', "sh", *program], capture_output=True, check=False)
    assert (errors.USAGE, b"") == (done.returncode, done.stdout)


def test_an_argument_that_is_no_text_is_wrong_usage() -> None:
    """Bytes in another encoding than UTF-8, which no request can carry, are named; they are no defect of Parley."""
    done = ended_with(lambda: UnicodeEncodeError("utf-8", "caf\udce9", 3, 4, "surrogates not allowed"))
    assert (errors.USAGE, "parley: 'caf\\udce9' holds bytes that are no text; write it in UTF-8\n") == (
        done.exit_code,
        done.stderr,
    )
    assert errors.BUG == ended_with(lambda: UnicodeEncodeError("ascii", "é", 0, 1, "not in range")).exit_code


def test_the_shell_completes_commands() -> None:
    """The program answers the shell's completion, which click provides."""
    given = {"COMP_WORDS": "parley counc", "COMP_CWORD": "1", "_PARLEY_COMPLETE": "bash_complete"}
    done = subprocess.run(
        [sys.executable, "-m", "starter.cli"], env=os.environ | given, capture_output=True, text=True, check=False
    )
    assert "plain,council\n" == done.stdout


def test_messages_do_not_steer_the_terminal() -> None:
    """An error that quotes a model is stripped before it is printed (S13)."""
    done = ended_with(lambda: errors.DeliberationFailedError("\x1b]0;owned\x07down"), as_json=True)
    assert "\x1b" not in done.stderr
    assert json.loads(done.stdout) == {"error": "down"}


@pytest.mark.parametrize(
    ("name", "kind"), [("a.csv", "csv"), ("a.JSON", "jsonl"), ("a", "jsonl"), ("a.parquet", "parquet")]
)
def test_an_exported_file_has_the_format_of_its_name(name: str, kind: str) -> None:
    """A name without an ending is JSON lines, as on a screen."""
    assert _kind(None, Path(name)) == kind


def test_an_exported_file_of_an_unknown_ending_needs_a_format() -> None:
    """A spreadsheet's name never gets JSON lines without a word."""
    with pytest.raises(
        errors.RequestError, match=r"'a.xlsx': the name does not say the format. Say --format jsonl, csv"
    ):
        _kind(None, Path("a.xlsx"))

    assert _kind("csv", Path("a.xlsx")) == "csv"
