"""The options of a protocol on the command line, computed from the fields of its options class.

The name of an option is the field's, its help the field's docstring; default and bounds are appended from the field.
What is written is passed on as text where the options class reads it, so a value is checked in one place.
"""

import ast
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Literal, get_args, get_origin

import click
from annotated_types import Ge, Gt, Le, Lt
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from parley.errors import RequestError
from parley.options.ask import Options
from parley.options.budget import BudgetOptions
from parley.options.instructions import InstructionOptions
from parley.options.written import Written
from protocols.time_spans import DAY
from starter.commands.parameters import Parameter, combined

_PLAIN = {int: click.INT, float: click.FLOAT}
_ONE_DELIBERATION = {"id", "fresh", "playback"}
"""Options that make no sense for many deliberations at once."""


def own_options(options: type[Options], *, without: frozenset[str] = frozenset()) -> Parameter[Any]:
    """Return a decorator that adds the options specific to this protocol."""
    names = [name for name in options.model_fields if name not in Options.model_fields and name not in without]
    return combined(*_parameters(options, names))


def usual_options(options: type[Options] = Options, *, many: bool = False) -> Parameter[Any]:
    """Return a decorator that adds the options of every protocol; ``many`` omits those of a single run."""
    names = [name for name in Options.model_fields if not (many and name in _ONE_DELIBERATION)]
    return combined(*_parameters(options, names))


def counting_options(options: type[Options]) -> Parameter[Any]:
    """Return a decorator that adds the options of every protocol for counting calls."""
    own = ["panel", "allow_duplicates", "clarify", "max_tokens", "reasoning_effort", "attach", "web"]
    shared = [*own, *InstructionOptions.model_fields, *BudgetOptions.model_fields]
    return combined(*_parameters(options, shared))


def help_text(docstring: str, field: FieldInfo, written: Written | None = None) -> str:
    """Return the help of an option: the docstring of its field, its range and its default."""
    text = " ".join(docstring.split()).replace("``", "")
    is_time = written is not None and written.metavar == "TIME"
    notes = [*(() if is_time else _range(field)), *_default(field, is_time=is_time)]
    return f"{text.removesuffix('.')}." + (f"  [{'; '.join(notes)}]" if notes else "")


def _parameters(options: type[Options], names: list[str]) -> Iterator[Parameter[Any]]:
    for name in names:
        field = options.model_fields[name]
        written = _written(field)
        if written is None or written.is_offered:
            text = help_text(_docstrings(options)[name], field, written)
            yield _parameter(field.alias or name, text, field, written)


@cache
def _docstrings(options: type[Options]) -> Mapping[str, str]:
    """Return the docstring under each field of ``options`` and of the classes that it extends.

    Pydantic can read them, too, but whenever the class is made, also where no command line asks for them.
    """
    found: dict[str, str] = {}
    for base in reversed(options.__mro__):
        if issubclass(base, BaseModel) and base is not BaseModel:
            tree = ast.parse(Path(str(sys.modules[base.__module__].__file__)).read_text("utf-8"))
            (made,) = (node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == base.__name__)
            for field, text in pairwise(made.body):
                if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr):
                    found[ast.unparse(field.target)] = str(ast.literal_eval(text.value))
    return found


def _parameter(name: str, text: str, field: FieldInfo, written: Written | None) -> Parameter[Any]:
    flag = (written.flag if written else "") or name.replace("_", "-")
    kind = _inner(field.annotation)
    keywords: dict[str, Any] = {"help": text, "default": None, "show_default": False}
    if kind is bool:
        return click.option(f"--{flag}/--no-{flag}", name, **keywords)
    if get_origin(kind) is Literal:
        return click.option(f"--{flag}", name, type=click.Choice(get_args(kind)), **keywords)
    if get_origin(kind) is tuple:
        choices = ",".join(map(str, get_args(get_args(kind)[0])))
        metavar = written.metavar if written else choices or "A,B"
        return click.option(f"--{flag}", name, multiple=True, metavar=metavar, callback=_reader(written), **keywords)
    if written is not None:
        return click.option(f"--{flag}", name, metavar=written.metavar, callback=_reader(written), **keywords)
    return click.option(f"--{flag}", name, type=_PLAIN.get(kind, click.STRING), **keywords)


def _inner(annotation: Any) -> Any:
    """Return the type of an option without ``None`` and without annotations."""
    if get_origin(annotation) is Annotated:
        return _inner(get_args(annotation)[0])
    members = [one for one in get_args(annotation) if one is not type(None)]
    is_optional = type(None) in get_args(annotation) and len(members) == 1
    return _inner(members[0]) if is_optional else annotation


def _written(field: FieldInfo) -> Written | None:
    nested = [one for member in get_args(field.annotation) for one in getattr(member, "__metadata__", ())]
    return next((one for one in (*field.metadata, *nested) if isinstance(one, Written)), None)


def _reader(written: Written | None) -> Any:
    """Return what reads the value of an option, or each value of a repeated one."""
    read = written.read if written else None

    def callback(context: click.Context, _parameter: click.Parameter, given: Any) -> Any:
        if read is None or given is None:
            return given
        try:
            return tuple(map(read, given)) if isinstance(given, tuple) else read(given)
        except RequestError as error:
            raise click.UsageError(str(error), context) from None

    return callback


def _range(field: FieldInfo) -> Iterator[str]:
    least = next((_number(one.ge) for one in field.metadata if isinstance(one, Ge)), None)
    above = next((f"above {_number(one.gt)}" for one in field.metadata if isinstance(one, Gt)), None)
    most = next((_number(one.le) for one in field.metadata if isinstance(one, Le)), None)
    below = next((f"below {_number(one.lt)}" for one in field.metadata if isinstance(one, Lt)), None)
    ends = [end for end in (least or above, most or below) if end]
    if len(ends) == 2:  # noqa: PLR2004 - both ends of a range
        yield " to ".join(ends)
    elif ends:
        yield ends[0] if above or below else f"at least {least}" if least else f"at most {most}"


def _default(field: FieldInfo, *, is_time: bool) -> Iterator[str]:
    value = field.default
    if value in {None, "", ()} or field.default_factory is not None:
        return  # the docstring names what is taken then
    if isinstance(value, bool):
        yield f"default: {'yes' if value else 'no'}"
    elif is_time:
        yield f"default: {value / DAY:g}d"
    else:
        yield f"default: {_number(value) if isinstance(value, int | float) else value}"


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else f"{value:,g}"
