"""The blocks of a page, and a folder with a real installation in which its commands are run as they are written.

What is behind the language of a fenced block says how it is run:

* ``sh``: every command ends with 0; with ``exit=4`` its last one ends with 4, with ``fails`` each with another code
* ``console``: lines after ``$`` are commands, and the others are printed by the command above them; one that prints
  ``parley: …`` is refused
* ``text``: a command before printed it, or ``parley up``, which runs in the background
* ``sh synopsis``: not run; every option exists
* any block with ``not run:`` and a reason
"""

import os
import re
import shlex
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tests.fakes.programs import ROOT

PAGES = ("README.md", *(f"docs/{name}.md" for name in ("tutorial", "operating", "protocols", "screening", "temporal")))
"""The pages whose commands are run."""

_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<kind>\w+)(?P<mark>[^\n]*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
_NOT_RUN = "not run:"
_NUMBER = re.compile(r"\d[\d.,:]*")
_HASH = re.compile(r"\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{6,}\b")
_LINE = re.compile(r"[━─╸╺]+")
_PATIENCE = 300.0
_STEP = 1.0
_WAITS = re.compile(r"^parley batch status ")
"""Commands whose output a page shows "a little later": they are run again until they print it."""


class Block(NamedTuple):
    """A fenced block of a page."""

    kind: str
    mark: str
    text: str

    @property
    def reason(self) -> str:
        """Why it is not run; empty when it is run."""
        return self.mark.removeprefix(_NOT_RUN).strip() if self.mark.startswith(_NOT_RUN) else ""

    @property
    def code(self) -> int | None:
        """The exit code of its last command; ``None`` is any but 0."""
        return None if self.mark == "fails" else int(self.mark.removeprefix("exit=") or 0)


class Command(NamedTuple):
    """A command, and what the page shows below it."""

    line: str
    printed: str = ""


class Done(NamedTuple):
    """A command that has ended."""

    code: int
    printed: str


def blocks(page: str) -> list[Block]:
    """Return all blocks of a page, in their order."""
    found = _BLOCK.finditer((ROOT / page).read_text("utf-8"))
    return [Block(one["kind"], one["mark"].strip(), _dedented(one["text"], len(one["indent"]))) for one in found]


def commands(block: Block) -> list[Command]:
    """Return the commands of a block of ``sh`` or ``console``; continued lines are joined as a shell does."""
    text = block.text.replace("\\\n", "")
    if block.kind != "console":
        return [Command(line) for line in text.splitlines() if line.strip() and not line.startswith("#")]
    parts = re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]
    return [Command(part.partition("\n")[0], part.partition("\n")[2]) for part in parts]


def missing(shown: str, printed: str) -> list[str]:
    """Return the lines of a page that were not printed; numbers, hashes, widths and what is behind … may differ.

    With a number its noun may differ too: one tie, four ties.
    """
    whole = " ".join(printed.split())
    return [line for line in shown.splitlines() if line.strip(" …") and not re.search(_pattern(line), whole)]


def _pattern(line: str) -> str:
    return r".*?".join(r"\s+".join(_words(part.split())) for part in line.split("…"))


def _words(words: list[str]) -> Iterator[str]:
    for before, word in zip(["", *words], words, strict=False):
        is_counted = _NUMBER.fullmatch(before) is not None and word.isalpha()
        yield f"{re.escape(word.removesuffix('s'))}s?" if is_counted else _word(word)


def _word(word: str) -> str:
    if _LINE.fullmatch(word):
        return _LINE.pattern
    plain = _NUMBER.sub("0", _HASH.sub("0", word))
    return r"[\da-f.,:]+".join(map(re.escape, plain.split("0")))


def _dedented(text: str, indent: int) -> str:
    return "".join(line[indent:] if line.strip() else line for line in text.splitlines(keepends=True))


@dataclass
class Folder:
    """A folder in which a reader of a page works."""

    path: Path
    variables: Mapping[str, str]
    _background: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def run(self, line: str) -> Done:
        """Run a command line in the shell; ``parley up`` runs in the background from then on."""
        line = self._with_ports(line)
        if re.match(r"(?:\.venv/bin/)?parley up\b", line):
            return self._start(line)
        done = subprocess.run(
            ["bash", "-c", line],
            cwd=self.path,
            env=dict(self.variables),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE,
            check=False,
        )
        return Done(done.returncode, done.stdout.decode(errors="replace"))

    def run_patiently(self, command: Command) -> Done:
        """Run a command; run one that shows a state again until the state is the page's."""
        until = time.monotonic() + _PATIENCE
        done = self.run(command.line)
        while _WAITS.match(command.line) and missing(command.printed, done.printed) and time.monotonic() < until:
            time.sleep(_STEP)
            done = self.run(command.line)
        return done

    def printed_in_background(self, shown: str) -> str:
        """Wait until ``parley up`` has printed what a page shows, and return all of it."""
        log, until = self.path / "up.out", time.monotonic() + _PATIENCE / 5
        while time.monotonic() < until and (not log.exists() or missing(shown, log.read_text(errors="replace"))):
            time.sleep(_STEP)
        return log.read_text(errors="replace") if log.exists() else ""

    def _with_ports(self, line: str) -> str:
        for port, name in ((8399, "REHEARSAL"), (8233, "UI"), (7233, "SERVER")):
            line = line.replace(f":{port}/", f":{self.variables[f'PARLEY_{name}_PORT']}/")
        return line

    def _start(self, line: str) -> Done:
        with (self.path / "up.out").open("ab") as out:
            words = shlex.split(line)
            self._background.append(
                subprocess.Popen(words, cwd=self.path, env=dict(self.variables), stdout=out, stderr=out)
            )
        ready = self.path / ".parley" / "worker.pid"
        until = time.monotonic() + _PATIENCE / 5
        while not ready.exists() and time.monotonic() < until:
            time.sleep(_STEP)
        return Done(0 if ready.exists() else 1, self.printed_in_background(""))

    def stop(self) -> None:
        """End what runs in the background."""
        for process in self._background:
            process.send_signal(signal.SIGINT)
        for process in self._background:
            process.wait(_PATIENCE / 5)


@contextmanager
def folder(path: Path, variables: Mapping[str, str]) -> Iterator[Folder]:
    """Yield a folder with a home and the commands of this checkout; end what runs in its background."""
    (path / ".parley").mkdir(parents=True, exist_ok=True)
    (path / ".venv").symlink_to(ROOT / ".venv")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PARLEY_", "TEMPORAL_"))}
    search = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
    found = Folder(path, {**kept, "COLUMNS": "120", **variables, "PATH": search, "PYTHONPATH": str(ROOT)})
    try:
        yield found
    finally:
        found.stop()
