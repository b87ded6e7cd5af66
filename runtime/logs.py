"""One logging pipeline for all modules and libraries.

Structlog's events and the standard library's records (Temporal's workflow and activity loggers, SQLAlchemy, aiohttp)
meet in one ``ProcessorFormatter`` and leave with the same shape: JSON for machines, aligned and coloured on a terminal.
They go to standard error, because standard output belongs to what a user asked for. The last thing that happens to a
line, after tracebacks are rendered, is that secrets are masked; local variables are never shown.
"""

import io
import logging
import sys
from collections.abc import Callable, Iterable
from typing import TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger
from temporalio import activity, workflow
from temporalio.exceptions import ApplicationError

from runtime.redaction import passwords_in, redactor, secrets_of
from runtime.settings import Settings

_QUIET = {
    "httpx": logging.WARNING,  # its INFO line prints the whole address, with any secret in it
    "httpcore": logging.CRITICAL + 1,  # prints headers
    "hpack": logging.CRITICAL + 1,  # prints headers
    "aiohttp.access": logging.WARNING,
    "asyncio": logging.WARNING,
    "sqlalchemy": logging.WARNING,  # prints statements, and rows at DEBUG
    "temporalio.activity": logging.INFO,  # prints heartbeats in clear, with the end of an answer in them
    "temporalio.worker": logging.INFO,  # prints payloads, which are in clear without encryption keys
}

_FLAT = {
    "workflow_id": "workflow_id",
    "run_id": "run_id",
    "workflow_run_id": "run_id",
    "workflow_type": "protocol",
    "activity_id": "activity_id",
    "activity_type": "activity",
    "attempt": "attempt",
    "update_name": "update",
}
"""The kept parts of Temporal's own details, and our names for them."""


def configure_logs(settings: Settings, *, secrets: Iterable[str] = (), stream: TextIO | None = None) -> None:
    """Set up logging for the whole process; calling it again replaces what was there.

    Args:
        settings: Level and format.
        secrets: Values to mask beside those that the environment's telling names give away.
        stream: Instead of standard error.
    """
    out = sys.stderr if stream is None else stream
    handler = logging.StreamHandler(out)
    handler.setFormatter(_formatter(settings, out, secrets))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(settings.log_level)
    for name, level in _QUIET.items():
        logging.getLogger(name).setLevel(max(level, root.level))
    logging.getLogger("temporalio.activity").filters[:] = [_without_expected_trace]
    # The details travel as fields; in the message they would make every event name unique.
    workflow.logger.workflow_info_on_message = False
    activity.logger.activity_info_on_message = False
    structlog.configure(
        processors=[*_shared(), structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )


def writes_json(settings: Settings, stream: TextIO | None = None) -> bool:
    """Return whether lines are JSON: if requested, or by default outside a terminal."""
    if settings.log_format != "auto":
        return settings.log_format == "json"
    return not (sys.stderr if stream is None else stream).isatty()


def _without_expected_trace(record: logging.LogRecord) -> bool:
    """Keep the line of an activity that failed as it should, without the trace through Parley's own code.

    The SDK logs it at every try, and a provider that is away for a night is tried thousands of times.
    """
    if record.exc_info and isinstance(record.exc_info[1], ApplicationError):
        record.exc_info = None
    return True


def _shared() -> list[Processor]:
    return [
        structlog.stdlib.filter_by_level,
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.stdlib.PositionalArgumentsFormatter(),
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]


def _formatter(settings: Settings, out: TextIO, secrets: Iterable[str]) -> logging.Formatter:
    shared, as_json = _shared(), structlog.processors.JSONRenderer(default=repr, sort_keys=False)
    plain = structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=structlog.dev.plain_traceback)
    renderer = as_json if writes_json(settings, out) else plain
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[*shared[1:4], structlog.stdlib.ExtraAdder(), shared[-1]],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            _flatten_temporal,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.ExceptionRenderer(_traceback),
            _Masked(renderer, redactor({*secrets_of(), *_given(settings), *secrets})),
        ],
    )


def _given(settings: Settings) -> set[str]:
    secrets = {"PARLEY_ENCRYPTION_KEYS": settings.encryption_keys, "PARLEY_CODEC_TOKEN": settings.codec_token}
    addresses = (settings.database_url, settings.otlp_endpoint or "", settings.rehearsal_url or "")
    passwords = {part for address in addresses for part in passwords_in(address)}
    read = secrets_of({name: value.get_secret_value() for name, value in secrets.items() if value})
    return {*read, *passwords}


def _flatten_temporal(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:  # noqa: ARG001 - the port
    event.pop("temporal_log", None)  # core's record as an object; its text is in the message
    for key in ("temporal_workflow", "temporal_activity"):
        details = event.pop(key, None)
        if isinstance(details, dict):
            for theirs, ours in _FLAT.items():
                if details.get(theirs) is not None:
                    event.setdefault(ours, details[theirs])
    return event


def _traceback(exc_info: structlog.typing.ExcInfo) -> str:
    rendered = io.StringIO()
    structlog.dev.plain_traceback(rendered, exc_info)
    return rendered.getvalue().rstrip("\n")


class _Masked:
    """A renderer that masks the finished line: nesting, bytes and tracebacks hide no secret."""

    def __init__(self, render: Processor, redact: Callable[[str], str]) -> None:
        self._render = render
        self._redact = redact

    def __call__(self, logger: WrappedLogger, name: str, event: EventDict) -> str:
        return self._redact(str(self._render(logger, name, event)))
