"""The layers of a worker, recognised by the files of a call stack."""

from collections.abc import Iterable, Sequence
from types import FrameType

READING = "reading replies"
SDK_CORE = "SDK core (Rust threads)"
READER_PROCESS = "reader process"
OTHER = "other"
SAMPLER = "sampler"

_LAYERS: Sequence[tuple[str, Sequence[str]]] = (
    ("sandbox", ("temporalio/worker/workflow_sandbox/",)),
    (
        "payloads",
        (
            *("temporalio/converter", "temporalio/contrib/pydantic", "temporalio/bridge/worker.py"),
            *("temporalio/bridge/_visitor", "google/protobuf", "runtime/payloads.py", "runtime/blobs.py"),
        ),
    ),
    (
        "HTTP client",
        (
            "/httpx/",
            "/httpcore/",
            "/h11/",
            "/anyio/",
            "/sniffio/",
            "/httpx_sse/",
            "/aiohttp/",
            "/httpx_aiohttp/",
            "/ssl.py",
        ),
    ),
    ("journal and ledger", ("/ledger/", "/sqlalchemy/", "/sqlite3/", "/aiosqlite/", "/asyncpg/")),
    ("logging", ("/structlog/", "/logging/")),
    ("request, reply and heartbeats", ("/activities/", "/json/")),
    ("workflow code", ("/workflows/", "/protocols/")),
    ("SDK, Python side", ("/temporalio/",)),
    ("event loop", ("/asyncio/",)),
)
"""The first whose files hold a frame, from the innermost frame outwards."""

_WAITING = ("/selectors.py", "/threading.py", "/queue.py", "/concurrent/futures/thread.py")
_READING = tuple(f"activities/{name}.py" for name in ("brief_reading", "reply_readers", "reader_process"))
LAYERS = (*(name for name, _ in _LAYERS), READING, READER_PROCESS, SDK_CORE, OTHER)


def is_waiting(frame: FrameType) -> bool:
    """Return whether a thread waits for work: what it computed before is not this frame's."""
    return frame.f_code.co_filename.endswith(_WAITING)


def layer_of(files: Iterable[str]) -> str:
    """Return the layer of a stack by its files, the innermost first.

    A stack that reads a reply is that layer's, whatever module it is in: the readers are protocol code.
    """
    found = OTHER
    for file in files:
        if file.endswith(_READING):
            return READING
        if found == OTHER:
            found = next((name for name, parts in _LAYERS if any(part in file for part in parts)), OTHER)
    return found


def files_of(frame: FrameType | None) -> Iterable[str]:
    """Return the files of a stack, the innermost first."""
    while frame is not None:
        yield frame.f_code.co_filename
        frame = frame.f_back
