"""The width and height of an image, read from its header."""

import struct

from protocols.attachments import MediaType

Size = tuple[int, int]

_MARK = 0xFF
"""The byte before a marker of a JPEG file; several of them may fill up before one."""
_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""The markers of a JPEG file whose segment begins with the size of the image."""
_NO_SEGMENT = frozenset({0x01, *range(0xD0, 0xDA), _MARK})
"""Markers without a segment."""


def size_of_image(content: bytes, media_type: MediaType) -> Size | None:
    """Return width and height in pixels; ``None`` where the header is broken."""
    try:
        size = _size(content, media_type)
    except (struct.error, IndexError):
        return None
    return size if size is not None and min(size) > 0 else None


def _size(content: bytes, media_type: MediaType) -> Size | None:
    match media_type:
        case "image/png" if content[12:16] == b"IHDR":
            return _pair(">II", content, 16)
        case "image/gif":
            return _pair("<HH", content, 6)
        case "image/jpeg":
            return _jpeg(content)
        case "image/webp":
            return _webp(content)
        case _:
            return None


def _jpeg(content: bytes) -> Size | None:
    at = 2
    while content[at] == _MARK:
        marker = content[at + 1]
        if marker in _FRAMES:
            height, width = _pair(">HH", content, at + 5)
            return width, height
        at += 1 if marker == _MARK else 2
        if marker not in _NO_SEGMENT:
            at += int.from_bytes(content[at : at + 2])
    return None


def _webp(content: bytes) -> Size | None:
    kind = content[12:16]
    if kind == b"VP8 ":
        width, height = _pair("<HH", content, 26)
        return width & 0x3FFF, height & 0x3FFF
    if kind == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X":
        return int.from_bytes(content[24:27], "little") + 1, int.from_bytes(content[27:30], "little") + 1
    return None


def _pair(form: str, content: bytes, at: int) -> Size:
    first, second = struct.unpack_from(form, content, at)
    return first, second
