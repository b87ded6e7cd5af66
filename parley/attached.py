"""Attached files: read, recognised by their content, and converted to the content of a request.

A text is sent as UTF-8, of a PDF file the text of its pages, an image as it is. Files are read here, on the user's
machine; a worker gets their contents as blobs, and no path. What cannot be sent is refused here with one sentence,
before anything is stored, started or paid.
"""

import io
import logging
import re
import stat
from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from pydantic import Field, field_serializer

from parley.errors import RequestError
from parley.image_sizes import size_of_image
from parley.text_encodings import encoding_of
from protocols.attachments import MOST_ATTACHED, Attachment, MediaType, image_tokens
from protocols.constraints import quoted
from protocols.model_call import FrozenModel
from protocols.tokens import count
from runtime.distribution import missing_package

LARGEST_FILE = 20_000_000
"""Bytes of one file, and of all images together."""
LARGEST_IMAGE = 5_000_000
"""Bytes of one image: more is refused by some providers."""
LARGEST_TEXT = 2_000_000
"""Bytes of the text of one file."""
MOST_PAGES = 1000

_MAGIC: Sequence[tuple[re.Pattern[bytes], MediaType]] = (
    (re.compile(rb"\x89PNG\r\n\x1a\n"), "image/png"),
    (re.compile(rb"\xff\xd8\xff"), "image/jpeg"),
    (re.compile(rb"GIF8[79]a"), "image/gif"),
    (re.compile(rb"RIFF.{4}WEBP", re.DOTALL), "image/webp"),
    (re.compile(rb".{0,1000}%PDF-", re.DOTALL), "application/pdf"),
)
_NO_TEXT_NAMES = {".pdf", ".png", ".jpg", ".jpeg", ".gif", ".webp"}
"""Names that promise no text; a text under one of them is often a page of a server that refused a download."""
_ARCHIVE = b"PK\x03\x04"
"""The first bytes of an archive, as documents of word processors are."""
_ON_FOREIGN_BYTES = (ArithmeticError, AssertionError, AttributeError, LookupError, RuntimeError, TypeError, ValueError)
"""What a parser raises on bytes that it was not written for, ``NotImplementedError`` among them."""
_BLANK_PAGE = "(no text could be read on this page)"
_UNSAFE = re.compile(r'[\s"<>]+')
_LONGEST_NAME = 200
_TAKEN = "texts, PDF files and images (png, jpeg, webp, gif) are taken"


class AttachedFile(FrozenModel):
    """A file that was read."""

    ref: Attachment
    content: bytes = Field(repr=False)
    """What is sent of it."""

    @field_serializer("content", when_used="json")
    def _left_out(self, _: bytes) -> str:
        return ""


def read_attached(path: str | Path) -> AttachedFile:
    """Return the file at ``path``.

    Raises:
        RequestError: it cannot be read, is too large, or nothing of it can be sent; names the file and the remedy.
    """
    if isinstance(path, str) and not path.strip():
        raise RequestError("the name of an attached file is blank; write its path, or leave the option out")
    file = Path(path)
    given = _bytes(file)
    media_type = _media_type(file, given)
    content, pages, tokens = given, None, 0
    if media_type == "application/pdf":
        text, pages = _pdf_text(file, given)
        content = _checked_text(file, text)
    elif media_type == "text/plain":
        content = _checked_text(file, _decoded(file, given))
    else:
        tokens = _image_tokens(file, given, media_type)
    ref = Attachment(
        name=_UNSAFE.sub(" ", file.name)[:_LONGEST_NAME].strip() or "file",
        media_type=media_type,
        sha256=sha256(given).hexdigest(),
        size=len(given),
        tokens=tokens or max(1, count(content.decode())),
        pages=pages,
    )
    return AttachedFile(ref=ref, content=content)


