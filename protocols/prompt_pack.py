"""The prompt pack a run keeps, filling a template, and fencing what peers wrote.

A pack travels with the run it started: changed activity inputs are never detected by replay, so a deploy must not be
able to mix old and new prompts inside one deliberation.

Text of peers is data, never a template and never an instruction. It is between marks that carry a nonce drawn
after they answered, and text that looks like such a mark is defused.
"""

import re
from collections.abc import Mapping
from hashlib import sha256

from pydantic import Field

from protocols.model_call import FrozenModel
from protocols.text_files import read_toml

_SLOT = re.compile(r"\{\{([a-z][a-z0-9_]*)\}\}")
_MARK = re.compile(r"[<＜﹤](?=[\s/\u200b-\u200f\u2060-\u2064\ufeff]*answer\b)", re.IGNORECASE)
"""Look-alikes of a mark, such as a wide bracket or invisible characters behind it, count as marks."""
_LETTERS = str.maketrans("0123456789", "ghijklmnop")
_UNSAFE_IN_NAME = re.compile(r'[\s"<>]+')


class PromptPack(FrozenModel):
    """The templates of one protocol at one version."""

    protocol: str
    version: str
    templates: dict[str, str] = Field(min_length=1)

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


def fence(text: str, name: str, nonce: str) -> str:
    """Return ``text`` between marks with its name and ``nonce``; marks inside the text or the name are escaped."""
    mark = f'<answer name="{_UNSAFE_IN_NAME.sub(" ", name)}" nonce="{nonce}">'
    return f'{mark}\n{escape_marks(text)}\n</answer nonce="{nonce}">'


def escape_marks(text: str) -> str:
    """Return ``text`` with every mark escaped; escaped marks stay unchanged."""
    return _MARK.sub("‹", text)


def nonce_of(secret: str, call_id: str) -> str:
    """Return ten letters for one call that cannot be known without ``secret``, the run's own.

    Letters alone, because every nonce must count as equally long: what a prompt has room for must not depend on one.
    """
    return sha256(f"{secret}\x1f{call_id}".encode()).hexdigest()[:10].translate(_LETTERS)
