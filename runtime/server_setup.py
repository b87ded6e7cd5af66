"""Server setup before the first deliberation: search attributes and the retention of closed runs.

Both can be repeated at every start. A workflow that sets an unknown search attribute waits forever, so the
attributes come first; one of another type would do the same and is refused here.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

from google.protobuf.duration_pb2 import Duration
from temporalio.api.enums.v1 import IndexedValueType
from temporalio.api.namespace.v1 import NamespaceConfig
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.api.workflowservice.v1 import UpdateNamespaceRequest
from temporalio.client import Client
from temporalio.common import SearchAttributeKey

from runtime.errors import SearchAttributeClashError

TEN_YEARS = timedelta(days=3650)


async def register_columns(client: Client, columns: Iterable[SearchAttributeKey[Any]]) -> list[str]:
    """Make every search attribute in ``columns`` known and return the names that were new.

    Raises:
        SearchAttributeClashError: the server has one of them with another type.
    """
    wanted = {key.name: key.indexed_value_type.value for key in columns}
    listed = await client.operator_service.list_search_attributes(
        ListSearchAttributesRequest(namespace=client.namespace)
    )
    known = dict(listed.custom_attributes)
    if clashes := [name for name, kind in wanted.items() if known.get(name, kind) != kind]:
        raise SearchAttributeClashError(_clash(client.namespace, clashes, known, wanted))
    new = {name: kind for name, kind in wanted.items() if name not in known}
    if new:
        await client.operator_service.add_search_attributes(
            AddSearchAttributesRequest(
                namespace=client.namespace,
                search_attributes={name: IndexedValueType.ValueType(kind) for name, kind in new.items()},
            )
        )
    return sorted(new)


async def keep_closed_runs(client: Client, retention: timedelta = TEN_YEARS) -> None:
    """Keep closed deliberations for ``retention``; a development server forgets them after a day."""
    duration = Duration()
    duration.FromTimedelta(retention)
    await client.workflow_service.update_namespace(
        UpdateNamespaceRequest(
            namespace=client.namespace, config=NamespaceConfig(workflow_execution_retention_ttl=duration)
        )
    )


def _clash(namespace: str, names: list[str], known: Mapping[str, int], wanted: Mapping[str, int]) -> str:
    wrong = ", ".join(f"{name} is {_word(known[name])} and must be {_word(wanted[name])}" for name in names)
    return (
        f"the namespace {namespace!r} knows list columns by another type: {wrong}. Use a namespace of its own "
        "(PARLEY_NAMESPACE), or remove the attribute there."
    )


def _word(kind: int) -> str:
    return IndexedValueType.Name(IndexedValueType.ValueType(kind)).removeprefix("INDEXED_VALUE_TYPE_").lower()
