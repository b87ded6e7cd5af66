"""Large texts on disk: found again whole, or a clear word about what is wrong."""

import asyncio
import hashlib
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st
from temporalio.api.common.v1 import Payload
from temporalio.converter import StorageDriverClaim, StorageDriverRetrieveContext, StorageDriverStoreContext

from runtime.blob_store import BlobStore
from runtime.blobs import COMPRESSED, INLINE, FileDriver, RecentTexts, becomes_blob
from runtime.errors import BlobDamagedError, BlobMissingError
from workflows.short_start import INLINE as MARKED

TEXT = b"a long text " * 1000


@pytest.fixture
def store(tmp_path: Path) -> BlobStore:
    """An empty store."""
    return BlobStore(tmp_path / "blobs")


def test_what_was_put_is_got(store: BlobStore) -> None:
    """A text comes back byte for byte under the SHA-256 of its bytes."""
    digest = store.put(TEXT)

    assert hashlib.sha256(TEXT).hexdigest() == digest
    assert store.get(digest) == TEXT


def test_same_text_is_one_compressed_file(store: BlobStore) -> None:
    """A text that is put twice takes one file, smaller than itself, and leaves nothing else behind."""
    digest = store.put(TEXT)
    store.put(TEXT)
    files = [path for path in store.root.rglob("*") if path.is_file()]

    assert [store.path_of(digest)] == files
    assert files[0].stat().st_size < len(TEXT) / 10


def test_many_writers_share_one_directory(store: BlobStore) -> None:
    """Writers of the same text at the same time leave one good blob."""
    with ThreadPoolExecutor(8) as pool:
        digests = set(pool.map(lambda _: BlobStore(store.root).put(TEXT), range(32)))

    assert len(digests) == 1
    assert store.get(digests.pop()) == TEXT


def test_missing_blob_is_named(store: BlobStore) -> None:
    """The error of a missing blob names its digest and the directory."""
    digest = hashlib.sha256(b"never stored").hexdigest()

    with pytest.raises(BlobMissingError, match=f"{digest} is not in {store.root}"):
        store.get(digest)


@pytest.mark.parametrize("damage", [b"", b"garbage", b"\x28\xb5\x2f\xfd\x00\x00"])
def test_damaged_blob_is_never_returned(store: BlobStore, damage: bytes) -> None:
    """A file that is not what was stored is an error that names the file."""
    digest = store.put(TEXT)
    store.path_of(digest).write_bytes(damage)

    with pytest.raises(BlobDamagedError, match=str(store.path_of(digest))):
        store.get(digest)


def test_swapped_blob_is_never_returned(store: BlobStore) -> None:
    """A well-formed blob of another text is not taken for the one that was asked for."""
    digest, other = store.put(TEXT), store.put(b"another text")
    store.path_of(digest).write_bytes(store.path_of(other).read_bytes())

    with pytest.raises(BlobDamagedError):
        store.get(digest)


def test_putting_again_heals_a_damaged_blob(store: BlobStore) -> None:
    """A text that is put where a damaged blob is replaces it."""
    digest = store.put(TEXT)
    store.path_of(digest).write_bytes(b"garbage")
    store.put(TEXT)

    assert store.get(digest) == TEXT


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, "g" * 64, "a" * 63])
def test_only_a_digest_names_a_blob(store: BlobStore, name: str) -> None:
    """A digest without 64 hexadecimal digits never becomes a path."""
    with pytest.raises(BlobMissingError, match="not a SHA-256 digest"):
        store.get(name)


@pytest.mark.parametrize(
    ("size", "is_marked", "expected"),
    [(100, True, False), (9_000, True, False), (9_000, False, True), (100, False, False), (1_000_001, True, True)],
)
def test_a_marked_payload_stays_inline_unless_it_is_huge(size: int, is_marked: bool, expected: bool) -> None:
    """What other clients read stays in the history up to a million bytes, and the mark never leaves the process."""
    payload = Payload(metadata={"encoding": b"json/plain"} | ({INLINE: b"1"} if is_marked else {}), data=b"x" * size)

    assert expected is becomes_blob(payload, 8192)
    assert ["encoding"] == list(payload.metadata)


@pytest.mark.parametrize(("size", "expected"), [(1_000, False), (2_100, True)])
def test_a_compressed_payload_is_a_blob_from_a_quarter_of_the_size_on(size: int, *, expected: bool) -> None:
    """No client reads it as it is, so nothing is lost where it leaves the history early."""
    assert expected is becomes_blob(Payload(metadata={"encoding": COMPRESSED}, data=b"x" * size), 8192)


def test_recent_texts_are_bounded_in_bytes() -> None:
    """The oldest is forgotten when a new one no longer fits."""
    recent, names = RecentTexts(10), [("first", ""), ("second", "0"), ("second", "1")]
    for name in names:
        recent.add(name, b"1234")

    assert [None, b"1234", b"1234"] == [recent.get(name) for name in names]