def files_of(given: Any) -> Any:
    """Return the files in ``given``: one path, or a list of paths; what was read already stays as it is.

    Raises:
        RequestError: see ``read_attached``; or there are too many, one comes twice, or they are too large together.
    """
    listed = [given] if isinstance(given, str | Path) else given
    if not isinstance(listed, list | tuple):
        return given
    if len(listed) > MOST_ATTACHED:
        raise RequestError(
            f"{len(listed)} files are attached, and at most {MOST_ATTACHED} are taken; join some of them"
        )
    files = tuple(_file(one) for one in listed)
    refuse_together(files)
    return numbered_names(files)


def numbered_names(files: Sequence[AttachedFile]) -> tuple[AttachedFile, ...]:
    """Return ``files`` with a number behind a name that an earlier one has: models and readers know them by name."""
    named: dict[str, AttachedFile] = {}
    for one in files:
        names = (one.ref.name, *(f"{one.ref.name} ({number})" for number in range(2, len(files) + 1)))
        name = next(name for name in names if name not in named)
        named[name] = one.model_copy(update={"ref": one.ref.model_copy(update={"name": name})})
    return tuple(named.values())


def file_below(folder: Path, named: object) -> Path:
    """Return the file ``named`` below ``folder``.

    Raises:
        RequestError: it is no text, cannot be resolved, or leads out of the folder.
    """
    if not isinstance(named, str) or not named.strip():
        raise RequestError(f"{quoted(named)} is no path of a file; attach files by their paths")
    try:
        found, within = (folder / named).resolve(), folder.resolve()
    except (OSError, ValueError, RuntimeError) as error:  # ValueError: a NUL in the name; RuntimeError: a loop
        raise RequestError(f"{quoted(named)} cannot be opened: {error}") from None
    if not found.is_relative_to(within):
        raise RequestError(f"{quoted(named)} leads out of {str(within)!r}; attach files below it")
    return found


def refuse_together(files: Sequence[AttachedFile]) -> None:
    """Refuse files that cannot be sent together.

    Raises:
        RequestError: there are too many, one comes twice, or their images are too large together.
    """
    if len(files) > MOST_ATTACHED:
        raise RequestError(f"{len(files)} files are attached, and at most {MOST_ATTACHED} are taken; join some of them")
    seen: dict[str, str] = {}
    for one in files:
        if one.ref.sha256 in seen:
            raise RequestError(_twice(seen[one.ref.sha256], one.ref.name))
        seen[one.ref.sha256] = one.ref.name
    together = sum(len(one.content) for one in files if one.ref.is_image)
    if together > LARGEST_FILE:
        raise RequestError(
            f"the attached images have {together:,} bytes together, and at most {LARGEST_FILE:,} are taken; scale "
            "them down or attach fewer"
        )


def stored(
    refs: Sequence[Attachment], files: Sequence[AttachedFile], put: Callable[[bytes], str]
) -> tuple[Attachment, ...]:
    """Return ``refs`` with the blobs under which ``put`` stored the contents of ``files``."""
    blobs = {one.ref.sha256: put(one.content) for one in files}
    return tuple(ref.model_copy(update={"blob": blobs.get(ref.sha256, ref.blob)}) for ref in refs)


def _twice(first: str, name: str) -> str:
    if first == name:
        return f"{name!r} is attached twice, with the same content; attach it once"
    return f"{name!r} has the content of {first!r}; attach it once"


def _file(given: Any) -> AttachedFile:
    if isinstance(given, AttachedFile):
        return given
    if isinstance(given, Mapping):
        return AttachedFile.model_validate(given)
    if not isinstance(given, str | Path):
        raise RequestError(f"{quoted(given)} is no path of a file; attach files by their paths")
    return read_attached(given)


