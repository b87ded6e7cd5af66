"""Reading what a user wrote down: the question from a file or standard input, options from a TOML file.

Text on the command line is text, even if it is the name of a file: a file is ``@file``, ``-`` is standard input, and
``@@`` starts a text with ``@``. A configuration file has the same syntax in its keys for text.

Files are read here, on the user's machine, and only their text travels; no path is ever sent to a worker. A path that
the user types is opened as any program would. A path inside a configuration file, which may have been written by
others, must stay below the directory of that file, links resolved, and name a file of text.
"""

import json
import stat
import sys
import tomllib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from parley.attached import file_below
from parley.errors import RequestError
from protocols.constraints import quoted
from protocols.debate.model.context import Material
from protocols.written_seat import is_table

LARGEST = 1_000_000
"""Bytes of a question or configuration file."""

STANDARD_INPUT = "-"

_TEXT_KEYS = ("question", "application", "user")
_TEXT_SUFFIXES = {".txt", ".md", ".markdown", ".prompt", ""}
_EXAMPLE_FORM = 'Write one object a line, {"user": "…", "assistant": "…"}, or tables [[examples]] in a .toml file'


def read_argument(given: str) -> str:
    """Return the text that an argument of the command line means.

    Raises:
        RequestError: it names a file that is not there, is too large, or is no UTF-8.
    """
    if given == STANDARD_INPUT:
        return read_question(given)
    if not given.startswith("@") or given.startswith("@@"):
        return _unescaped(given)
    try:
        return read_question(given[1:])
    except RequestError as error:
        raise RequestError(f"{error}. A text that begins with @ is written with @@") from None


def read_question(path: str) -> str:
    """Read the question from the file at ``path``; ``-`` is standard input."""
    if path != STANDARD_INPUT:
        return read_text(path, largest=LARGEST)
    return _text(sys.stdin.buffer.read(LARGEST + 1), "standard input")


def checked_question(question: object) -> str:
    """Return ``question``.

    Raises:
        RequestError: it is no text, or cannot be written in UTF-8.
    """
    if not isinstance(question, str):
        raise RequestError(f"the question is {question!r}, which is no text; write a text")
    try:
        question.encode()
    except UnicodeEncodeError:
        raise RequestError("the question holds bytes that are no text; write it in UTF-8") from None
    return question


def read_text(path: str, *, largest: int) -> str:
    """Read the file at ``path``, of at most ``largest`` bytes."""
    return _text(_bytes(_resolved(Path(path)), path, largest), path, largest)


def read_document(path: str) -> Material:
    """Return the document in the file at ``path``, under the name of the file; ``-`` is standard input.

    Raises:
        RequestError: see ``read_question``, or it is blank.
    """
    name = "standard input" if path == STANDARD_INPUT else Path(path).name
    text = read_question(path)
    if not text.strip():
        raise RequestError(f"{name!r} is blank, and so it is no material; leave it out")
    return Material(name=name, text=text)


def read_named_document(name: str) -> Material:
    """Return the document in the file ``name`` or ``@name``; ``-`` is standard input."""
    return read_document(name.removeprefix("@"))


def read_examples(path: str) -> tuple[Any, ...]:
    """Read the examples in the file at ``path`` or ``@path``: tables ``[[examples]]`` of TOML, or JSON lines.

    Raises:
        RequestError: the file cannot be read, or holds no examples in its form.
    """
    name = path.removeprefix("@")
    text = read_question(name)
    try:
        if name.lower().endswith(".toml"):
            listed = tomllib.loads(text).get("examples")
        else:
            listed = [json.loads(line) for line in text.splitlines() if line.strip()]
    except (ValueError, RecursionError) as error:
        raise RequestError(f"{name!r} cannot be read as examples: {why_unreadable(error)}. {_EXAMPLE_FORM}") from None
    if not isinstance(listed, list) or not listed or not all(isinstance(one, dict) for one in listed):
        raise RequestError(f"{name!r} holds no examples. {_EXAMPLE_FORM}")
    return tuple(listed)


