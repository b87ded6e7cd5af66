"""The parts of a request's messages: texts, attached files and images, as a test sees them."""

import base64
import binascii
import re
from hashlib import sha256
from typing import Any

_TOKENS_OF_AN_IMAGE = 1600
_CHARACTERS_OF_A_TOKEN = 4
_DATA = re.compile(r"data:(image/(?:png|jpeg|webp|gif));base64,(.*)", re.DOTALL)
_FILE = re.compile(
    r'^<attachment name="([^"\n]*)" code="([a-z]+)">\n(.*?)\n</attachment code="\2">$', re.DOTALL | re.MULTILINE
)
_BEFORE = re.compile(
    r'\AThe user attached [^\n]*\n\n(?:<attachment name="[^"\n]*" code="(?P<code>[a-z]+)">\n.*?'
    r'\n</attachment code="(?P=code)">(?:\n\n|\Z))*',
    re.DOTALL,
)


class BadPartError(ValueError):
    """A part of a message that no provider takes."""


def parts_of(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the attached files and images in ``messages``, in order, with name or media type, size and SHA-256."""
    return [part for message in messages for part in _parts(message.get("content"))]


def characters(content: Any) -> int:
    """Return the characters that a message is billed as; an image counts as 1,600 tokens."""
    if not isinstance(content, list):
        return len(str(content or ""))
    images = len([part for part in content if isinstance(part, dict) and part.get("type") == "image_url"])
    return len(text_of(content)) + images * _TOKENS_OF_AN_IMAGE * _CHARACTERS_OF_A_TOKEN


def text_of(content: Any) -> str:
    """Return the text of a message, of all its parts."""
    if isinstance(content, list):
        texts = [part.get("text") for part in content if isinstance(part, dict)]
        return "\n\n".join(text for text in texts if isinstance(text, str))
    return content if isinstance(content, str) else ""


def without_files(text: str) -> str:
    """Return the text of a message without the attached files before it."""
    return _BEFORE.sub("", text)


def _parts(content: Any) -> list[dict[str, Any]]:
    listed = content if isinstance(content, list) else [{"type": "text", "text": content or ""}]
    return [found for part in listed for found in _found(part)]


def _found(part: Any) -> list[dict[str, Any]]:
    match part:
        case {"type": "text", "text": str(text)}:
            return [_part("file", body, name=name) for name, _, body in _FILE.findall(text)]
        case {"type": "image_url", "image_url": {"url": str(url)}}:
            return [_image(url)]
        case _:
            raise BadPartError("messages: a part of the content is of an unknown type")


def _image(url: str) -> dict[str, Any]:
    found = _DATA.fullmatch(url)
    try:
        content = base64.b64decode(found[2], validate=True) if found else b""
    except binascii.Error:
        content = b""
    if found is None or not content:
        raise BadPartError("image_url: Invalid image: expected a base64 data URL of a png, jpeg, webp or gif")
    return _part("image", content, media_type=found[1])


def _part(kind: str, content: str | bytes, **named: str) -> dict[str, Any]:
    whole = content.encode() if isinstance(content, str) else content
    return {"type": kind, **named, "size": len(whole), "sha256": sha256(whole).hexdigest()}
