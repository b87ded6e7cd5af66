import ast
import builtins
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.repository.documents import PAGES
from tests.repository.sources import PACKAGES, ROOT, listed, modules, nodes, parsed, shown

FOREIGN = {
    *("Date", "DescribeNamespace", "Host", "ProcessorFormatter", "TemporalReportedProblems"),
    *("rich", "Behavior", "ContextString", "Goal", "Clean", "Withhold", "NeutrosophicEvaluation"),
}
"""Names of the seeds, of other tools and of libraries."""

_TOP = {Path(name).stem for name in PACKAGES} | {"tests"}
_DOTTED = re.compile(rf"(?<![\w./`-])`{{1,2}}((?:{'|'.join(sorted(_TOP))})(?:\.\w+)+)`{{1,2}}")
_CLASS = re.compile(r"``([A-Z][a-z]+[A-Za-z]*)``")
_LOWER = re.compile(r"``([a-z][a-z_0-9]+)``")
_NAMING = {ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Name, ast.arg, ast.alias, ast.Constant}
_WORD = re.compile(r"\w+(?:\.\w+)?")
_IMPORTED = re.compile(r"from parley\.([\w.]+) import (\w+)|-m[\s\",]+parley\.([\w.]+)")
_IMAGE = ("Dockerfile", "docker-compose.yml")
_ENDS = ("py", "toml", "md", "log", "json", "pid", "db", "css", "js")


@cache
def defined() -> dict[str, set[str]]:
    """What each module defines, and each package contains."""
    found: dict[str, set[str]] = {}
    for path in modules(*PACKAGES):
        place = path.relative_to(ROOT).with_suffix("")
        name = ".".join(place.parts).removesuffix(".__init__")
        found.setdefault(name, set()).update(names_in(parsed(path)))
        for depth in range(1, len(place.parts)):
            found.setdefault(".".join(place.parts[:depth]), set()).add(place.parts[depth])
    return found


@cache
def everywhere() -> set[str]:
    """What any module defines, and the names of others."""
    return set().union(*defined().values()) | FOREIGN


def names_in(tree: ast.Module) -> Iterator[str]:
    """Every name that is defined anywhere in ``tree``, and every word that is a text of its own."""
    for node in (one for one in nodes(tree) if type(one) in _NAMING):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.alias(name=name):
                yield name
            case ast.Constant(value=str(name)) if _WORD.fullmatch(name):
                yield name
            case _:
                continue


def exists(dotted: str) -> bool:
    """Whether the module, or the name in a module or a class of it, is there."""
    if dotted.startswith("tests."):
        return any((ROOT / dotted.replace(".", "/")).with_suffix(end).exists() for end in ("", ".py"))
    module, _, name = dotted.rpartition(".")
    outer, _, inner = module.rpartition(".")
    known = defined()
    return dotted in known or name in known.get(module, ()) or {inner, name} <= known.get(outer, set())


def unknown_in(text: str) -> list[str]:
    """The dotted names and the names in CamelCase of ``text`` that are nowhere defined."""
    written = [name for name in _DOTTED.findall(text) if not name.endswith(_ENDS) and not exists(name)]
    classes = [name for name in _CLASS.findall(text) if not hasattr(builtins, name)]
    return [name for name in (*written, *classes) if name not in everywhere()]


def unknown_in_package(name: str, text: str) -> list[str]:
    """The names in lower case of a package's docstring that no module of it is called and none of them defines."""
    inside = {one for module, names in defined().items() if f"{module}.".startswith(f"{name}.") for one in names}
    return [word for word in _LOWER.findall(text) if word not in inside | _TOP | FOREIGN]


def test_every_name_in_prose_exists() -> None:
    """A dotted name or a class that a docstring, a comment or a page names is a name of the code."""
    places = [*modules(*PACKAGES), *PAGES]
    found = [f"{shown(path)}: {name}" for path in places for name in unknown_in(path.read_text("utf-8"))]

    assert not found, listed(found)


def test_a_package_names_its_own_modules() -> None:
    """What a package's docstring lists is one of its modules or a name that one of them defines."""
    packages = [path for path in modules(*_TOP - {"tests", "worker"}) if path.name == "__init__.py"]
    found = [
        f"{shown(path)}: {word}"
        for path in packages
        for word in unknown_in_package(
            ".".join(path.parent.relative_to(ROOT).parts), ast.get_docstring(parsed(path)) or ""
        )
    ]

    assert not found, listed(found)


def run_in(text: str) -> list[str]:
    """The names of the code that the commands in ``text`` import from an installed wheel, and the modules they run."""
    return [module or f"{place}.{name}" for place, name, module in _IMPORTED.findall(text)]


def test_what_the_image_runs_exists() -> None:
    """A command of the image names a module of the code, and what it imports from there."""
    found = [f"{file}: {name}" for file in _IMAGE for name in run_in((ROOT / file).read_text("utf-8"))]

    assert {"Dockerfile: worker", "docker-compose.yml: rehearsal"} <= set(found)
    assert not (gone := [one for one in found if not exists(one.partition(": ")[2])]), listed(gone)


def test_a_name_that_is_gone_is_seen() -> None:
    """The check itself notices a module, a name in a module, a class and a listed module that do not exist."""
    missing = ["protocols." + "corridor", "protocols.votes." + "counted_up"]

    assert missing == unknown_in(" ".join(f"``{name}``" for name in missing))
    assert ["Cor" + "ridor"] == unknown_in("``Cor" + "ridor``")
    assert ["corridor"] == unknown_in_package("protocols", "* ``corridor``  values; ``votes``: counts")
    assert not unknown_in("``protocols.votes`` and ``ModelCall``")
    assert ["protocols.corridor.door"] == run_in("from parley.protocols.corridor import door")
    assert not exists("protocols.corridor.door")
