"""The prompt pack a run keeps, filling a template, and fencing what peers wrote.

A pack travels with the run it started: changed activity inputs are never detected by replay, so a deploy must not be
able to mix old and new prompts inside one deliberation.

Text of peers is data, never a template and never an instruction. It is between marks that carry a nonce drawn
after they answered, and text that looks like such a mark is defused.
"""

import json
import re
import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping
from functools import lru_cache
from hashlib import sha256
from typing import Any

from pydantic import Field, model_validator

from protocols import text_dictionary
from protocols.model_call import FrozenModel
from protocols.text_files import read_toml

_SLOT = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_MARK = re.compile(r"[<＜﹤](?=[\s/\u200b-\u200f\u2060-\u2064\ufeff]*answer\b)", re.IGNORECASE)
"""Look-alikes of a mark, such as a wide bracket or invisible characters behind it, count as marks."""
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_UNSAFE_IN_NAME = re.compile(r'[\s"<>]+')
_PACKED = "packed"
_LARGEST = 1_000_000
"""Bytes of all templates; a damaged pack must not take the memory."""


class PromptPack(FrozenModel):
    """The templates of one protocol at one version."""

    protocol: str
    version: str
    templates: dict[str, str] = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _unpack(cls, given: Any) -> Any:
        """Return the fields; those of a history have the templates compressed."""
        if not (isinstance(given, dict) and _PACKED in given):
            return given
        return {**given, "templates": _unpacked(str(given[_PACKED]))}

    def packed(self) -> dict[str, str]:
        """Return the pack as a history has it: the templates of Parley itself take a few bytes there."""
        named = {"protocol": self.protocol, "version": self.version, "fingerprint": self.fingerprint}
        return {**named, _PACKED: _compressed(self.as_json)}

    @property
    def as_json(self) -> bytes:
        """The templates as JSON."""
        return json.dumps(self.templates, ensure_ascii=False, separators=(",", ":")).encode()

    @property
    def fingerprint(self) -> str:
        """Twelve hex digits that change when any template changes."""
        text = "\x1f".join(f"{k}\x1e{v}" for k, v in sorted(self.templates.items()))
        return sha256(text.encode()).hexdigest()[:12]

    @property
    def identity(self) -> str:
        """Version and fingerprint in one word, such as ``3@af1941f10f41``."""
        return f"{self.version}@{self.fingerprint}"

    def fill(self, template: str, slots: Mapping[str, str]) -> str:
        """Put ``slots`` into ``template`` in one pass: what a slot brings in is never looked at again.

        Raises:
            KeyError: there is no such template, or the template has a slot that is not given.
        """
        return _SLOT.sub(lambda found: slots[found.group(1)], self.templates[template])


def load_pack(package: str, **shared: str) -> PromptPack:
    """Return the pack in ``templates.toml`` of ``package``, with templates that it shares with other protocols."""
    content = read_toml(package, "templates.toml")
    return PromptPack.model_validate({**content, "templates": {**content["templates"], **shared}})


@lru_cache(maxsize=32)
def _compressed(templates: bytes) -> str:
    compressor = zlib.compressobj(level=9, zdict=text_dictionary.CONTENT)
    return b64encode(compressor.compress(templates) + compressor.flush()).decode()


@lru_cache(maxsize=64)
def _unpacked(packed: str) -> Mapping[str, str]:
    """Return the templates of a pack in a history; runs of one version have the same."""
    opened = zlib.decompressobj(zdict=text_dictionary.CONTENT)
    try:
        templates: Mapping[str, str] = json.loads(opened.decompress(b64decode(packed, validate=True), _LARGEST))
    except (ValueError, zlib.error):
        raise ValueError(
            f"the packed templates {packed[:20]!r} cannot be read; write templates, each with its name, in their place"
        ) from None
    return templates


def fence(text: str, name: str, nonce: str) -> str:
    """Return ``text`` between marks with its name and ``nonce``; marks inside the text or the name are escaped."""
    mark = f'<answer name="{_UNSAFE_IN_NAME.sub(" ", name)}" nonce="{nonce}">'
    return f'{mark}\n{escape_marks(text)}\n</answer nonce="{nonce}">'


def escape_marks(text: str) -> str:
    """Return ``text`` with every mark escaped; escaped marks stay unchanged."""
    return _MARK.sub("‹", text)


def numbered(call_id: str, attempt: int) -> str:
    """Return ``call_id``; a further call for the same, to a replacing model, has its number behind."""
    return f"{call_id}-{attempt + 1}" if attempt else call_id


def nonce_of(secret: str, call_id: str) -> str:
    """Return ten letters for one call that cannot be known without ``secret``, the run's own.

    Letters alone, because every nonce must count as equally long: what a prompt has room for must not depend on one.
    """
    return sha256(f"{secret}\x1f{call_id}".encode()).hexdigest()[:10].translate(_LETTERS)