def _bytes(file: Path) -> bytes:
    try:
        found = file.expanduser().stat()
        if stat.S_ISDIR(found.st_mode):
            raise _refused(file, "is a directory; attach the files in it one by one")
        if not stat.S_ISREG(found.st_mode):
            raise _refused(file, "is not a regular file")
        if found.st_size > LARGEST_FILE:
            raise _refused(file, f"has {found.st_size:,} bytes, and at most {LARGEST_FILE:,} are taken; attach a part")
        with file.expanduser().open("rb") as opened:
            content = opened.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise RequestError(f"there is no file {str(file)!r} to attach") from None
    except (OSError, ValueError, RuntimeError) as error:  # ValueError: a NUL in the name; RuntimeError: no home
        raise _refused(file, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if not content:
        raise _refused(file, "is empty, so there is nothing to show of it; leave it out")
    return content


def _media_type(file: Path, content: bytes) -> MediaType:
    found: MediaType = next((kind for magic, kind in _MAGIC if magic.match(content)), "text/plain")
    if found == "text/plain" and file.suffix.lower() in _NO_TEXT_NAMES:
        kind = file.suffix.lower().removeprefix(".")
        raise _refused(file, f"is named as {kind}, and its content is none; {_TAKEN}")
    if content.startswith(_ARCHIVE):
        raise _refused(file, f"is an archive or a document of a word processor; save it as PDF or text: {_TAKEN}")
    return found


def _decoded(file: Path, content: bytes) -> str:
    encoding = encoding_of(content)
    try:
        text = content.decode("utf-8-sig" if encoding == "utf-8" else encoding)
    except UnicodeDecodeError:
        raise _refused(file, f"is not text in UTF-8 or UTF-16; save a text as one of them: {_TAKEN}") from None
    if "\0" in text:
        raise _refused(file, f"holds bytes that are no text; {_TAKEN}")
    return text


def _checked_text(file: Path, text: str) -> bytes:
    content = text.encode("utf-8", "replace")
    if not text.strip():
        raise _refused(file, "has no text; leave it out, or attach its pages as images")
    if len(content) > LARGEST_TEXT:
        raise _refused(
            file, f"has {len(content):,} bytes of text, and at most {LARGEST_TEXT:,} are taken; attach a part"
        )
    return content


def _image_tokens(file: Path, content: bytes, media_type: MediaType) -> int:
    if len(content) > LARGEST_IMAGE:
        raise _refused(file, f"has {len(content):,} bytes, and an image may have {LARGEST_IMAGE:,}; scale it down")
    if (size := size_of_image(content, media_type)) is None:
        raise _refused(file, "is an image whose width and height cannot be read; save it anew")
    return image_tokens(*size)


def _pdf_text(file: Path, content: bytes) -> tuple[str, int]:
    """Return the text of a PDF file with its pages numbered, and how many there are."""
    try:
        from pypdf import PdfReader  # noqa: PLC0415 - only the command line and studies have it installed
        from pypdf.errors import DependencyError, DeprecationError, PyPdfError  # noqa: PLC0415 - the same
    except ModuleNotFoundError as error:
        raise RequestError(f"a PDF file cannot be read: {missing_package(error)}") from None
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted and not reader.decrypt(""):
            raise _refused(file, "is encrypted and needs a password; save it without one")
        pages = len(reader.pages)
        if not pages:
            raise _refused(file, "is a PDF file of 0 pages, so there is nothing to show of it; leave it out")
        if pages > MOST_PAGES:
            raise _refused(file, f"has {pages:,} pages, and at most {MOST_PAGES:,} are taken; attach a part")
        texts = [page.extract_text().strip() for page in reader.pages]
    except (PyPdfError, DependencyError, DeprecationError, *_ON_FOREIGN_BYTES) as error:
        raise _refused(file, f"is a PDF file that cannot be read ({type(error).__name__}); save it anew") from None
    if not any(texts):
        raise _refused(file, "is a PDF file without text, as a scan is; attach its pages as images")
    return "\n\n".join(f"[page {number}]\n{text or _BLANK_PAGE}" for number, text in enumerate(texts, 1)), pages


def _refused(file: Path, said: str) -> RequestError:
    return RequestError(f"{str(file)!r} {said}")
