import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from ledger.migrations import versions
from ledger.migrations.upgrade import LedgerTooNewError, LedgerTooOldError, configured, upgrade
from ledger.store import Store
from ledger.store_errors import StoreBusyError, StoreRefusedError
from ledger.studies.writing import enter
from ledger.tables import METADATA
from tests.fakes.entered import entered
from tests.fakes.programs import start_program

UPGRADING = "tests.fakes.upgrading_process"


async def test_revisions_and_tables_agree(store: Store) -> None:
    """What the revisions make of an empty database is what the code writes to."""

    def differences(connection: Connection) -> list[object]:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        return list(compare_metadata(context, METADATA))

    assert await store.transaction(differences) == []


async def test_upgrading_twice_changes_nothing(store: Store) -> None:
    """A worker that starts on an upgraded ledger leaves it as it is."""
    await store.change(text("insert into journal values ('k', 'w', 'c', 'o', 0, null)"))
    await upgrade(store)
    assert [row.key for row in await store.rows(text("select key from journal"))] == ["k"]


@pytest.mark.parametrize("revision", ["0001", "0007", "r0001"])
async def test_a_ledger_from_before_the_first_release_is_refused(store: Store, revision: str) -> None:
    """A table without a reader is left as it is, and the sentence says what to do."""
    await store.change(text("update alembic_version set version_num = :revision"), {"revision": revision})
    with pytest.raises(LedgerTooOldError, match=r"before its first release.*move it away, or set PARLEY_DATABASE_URL"):
        await upgrade(store)
    assert await revision_of(store) == revision


async def test_revisions_form_one_line_from_nothing(sqlite_store: Store) -> None:
    """Every revision has one predecessor, the first has none, and there is one newest."""

    def scripts(connection: Connection) -> ScriptDirectory:
        return ScriptDirectory.from_config(configured(connection))

    directory = await sqlite_store.transaction(scripts)
    assert len(directory.get_heads()) == 1
    assert [r.down_revision for r in directory.walk_revisions()][-1] is None


def test_the_newest_file_is_the_newest_revision() -> None:
    """A ledger of the revision after which the last file is named needs no upgrade, so names and revisions agree."""
    scripts = ScriptDirectory(str(Path(versions.__path__[0]).parent), version_locations=list(versions.__path__))
    for script in scripts.walk_revisions():
        assert script.revision == Path(script.path).name.partition("_")[0]
    assert scripts.get_current_head() == max(script.revision for script in scripts.walk_revisions())


async def revision_of(store: Store) -> str:
    """The revision that the ledger states it has."""
    return str((await store.rows(text("select version_num from alembic_version")))[0][0])


async def test_a_newer_ledger_that_only_grew_is_used_as_it_is(store: Store) -> None:
    """Old code continues with the ledger of a newer version that added a table and columns, and changes nothing."""
    await store.change(text("update alembic_version set version_num = '9999'"))
    await store.change(text("create table novelties (id integer)"))
    await store.change(text("alter table calls add column novelty integer"))
    await store.change(text("alter table calls add column counted integer not null default 0"))
    await upgrade(store)
    await enter(store, *entered().parts)
    assert await revision_of(store) == "9999"


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ("drop table missing_instances", "missing_instances is missing"),
        ("alter table calls drop column cost_usd", "calls.cost_usd is missing"),
    ],
    ids=["a table", "a column"],
)
async def test_a_newer_ledger_that_does_not_fit_is_left_alone(store: Store, change: str, complaint: str) -> None:
    """A ledger in which something of ours is missing is refused with the remedy, and not touched."""
    await store.change(text("update alembic_version set version_num = '9999'"))
    await store.change(text(change))
    with pytest.raises(LedgerTooNewError, match=rf"9999.*{complaint}.*install the newer version"):
        await upgrade(store)
    assert await revision_of(store) == "9999"


async def test_many_workers_may_start_at_once(url: str, tmp_path: Path) -> None:
    """Several processes that upgrade one empty database at the same time all succeed."""
    starts = [start_program([UPGRADING, url], os.environ, tmp_path / "log") for _ in range(4)]
    ends = [await asyncio.to_thread(start.wait, 50) for start in starts]
    assert ends == [0, 0, 0, 0], (tmp_path / "log").read_text()


async def test_an_upgrade_that_breaks_leaves_nothing(url: str) -> None:
    """An upgrade is one transaction: when it breaks, the database is as it was."""
    broken = Store(url)
    await broken.change(text("create table calls (key text)"))
    with pytest.raises(StoreRefusedError):
        await upgrade(broken, patience=0)
    tables = await broken.transaction(lambda connection: inspect(connection).get_table_names())
    assert tables == ["calls"]
    await broken.close()


async def test_a_database_that_stays_away_is_waited_for_only_so_long(tmp_path: Path) -> None:
    """The wait for a database that cannot be reached ends, with what is wrong."""
    absent = Store(f"postgresql://nobody@/books?host={tmp_path}")
    with pytest.raises(StoreBusyError, match="cannot be reached"):
        await upgrade(absent, patience=0)
    await absent.close()


async def test_revisions_are_found_from_any_folder(tmp_path: Path) -> None:
    """An upgrade does not depend on the working directory."""
    start = [sys.executable, "-m", UPGRADING, f"sqlite:///{tmp_path / 'books.db'}"]
    here = Path.cwd()
    run = subprocess.run(start, check=False, cwd=tmp_path, env={"PYTHONPATH": str(here)})  # noqa: ASYNC221 - alone
    assert run.returncode == 0
