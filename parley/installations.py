"""The installation of a command or a Python client, as recorded in its ledger."""

import sqlite3
from contextlib import closing, suppress
from pathlib import Path

from temporalio.client import Client

from runtime.installation import Installation
from runtime.server_address import refuse_foreign
from runtime.settings import Settings
from runtime.target import temporal_target


async def known_installation(settings: Settings) -> Installation | None:
    """Return the installation of these settings; ``None`` while its ledger is missing, older or out of reach.

    A command that only looks makes no identity: a worker does, or the start of a study, together with the ledger.
    """
    file = settings.ledger_file
    found = _id_in_file(file) if file else await _id_on_server(settings.database_url)
    is_in_home = file == settings.home / "parley.db"
    return None if found is None else Installation.at(settings.home, found, is_ledger_in_home=is_in_home)


async def refuse_new_ledger(client: Client, settings: Settings) -> None:
    """Refuse to make a ledger for a server that serves another one; it would start nothing there."""
    if await known_installation(settings) is None:
        address, fresh = client.service_client.config.target_host, Installation.at(settings.home, "")
        await refuse_foreign(client, address, settings, temporal_target(settings), fresh)


def _id_in_file(file: Path) -> str | None:
    """Return the id in a ledger's file, without SQLAlchemy: its import takes longer than most commands."""
    address = f"{file.absolute().as_uri()}?mode=ro"
    with suppress(sqlite3.Error), closing(sqlite3.connect(address, uri=True)) as ledger:
        ((found,),) = ledger.execute("select id from installation")
        return str(found)
    return None


async def _id_on_server(url: str) -> str | None:
    from ledger.connection import installation_id  # noqa: PLC0415 - see above
    from ledger.store import Store  # noqa: PLC0415 - the same
    from ledger.store_errors import StoreError  # noqa: PLC0415 - the same

    with suppress(StoreError):
        store = Store(url, read_only=True)
        try:
            return await installation_id(store)
        finally:
            await store.close()
    return None