def test_the_mark_has_one_name() -> None:
    """What workflows mark is what the blob store knows."""
    assert INLINE == MARKED


def test_several_texts_are_put_at_once(store: BlobStore) -> None:
    """Texts that are written together are there, each under its digest, when they are flushed and not before."""
    texts = [TEXT, b"another text"]
    unflushed = store.begin(texts)
    assert not list(store.root.rglob("*.zst"))
    unflushed.finish()

    assert [hashlib.sha256(text).hexdigest() for text in texts] == unflushed.digests
    assert texts == [store.get(digest) for digest in unflushed.digests]
    assert len([path for path in store.root.rglob("*") if path.is_file()]) == 2


@pytest.mark.parametrize("function", ["os.fsync", "os.write"])
def test_texts_that_cannot_all_be_written_leave_no_file(
    store: BlobStore, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    """A disk that takes one file and fails at the next leaves neither of them, nor half of one."""
    taken: list[int] = []
    write = os.write

    def fail_second(handle: int, *data: bytes) -> int:
        taken.append(handle)
        if len(taken) == 2:
            raise OSError("the disk is full")
        return write(handle, *data) if data else 0

    monkeypatch.setattr(function, fail_second)
    with pytest.raises(OSError, match="the disk is full"):
        store.begin([TEXT, b"another text"]).finish()

    assert [] == [path for path in store.root.rglob("*") if path.is_file()]


async def test_payloads_of_one_turn_are_one_file(store: BlobStore) -> None:
    """The payloads of one workflow task are written together, an equal one once, and each claim names its own."""
    driver, context = FileDriver(store), StorageDriverStoreContext()
    payloads = [Payload(data=b"%d" % number * 5000) for number in (0, 1, 2, 1)]
    claims = await asyncio.gather(*(driver.store(context, [payload]) for payload in payloads))
    assert len(list(store.root.rglob("*.zst"))) == 1
    assert claims[1] == claims[3]
    alone = await driver.store(context, payloads[:1])

    assert "part" not in alone[0].claim_data
    for reader in (driver, FileDriver(store)):
        found = await reader.retrieve(StorageDriverRetrieveContext(), [claim for (claim,) in [*claims, alone]])
        assert [*payloads, payloads[0]] == found


@given(st.lists(st.binary(max_size=100), min_size=1, max_size=12))
def test_every_payload_is_read_from_the_file_it_was_put_into(data: list[bytes]) -> None:
    """Whatever is put in one turn, several files of it too, is read by another process as it was."""

    async def put_and_read(root: Path) -> tuple[list[Payload], list[bytes]]:
        context = StorageDriverStoreContext()
        long = [Payload(data=text * 2000) for text in data]
        claims = await FileDriver(BlobStore(root)).store(context, long)
        found = await FileDriver(BlobStore(root)).retrieve(StorageDriverRetrieveContext(), claims)
        return found, [payload.data for payload in long]

    with TemporaryDirectory() as root:
        found, expected = asyncio.run(put_and_read(Path(root)))

    assert expected == [payload.data for payload in found]


async def test_a_file_for_many_stays_short(store: BlobStore) -> None:
    """A reader of one payload reads its file, so long payloads are not put into one."""
    driver, context = FileDriver(store), StorageDriverStoreContext()
    payloads = [Payload(data=b"%d" % number * 100_000) for number in range(6)]
    claims = await driver.store(context, payloads)

    assert ["0", "1", "0", "1", "0", "1"] == [claim.claim_data["part"] for claim in claims]
    assert payloads == await FileDriver(store).retrieve(StorageDriverRetrieveContext(), claims)


async def test_a_reference_to_a_part_that_is_not_there_is_an_error(store: BlobStore) -> None:
    """A damaged reference names its text and the part, and gives no other payload in its place."""
    driver = FileDriver(store)
    claims = await driver.store(StorageDriverStoreContext(), [Payload(data=b"a"), Payload(data=b"b")])
    for part in ("2", "-1", "x"):
        wrong = StorageDriverClaim(claim_data={**claims[0].claim_data, "part": part})
        with pytest.raises(BlobDamagedError, match=f"no part '{part}'"):
            await driver.retrieve(StorageDriverRetrieveContext(), [wrong])


async def test_a_waiter_that_gives_up_takes_no_payload_of_another_along(store: BlobStore) -> None:
    """A cancelled workflow task leaves the payloads of the others to be written."""
    driver, context = FileDriver(store), StorageDriverStoreContext()
    given_up = asyncio.create_task(driver.store(context, [Payload(data=TEXT)]))
    kept = asyncio.create_task(driver.store(context, [Payload(data=b"kept")]))
    await asyncio.sleep(0)
    given_up.cancel()
    claims = await kept

    assert [Payload(data=b"kept")] == await FileDriver(store).retrieve(StorageDriverRetrieveContext(), claims)
