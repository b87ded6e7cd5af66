"""One pipeline: one shape for every line, and no secret in any."""

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog
from temporalio import activity, workflow
from temporalio.exceptions import ApplicationError

from runtime.logs import configure_logs, writes_json
from runtime.settings import Settings

CANARY = "canary-key-0123456789"


@pytest.fixture(autouse=True)
def logging_restored() -> Iterator[None]:
    """Logging is process-wide; a test leaves it as it was."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()
    workflow.logger.workflow_info_on_message = True
    activity.logger.activity_info_on_message = True


@pytest.fixture
def lines(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """Where configured logging writes; the canary key is in the environment."""
    monkeypatch.setenv("PLANTED_API_KEY", CANARY)
    written = io.StringIO()
    configure_logs(settings, stream=written)
    return written


def only(written: io.StringIO) -> dict[str, Any]:
    """The one line that was written."""
    [line] = written.getvalue().splitlines()
    parsed: dict[str, Any] = json.loads(line)
    return parsed


def test_event_and_its_data_are_fields(lines: io.StringIO) -> None:
    """A structlog event keeps its name, and its data and bound context are fields."""
    structlog.contextvars.bind_contextvars(workflow_id="council-cars-1")
    structlog.get_logger("parley").info("model_answered", tokens=12)

    assert {"event": "model_answered", "tokens": 12, "workflow_id": "council-cars-1", "level": "info"}.items() <= (
        only(lines).items()
    )


def test_library_lines_have_the_same_shape(lines: io.StringIO) -> None:
    """A record of the standard library becomes the same kind of line."""
    logging.getLogger("some.library").warning("took %d s", 3)

    assert {"event": "took 3 s", "level": "warning", "logger": "some.library"}.items() <= only(lines).items()


def test_temporal_details_are_flattened(lines: io.StringIO) -> None:
    """Temporal's own details become our words; what the call gave stays."""
    details = {"workflow_id": "w1", "run_id": "r1", "workflow_type": "Council", "namespace": "n", "attempt": 1}
    extra = {"temporal_workflow": details, "round": 2, "participant": "p1"}
    logging.getLogger("temporalio.workflow").info("round_closed", extra=extra)
    line = only(lines)

    assert {"workflow_id": "w1", "run_id": "r1", "protocol": "Council", "round": 2, "participant": "p1"}.items() <= (
        line.items()
    )
    assert "temporal_workflow" not in line


def test_activity_details_are_flattened(lines: io.StringIO) -> None:
    """An activity's run id is the workflow's."""
    details = {"workflow_run_id": "r1", "activity_type": "ask_model", "activity_id": "opinion-p1", "attempt": 3}
    logging.getLogger("temporalio.activity").info("model_asked", extra={"temporal_activity": details})

    assert {"run_id": "r1", "activity": "ask_model", "activity_id": "opinion-p1", "attempt": 3}.items() <= (
        only(lines).items()
    )


def fail_with_key() -> None:
    """Fail with the key in the message, in a local variable and in the source line."""
    headers = {"Authorization": f"Bearer {CANARY}"}
    raise ValueError(f"Illegal header value {headers['Authorization'].encode()!r}")


@pytest.mark.parametrize("log_format", ["json", "console"])
@pytest.mark.parametrize("where", ["event", "nested", "bytes", "exception", "stack", "library", "argument"])
def test_no_secret_in_any_line(
    settings: Settings, monkeypatch: pytest.MonkeyPatch, log_format: str, where: str
) -> None:
    """A key is masked wherever it is: in the event, nested, as bytes, in a traceback, in a library's arguments."""
    monkeypatch.setenv("PLANTED_API_KEY", CANARY)
    written = io.StringIO()
    configure_logs(settings.model_copy(update={"log_format": log_format}), stream=written)
    write(where)

    assert "[redacted]" in written.getvalue()
    assert CANARY not in written.getvalue()


def write(where: str) -> None:
    """Log one line that holds the canary key in the way ``where`` names."""
    log = structlog.get_logger("parley")
    match where:
        case "event":
            log.info("asked with %s", CANARY)
        case "nested":
            log.info("model_asked", call={"headers": [{"x-key": CANARY}]})
        case "bytes":
            log.info("model_asked", body=[CANARY.encode()], key={CANARY: 1})
        case "exception":
            try:
                fail_with_key()
            except ValueError:
                log.exception("model_lost")
        case "stack":
            log.info("model_asked", stack_info=True, key=CANARY)
        case "library":
            try:
                fail_with_key()
            except ValueError:
                logging.getLogger("some.library").exception("failed")
        case _:
            logging.getLogger("some.library").error("key %s of %r", CANARY, {"k": CANARY})


def test_local_variables_are_not_shown(lines: io.StringIO) -> None:
    """A traceback shows lines of code and no values of variables."""
    try:
        fail_with_key()
    except ValueError:
        structlog.get_logger("parley").exception("model_lost")
    shown = only(lines)["exception"]

    assert "Traceback" in shown
    assert "headers = {'" not in shown


@pytest.mark.parametrize("name", ["httpx", "httpcore.http11", "hpack.hpack"])
def test_http_libraries_do_not_print_addresses(lines: io.StringIO, name: str) -> None:
    """The informational lines of HTTP libraries, which hold addresses and headers, are not written."""
    logging.getLogger(name).info("HTTP Request: GET https://x.example/?key=%s", CANARY)

    assert lines.getvalue() == ""


def test_level_is_kept(settings: Settings) -> None:
    """Lines below the chosen level are not written."""
    written = io.StringIO()
    configure_logs(settings.model_copy(update={"log_level": "WARNING"}), stream=written)
    structlog.get_logger("parley").info("model_answered")
    logging.getLogger("some.library").info("detail")

    assert written.getvalue() == ""


def test_configuring_again_replaces(settings: Settings, lines: io.StringIO) -> None:
    """Configuring twice writes each line once, to the later place."""
    later = io.StringIO()
    configure_logs(settings, stream=later)
    structlog.get_logger("parley").info("model_answered")

    assert lines.getvalue() == ""
    assert len(later.getvalue().splitlines()) == 1


def test_lines_are_json_away_from_a_terminal(settings: Settings) -> None:
    """By default the format follows the stream; a chosen format does not."""
    assert writes_json(settings, io.StringIO())
    assert not writes_json(settings.model_copy(update={"log_format": "console"}), io.StringIO())


def test_the_level_holds_for_the_sdk_too(settings: Settings) -> None:
    """A level above warnings silences the SDK's lines as well as our own."""
    written = io.StringIO()
    configure_logs(settings.model_copy(update={"log_level": "ERROR"}), stream=written)
    activity.logger.warning("Completing activity as failed")

    assert "" == written.getvalue()


def test_an_expected_failure_has_no_trace(lines: io.StringIO) -> None:
    """An activity that fails with its own error is one short line; any other failure keeps its trace."""
    for fault in (ApplicationError("away"), ValueError("broken")):
        try:
            raise fault
        except (ApplicationError, ValueError):
            activity.logger.warning("Completing activity as failed", exc_info=True)
    expected, broken = lines.getvalue().splitlines()

    assert "Traceback" not in expected
    assert "ValueError" in broken