def read_option_files(directory: Path, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``options`` of a file with each ``@FILE`` below ``directory`` read: instructions, examples, material.

    The paths of attached files are those of files below it.
    """
    read = dict(options)
    for key in ("system", "judge_system"):
        if isinstance(read.get(key), str):
            read[key] = _config_text(directory, key, read[key])
    if isinstance(written := read.get("examples"), str):
        named = written.removeprefix("@")
        read["examples"] = read_examples(str(_below(directory, "examples", named, {".toml", ".jsonl"})))
    if isinstance(attached := read.get("attach"), str | list):
        listed = [attached] if isinstance(attached, str) else attached
        read["attach"] = [str(file_below(directory, named)) for named in listed]
    if isinstance(rubric := read.get("rubric"), str):
        read["rubric"] = read_rubric(str(_below(directory, "rubric", rubric.removeprefix("@"), (".toml",))))
    if "material" in read:
        read["material"] = read_documents(directory, read["material"])
    return read


def read_rubric(path: str) -> dict[str, Any]:
    """Return the table of criteria in the TOML file at ``path``."""
    return read_keys(read_question(path), path, "; write a weight for each criterion: accuracy = 2")


def read_keys(text: str, path: str, remedy: str = "") -> dict[str, Any]:
    """Return the keys in ``text``, the content of the TOML file at ``path``.

    Raises:
        RequestError: it is no TOML; the message ends with the ``remedy``.
    """
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # ValueError: a number with thousands of digits, too
        raise RequestError(f"{path!r} is not TOML: {why_unreadable(error)}{remedy}") from None


def why_unreadable(error: Exception) -> str:
    """Return why a text cannot be read; of one with too many levels Python says what its own stack has left."""
    return "it is nested too deeply" if isinstance(error, RecursionError) else str(error)


def read_documents(directory: Path, written: Any) -> Any:
    """Return the texts of a file's key ``material`` with each ``@FILE`` below ``directory`` read."""
    listed = [written] if isinstance(written, str) else written
    if not isinstance(listed, list):
        return written
    return [_document(directory, one, at) if isinstance(one, str) else one for at, one in enumerate(listed, 1)]


def read_seat_texts(directory: Path, written: Any) -> Any:
    """Return the keys of a file with each ``system = "@FILE"`` of a seat, below ``directory``, read."""
    if isinstance(written, list):
        return [read_seat_texts(directory, one) for one in written]
    if not isinstance(written, dict):
        return written
    if is_table(written) and isinstance(written.get("system"), str):
        text = _config_text(directory, "system", written["system"])
        return {**written, "system": f"@{text}" if text.startswith("@") else text}
    return {key: read_seat_texts(directory, value) for key, value in written.items()}


def read_config(path: str) -> dict[str, Any]:
    """Read the keys of a TOML file. ``file`` in it is replaced by ``question``, the text of the named file.

    A text that begins with ``@`` is the text of the file below the directory of the TOML file, ``@@`` is one ``@``.
    A key that ends in ``_path`` names a file too, seen from the directory of the TOML file, and comes back resolved.

    Raises:
        RequestError: the file cannot be read or is no TOML, or a path in it leads out of its directory.
    """
    resolved = _resolved(Path(path))
    keys = read_keys(_text(_bytes(resolved, path), path), path)
    named = {key: _below(resolved.parent, key, keys[key]) for key in keys if key == "file" or key.endswith("_path")}
    keys |= {key: str(file) for key, file in named.items()}
    keys |= {key: _config_text(resolved.parent, key, keys[key]) for key in _TEXT_KEYS if isinstance(keys.get(key), str)}
    keys = {key: read_seat_texts(resolved.parent, value) for key, value in keys.items()}
    keys = read_option_files(resolved.parent, keys)
    if "file" not in keys:
        return keys
    if "question" in keys:
        raise RequestError(f"{path!r} has both 'question' and 'file'; leave one of them out")
    return {**{k: v for k, v in keys.items() if k != "file"}, "question": read_question(keys["file"])}


def _config_text(directory: Path, key: str, written: str) -> str:
    if not written.startswith("@") or written.startswith("@@"):
        return _unescaped(written)
    return read_question(str(_below(directory, key, written[1:])))


def _document(directory: Path, written: str, number: int) -> Material | dict[str, str]:
    if not written.startswith("@") or written.startswith("@@"):
        return {"name": f"material {number}", "text": _unescaped(written)}
    return read_document(str(_below(directory, "material", written[1:])))


def _unescaped(text: str) -> str:
    return text[1:] if text.startswith("@@") else text


def _below(directory: Path, key: str, named: object, suffixes: Collection[str] = _TEXT_SUFFIXES) -> Path:
    if not isinstance(named, str):
        raise RequestError(f"{key!r} must be the name of a file, not {quoted(named)}")
    path = _resolved(directory / named)
    if not path.is_relative_to(directory):
        raise RequestError(f"{key!r} is {named!r}, which leads out of {str(directory)!r}; name a file below it")
    if path.suffix.lower() not in suffixes:
        raise RequestError(f"{key!r} is {named!r}; it is read from {', '.join(sorted(filter(None, suffixes)))} only")
    return path


def _resolved(path: Path) -> Path:
    try:
        return path.expanduser().resolve(strict=True)
    except FileNotFoundError:
        raise RequestError(f"there is no file {quoted(path)}") from None
    except (OSError, ValueError, RuntimeError) as error:  # ValueError: a NUL in it; RuntimeError: no home or a loop
        reason = getattr(error, "strerror", None) or error
        raise RequestError(f"{quoted(path)} cannot be opened: {reason}") from None


def _bytes(path: Path, shown: str, largest: int = LARGEST) -> bytes:
    try:
        kind = path.stat().st_mode
        if stat.S_ISDIR(kind):
            raise RequestError(f"{shown!r} is a directory; name a file in it")
        if not stat.S_ISREG(kind):
            raise RequestError(f"{shown!r} is not a regular file")
        with path.open("rb") as file:
            return file.read(largest + 1)
    except OSError as error:
        raise RequestError(f"{shown!r} cannot be read: {error.strerror}") from None


def _text(content: bytes, shown: str, largest: int = LARGEST) -> str:
    if len(content) > largest:
        raise RequestError(f"{shown!r} is larger than {largest:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise RequestError(f"{shown!r} is not UTF-8 text; save it as UTF-8") from None
