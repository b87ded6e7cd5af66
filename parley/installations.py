"""The installation of a command or a Python client, as recorded in its ledger."""

from ledger.reading import LedgerReader, StoreError
from runtime.installation import Installation
from runtime.settings import Settings


async def known_installation(settings: Settings) -> Installation | None:
    """Return the installation of these settings; ``None`` while its ledger is missing, older or out of reach.

    A command never makes an identity: only a worker does, together with the ledger.
    """
    try:
        async with LedgerReader(settings.database_url) as ledger:
            installation_id = await ledger.installation_id()
    except StoreError:
        return None
    is_in_home = settings.database_url == f"sqlite:///{settings.home}/parley.db"
    return Installation.at(settings.home, installation_id, is_ledger_in_home=is_in_home)
