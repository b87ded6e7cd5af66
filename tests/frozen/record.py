"""What histories, clients and databases know of Parley: ``python -m tests.frozen.record`` writes it down anew.

``wire.json`` has the names on the wire, ``ledger.json`` the tables. A name leaves ``wire.json`` only with the last
history that holds it: add the new one beside it, behind ``workflow.patched``. A table changes by a new revision that
adds to it.
"""

import asyncio
import json
import pkgutil
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from pydantic import BaseModel
from sqlalchemy import Connection, inspect
from temporalio import workflow

import activities
from ledger.migrations.upgrade import upgrade
from ledger.store import Store
from parley.registry import WORKFLOWS
from protocols.deliberation import DeliberationInput
from protocols.model_call import Answered, Failed, ModelCall
from protocols.task_queues import LEDGER_QUEUE, TASK_QUEUE
from runtime.blobs import COMPRESSED, DRIVER_NAME, INLINE
from runtime.encryption import ENCODING, KEY_ID
from workflows import search_attributes

FOLDER = Path(__file__).parent


def wire() -> dict[str, Any]:
    """Return every name that is in a history or that another client uses."""
    return {
        "workflows": dict(sorted(map(_handlers, WORKFLOWS))),
        "activities": sorted(set(_activities())),
        "search attributes": {key.name: key.indexed_value_type.name for key in search_attributes.ALL},
        "task queues": [TASK_QUEUE, LEDGER_QUEUE, "models.PROVIDER"],
        "payloads": {
            "encoding": ENCODING.decode(),
            "metadata": sorted([KEY_ID, INLINE]),
            "storage driver": DRIVER_NAME,
            "compressed": COMPRESSED.decode(),
            "defaults": {model.__name__: _defaults(model) for model in (ModelCall, Answered, Failed)},
            "empty": {model.__name__: _empty(model) for model in _inputs()},
        },
    }


def schema(connection: Connection) -> dict[str, Any]:
    """Return every table of the ledger that ``connection`` is to: columns, keys and indexes."""
    found = inspect(connection)
    return {
        name: {
            "columns": {
                column["name"]: f"{column['type']}{'' if column['nullable'] else ' NOT NULL'}"
                for column in found.get_columns(name)
            },
            "primary key": found.get_pk_constraint(name)["constrained_columns"],
            "unique": [unique["column_names"] for unique in found.get_unique_constraints(name)],
            "indexes": {str(index["name"]): index["column_names"] for index in found.get_indexes(name)},
        }
        for name in sorted(found.get_table_names())
    }


def written(value: dict[str, Any]) -> str:
    """Return ``value`` as it is in the file."""
    return json.dumps(value, indent=1) + "\n"


def _defaults(model: type[BaseModel]) -> dict[str, Any]:
    """Return the defaults that a history leaves out, by class and field."""
    whole = model.model_json_schema()
    classes = {model.__name__: whole, **whole.get("$defs", {})}
    found = {
        name: {field: told["default"] for field, told in one.get("properties", {}).items() if "default" in told}
        for name, one in sorted(classes.items())
    }
    return {name: defaults for name, defaults in found.items() if defaults}


def _inputs(of: type[BaseModel] = DeliberationInput) -> Iterator[type[BaseModel]]:
    """Yield the inputs of all deliberations."""
    for model in sorted(of.__subclasses__(), key=lambda one: one.__name__):
        yield model
        yield from _inputs(model)


def _empty(model: type[BaseModel]) -> dict[str, str]:
    """Return the fields that the JSON of an input leaves out because they are empty, by class."""
    found = {name: [field for field, given in told.items() if not given] for name, told in _defaults(model).items()}
    return {name: ", ".join(sorted(fields)) for name, fields in found.items() if fields}


def _handlers(flow: type[Any]) -> tuple[str, dict[str, str]]:
    definition = workflow._Definition.must_from_class(flow)  # its names with those of its bases
    return str(definition.name), {
        "signals": _names(definition.signals),
        "queries": _names(definition.queries),
        "updates": _names(definition.updates),
    }


def _names(handlers: Iterable[str | None]) -> str:
    return ", ".join(sorted(name for name in handlers if name is not None))


def _activities() -> Iterator[str]:
    for found in pkgutil.walk_packages(activities.__path__, "activities."):
        for thing in vars(import_module(found.name)).values():
            for member in vars(thing).values() if isinstance(thing, type) else [thing]:
                definition = getattr(member, "__temporal_activity_definition", None)
                if definition is not None:
                    yield definition.name


async def _record() -> None:
    (FOLDER / "wire.json").write_text(written(wire()), "utf-8")
    with TemporaryDirectory() as folder:
        store = Store(f"sqlite:///{folder}/ledger.db")
        await upgrade(store)
        (FOLDER / "ledger.json").write_text(written(await store.transaction(schema)), "utf-8")
        await store.close()


if __name__ == "__main__":
    asyncio.run(_record())
