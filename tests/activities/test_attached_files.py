"""A call with attached files: they are read when the request is made, and before anything is paid."""

import json
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError

from activities.attached_files import MISSING
from activities.call_model import ModelCalls
from ledger.identity import identity_of
from protocols.attachments import Attachment
from protocols.model_call import Answered, Message, ModelCall
from runtime.attachment_store import AttachmentStore
from tests.activities.test_call_model import ENVIRON, LAB, Desk
from tests.fakes.calls import model_call
from tests.fakes.readers import InlineReaders
from tests.fakes.wire import answering, spoken


def with_file(blob: str, sha256: str = "a" * 64) -> ModelCall:
    """Return a call with one attached text."""
    ref = Attachment(name="notes.txt", media_type="text/plain", sha256=sha256, size=9, tokens=3, blob=blob)
    return model_call(messages=[Message(role="user", content="Why?", attachments=(ref,)).model_dump()])


def desk(store: AttachmentStore) -> Desk:
    """Return a worker with access to the blobs."""
    made = Desk(answering(*spoken("Blue.")))
    made.calls = ModelCalls(LAB, ENVIRON, made.journal, made.wire.pool(), InlineReaders(), read_blob=store.get)
    return made


async def test_the_text_is_in_the_request_and_only_there(tmp_path: Path) -> None:
    """The call that Temporal keeps has the reference; the request has the text."""
    store = AttachmentStore(tmp_path)
    call, made = with_file(store.put(b"The sky is blue.")), desk(store)

    assert isinstance(await made.ask(call), Answered)
    (request,) = made.wire.requests
    assert "The sky is blue." in json.loads(request.content)["messages"][0]["content"]
    assert "The sky is blue." not in call.model_dump_json()


async def test_a_blob_that_is_not_there_is_waited_for_unpaid(tmp_path: Path) -> None:
    """The attempt fails with what to restore, may be made again, and made no request; once it is back it is paid."""
    store = AttachmentStore(tmp_path / "one")
    call, made = with_file(AttachmentStore(tmp_path / "two").put(b"The sky is blue.")), desk(store)

    with pytest.raises(ApplicationError, match=r"is not in .*Restore it from the backup") as waiting:
        await made.ask(call)
    assert (MISSING, False, []) == (waiting.value.type, waiting.value.non_retryable, made.wire.requests)
    store.put(b"The sky is blue.")
    assert isinstance(await made.ask(call), Answered)


def test_the_identity_of_a_call_has_the_hashes_of_its_files() -> None:
    """Another file under the same name is another call, and a call without files has no trace of them."""
    one, other = (identity_of("council-1", with_file("b" * 64, sha256)) for sha256 in ("a" * 64, "c" * 64))

    assert one.key != other.key
    bare = model_call(messages=[{"role": "user", "content": "Why?", "attachments": []}])
    assert identity_of("council-1", model_call()).key == identity_of("council-1", bare).key
