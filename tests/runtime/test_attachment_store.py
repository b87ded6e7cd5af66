"""Contents of attached files, in blobs."""

import base64
from pathlib import Path

import pytest

from runtime.attachment_store import AttachmentStore
from runtime.encryption import EncryptionCodec, read_keys

KEY = base64.b64encode(bytes(32)).decode()
SECRET = b"The patient is called Ada."


def locked(folder: Path) -> AttachmentStore:
    """Return a store with a key."""
    return AttachmentStore(folder, EncryptionCodec(read_keys(f"one:{KEY}")))


def files(folder: Path) -> list[Path]:
    """Return the blobs in ``folder``."""
    return [path for path in folder.rglob("*") if path.is_file()]


def test_equal_contents_are_one_blob(tmp_path: Path) -> None:
    """However many deliberations have the file."""
    store = AttachmentStore(tmp_path)

    assert store.put(SECRET) == store.put(SECRET)
    assert 1 == len(files(tmp_path))


def test_with_keys_no_blob_shows_the_content(tmp_path: Path) -> None:
    """A blob is encrypted as every payload is, and read with the key alone."""
    store = locked(tmp_path)
    blob = store.put(SECRET)

    assert SECRET == store.get(blob)
    with pytest.raises(LookupError, match="Set PARLEY_ENCRYPTION_KEYS"):
        AttachmentStore(tmp_path).get(blob)


def test_a_content_stored_before_there_were_keys_is_still_read(tmp_path: Path) -> None:
    """As payloads are."""
    assert SECRET == locked(tmp_path).get(AttachmentStore(tmp_path).put(SECRET))


def test_a_blob_that_is_gone_or_damaged_states_what_to_restore(tmp_path: Path) -> None:
    """The digest and the directory are named."""
    store = AttachmentStore(tmp_path)
    blob = store.put(SECRET)
    (file,) = files(tmp_path)

    file.write_bytes(b"damaged")
    with pytest.raises(LookupError, match=f"{blob}.*Restore the file"):
        store.get(blob)
    file.unlink()
    with pytest.raises(LookupError, match=f"{blob} is not in {tmp_path}"):
        store.get(blob)
