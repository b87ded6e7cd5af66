"""How values travel through a real server: by reference when large, encrypted when there are keys."""

import base64
import json
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from uuid import uuid4

import pytest
from temporalio.api.common.v1 import Payload
from temporalio.api.failure.v1 import Failure
from temporalio.client import Client, WorkflowFailureError, WorkflowHandle, WorkflowHistory
from temporalio.converter import ActivitySerializationContext, PayloadConverter, StorageDriverStoreContext
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.worker import Replayer, Worker

from activities.providers.progress import LONGEST_TEXT
from parley.errors import StuckError
from parley.workflow_rpc import STATE, ask
from protocols.model_call import Answered, Heartbeat, Message, ModelCall, ModelId, ParticipantId, ReaderRef
from protocols.starting import IS_BEING_PREPARED
from protocols.transcript import ARE_LOADING
from runtime.blobs import COMPRESSED, INLINE, becomes_blob
from runtime.connect import connect
from runtime.encryption import EncryptionCodec, read_keys
from runtime.errors import BlobMissingError, PayloadError, UnknownKeyError
from runtime.payloads import EncodedFailureConverter, ParleyPayloadConverter, PlainFailureConverter, data_converter
from runtime.plugin import parley_plugin
from runtime.settings import Settings
from tests.fakes.parrot import Heard, Parrot, repeat
from tests.fakes.server import RunningServer

LARGE = Heard(text="a canary text of some length " * 1000)
SMALL = Heard(text="a canary word")
KEYS = "k1:" + base64.b64encode(b"1" * 32).decode()


def keyed(server: RunningServer, keys: str | None = KEYS) -> Settings:
    """The server's settings with encryption keys."""
    return Settings.model_validate({**server.settings.model_dump(), "encryption_keys": keys})


@asynccontextmanager
async def parrots(settings: Settings, *, inline: bool = False, queue: str = "") -> AsyncIterator[tuple[Client, str]]:
    """A client and the queue of a worker that runs the parrot."""
    client = await connect(settings, plugin=parley_plugin(settings, inline=inline))
    queue = queue or f"parrots-{uuid4()}"
    async with Worker(client, task_queue=queue, workflows=[Parrot], activities=[repeat]):
        yield client, queue


async def say(client: Client, queue: str, heard: Heard) -> WorkflowHandle[Parrot, Heard]:
    """Start the parrot with ``heard``."""
    return await client.start_workflow(Parrot.run, heard, id=f"parrot-{uuid4()}", task_queue=queue)


def written(history: WorkflowHistory) -> str:
    """A history with every payload's bytes readable."""
    return "\n".join(event.SerializeToString().decode("latin-1") for event in history.events)


async def replayed(settings: Settings, history: WorkflowHistory, *, inline: bool = False) -> Exception | None:
    """What goes wrong when ``history`` is replayed with the plugin."""
    replayer = Replayer(workflows=[], plugins=[parley_plugin(settings, workflows=[Parrot], inline=inline)])
    return (await replayer.replay_workflow(history, raise_on_replay_failure=False)).replay_failure


async def test_large_text_travels_by_reference(server: RunningServer) -> None:
    """A large value arrives whole, and the history holds only its digest."""
    async with parrots(server.settings) as (client, queue):
        handle = await say(client, queue, LARGE)
        result = await handle.result()
        history = await handle.fetch_history()

    assert result == LARGE
    assert "canary" not in written(history)
    assert "parley:fs" in written(history)


async def test_small_text_stays_in_the_history(server: RunningServer) -> None:
    """A value below the threshold is readable in the history, without a blob."""
    async with parrots(server.settings) as (client, queue):
        handle = await say(client, queue, SMALL)
        await handle.result()
        history = await handle.fetch_history()

    assert "canary" in written(history)
    assert "parley:fs" not in written(history)


async def test_one_plugin_serves_client_worker_and_replayer(server: RunningServer) -> None:
    """What a worker did with references is replayed with the same plugin."""
    async with parrots(server.settings) as (client, queue):
        handle = await say(client, queue, LARGE)
        await handle.result()
        history = await handle.fetch_history()

    assert await replayed(server.settings, history) is None


async def test_inline_history_stands_by_itself(server: RunningServer, settings: Settings) -> None:
    """A history recorded inline is replayed from its JSON where no blob and no key is."""
    async with parrots(keyed(server), inline=True) as (client, queue):
        handle = await say(client, queue, LARGE)
        await handle.result()
        recorded = (await handle.fetch_history()).to_json()
    history = WorkflowHistory.from_json(handle.id, json.loads(recorded))

    assert await replayed(settings, history, inline=True) is None
    assert await replayed(settings, history) is None


@pytest.mark.parametrize("heard", [SMALL, LARGE], ids=["small", "large"])
async def test_encrypted_value_returns_and_is_nowhere_readable(server: RunningServer, heard: Heard) -> None:
    """With keys a value arrives whole and is readable neither in the history nor in the blobs."""
    async with parrots(keyed(server)) as (client, queue):
        handle = await say(client, queue, heard)
        result = await handle.result()
        history = await handle.fetch_history()

    assert result == heard
    assert "canary" not in written(history)


async def test_encrypted_text_is_nowhere_on_disk(server: RunningServer) -> None:
    """With keys neither the server's file nor the blobs nor the log hold a word of the text."""
    async with parrots(keyed(server)) as (client, queue):
        for text in ("nightingale", "nightingale " * 2000):
            await (await say(client, queue, Heard(text=text))).result()
    files = [path.read_bytes() for path in server.settings.home.rglob("*") if path.is_file()]

    assert any(b"Parrot" in content for content in files)
    assert not any(b"nightingale" in content for content in files)


async def test_failure_is_encrypted_too(server: RunningServer) -> None:
    """With keys the message and the stack trace of a failure are encrypted, and the client still reads them."""
    async with parrots(keyed(server)) as (client, queue):
        handle = await say(client, queue, Heard(text="canary failure", fail=True))
        with pytest.raises(WorkflowFailureError) as failure:
            await handle.result()
        history = await handle.fetch_history()

    assert "canary failure" in str(failure.value.cause.__cause__)
    assert "canary" not in written(history)
    assert "Traceback" not in written(history)
    assert "parrot.py" not in written(history)


async def test_client_without_keys_gets_a_clear_word(server: RunningServer) -> None:
    """A process without keys that meets an encrypted value learns which key and which setting it lacks."""
    async with parrots(keyed(server)) as (client, queue):
        handle = await say(client, queue, SMALL)
        await handle.result()
    keyless = await connect(server.settings)

    with pytest.raises(UnknownKeyError, match=r"'k1'.*PARLEY_ENCRYPTION_KEYS"):
        await keyless.get_workflow_handle(handle.id, result_type=Heard).result()


async def test_client_with_another_key_gets_a_clear_word(server: RunningServer) -> None:
    """A process with another key learns which one is missing."""
    async with parrots(keyed(server)) as (client, queue):
        handle = await say(client, queue, SMALL)
        await handle.result()
    stranger = await connect(keyed(server, KEYS.replace("k1", "k2")))

    with pytest.raises(UnknownKeyError, match="'k1'"):
        await stranger.get_workflow_handle(handle.id, result_type=Heard).result()


async def test_a_query_names_the_key_that_its_worker_lacks(server: RunningServer) -> None:
    """What a worker with another key is asked is answered with the key that is missing, and not "Encoded failure"."""
    async with parrots(keyed(server)) as (client, queue):
        handle = await say(client, queue, SMALL)
        await handle.result()
    async with parrots(keyed(server, KEYS.replace("k1", "k2")), queue=queue) as (stranger, _):
        with pytest.raises(StuckError, match=f"{handle.id}: .*'k1'.*holds only k2.*it then continues. It continues"):
            await ask(stranger.get_workflow_handle(handle.id), STATE)


async def test_missing_blob_is_named_by_the_client(settings: Settings) -> None:
    """A value whose blob is gone is an error that names the digest and the directory, in any process but its writer."""
    payloads = await data_converter(settings).encode([LARGE])
    for blob in settings.blobs.rglob("*.zst"):
        blob.unlink()

    with pytest.raises(BlobMissingError, match=f"sha256:[0-9a-f]{{64}} is not in {settings.blobs}"):
        await data_converter(settings).decode(payloads, [Heard])


async def test_equal_texts_share_one_blob(settings: Settings) -> None:
    """The same large value sent to many is stored once."""
    converter = data_converter(settings)
    await converter.encode([LARGE, LARGE])
    await converter.encode([LARGE])

    assert len(list(settings.blobs.rglob("*.zst"))) == 1


def fail(category: ApplicationErrorCategory) -> None:
    """Fail as an activity does."""
    raise ApplicationError("misspelt", category=category)


def test_a_benign_failure_has_no_stack_trace() -> None:
    """What answers a user is its message; the trace of any other failure stays."""
    traces = []
    for category in (ApplicationErrorCategory.BENIGN, ApplicationErrorCategory.UNSPECIFIED):
        failure = Failure()
        with pytest.raises(ApplicationError) as raised:
            fail(category)
        PlainFailureConverter().to_failure(raised.value, PayloadConverter.default, failure)
        traces.append(bool(failure.stack_trace))

    assert [False, True] == traces


@pytest.mark.parametrize(
    ("error", "is_plain"),
    [
        (RuntimeError("Query handler for 'waiting' expected but not found, known queries: [state]"), True),
        (ValueError(f"the turns of earlier runs {ARE_LOADING}; try again in a moment"), True),
        (ApplicationError(f"sky {IS_BEING_PREPARED}; try again in a moment", type="input.incomplete"), True),
        (ApplicationError(f"the canary {IS_BEING_PREPARED}", type="provider.unavailable"), False),
        (ValueError(f"the canary's turns {ARE_LOADING}"), False),
        (PayloadError("a payload encrypted under the key 'k1' was changed"), True),
    ],
)
def test_why_a_query_is_refused_can_be_read(error: Exception, is_plain: bool) -> None:
    """With keys a refused query says why in plain words, which the SDK would not decrypt; all else is private."""
    failure = Failure()
    EncodedFailureConverter().to_failure(error, PayloadConverter.default, failure)

    assert failure.message == (str(error) if is_plain else "Encoded failure")
    assert failure.HasField("encoded_attributes")


async def test_a_failure_whose_message_is_encrypted_names_the_key(server: RunningServer) -> None:
    """A process without keys says which key it lacks, and not "Encoded failure"."""
    async with parrots(keyed(server)) as (client, queue):
        handle = await say(client, queue, Heard(text="a canary failure", fail=True))
        with pytest.raises(WorkflowFailureError):
            await handle.result()
    with pytest.raises(WorkflowFailureError) as failed:
        await (await connect(server.settings)).get_workflow_handle(handle.id).result()

    assert failed.value.cause is not None
    assert "under the key 'k1'" in str(failed.value.cause)
    assert "under the key 'k1'" in str(failed.value.cause.__cause__)


async def test_the_mark_of_an_inline_payload_is_not_encrypted_with_it() -> None:
    """A decrypted payload has the metadata it was written with, and no mark that only our process has a use for."""
    payload = Payload(metadata={"encoding": b"json/plain", INLINE: b"1"}, data=b"{}")
    codec = EncryptionCodec(read_keys(KEYS))
    (decrypted,) = await codec.decode(await codec.encode([payload]))

    assert {"encoding": b"json/plain"} == dict(decrypted.metadata)


def test_a_value_of_an_activity_is_short_in_a_history() -> None:
    """It is without its defaults, long texts are compressed, and it is read as it was."""
    converter = data_converter(Settings()).payload_converter
    long, short = answer("a long answer " * 100), answer("short")
    compressed, plain = (converter.to_payload(value) for value in (long, short))

    assert (COMPRESSED, b"json/plain") == (compressed.metadata["encoding"], plain.metadata["encoding"])
    assert {"call_id", "participant", "model", "text", "provider"} == set(json.loads(plain.data))
    assert [long, short] == [converter.from_payload(payload, Answered) for payload in (compressed, plain)]


def _activity(*, is_local: bool) -> ActivitySerializationContext:
    names = dict.fromkeys(("activity_id", "activity_type", "activity_task_queue", "workflow_id", "workflow_type"), "x")
    return ActivitySerializationContext(namespace="default", is_local=is_local, **names)


@pytest.mark.parametrize("is_local", [True, False])
def test_what_a_local_activity_is_given_is_written_to_no_file(*, is_local: bool) -> None:
    """It never reaches a history: a long text stays in the process, and that of another activity becomes a blob."""
    converter = data_converter(Settings()).with_context(_activity(is_local=is_local)).payload_converter
    for value in ("a long text " * 2000, answer(random.Random(1).randbytes(9000).hex())):
        payload = converter.to_payload(value)

        assert value == converter.from_payload(payload, type(value))
        assert is_local is not becomes_blob(payload, 8192)


@pytest.mark.parametrize("keys", [None, KEYS])
async def test_a_heartbeat_is_written_to_no_file(settings: Settings, keys: str | None) -> None:
    """The next one replaces it and nothing deletes a file: a long verdict, in any script, stays with the server."""
    told = {"encryption_keys": keys, "blob_threshold_bytes": 256}
    converter = data_converter(Settings.model_validate({**settings.model_dump(), **told}))
    beat = {"text": "".join(map(chr, random.Random(3).choices(range(0x4E00, 0x9FFF), k=LONGEST_TEXT)))}
    payloads = await converter.encode([Heartbeat(beat)])

    assert [beat] == await converter.decode(payloads)
    assert [] == list(settings.blobs.rglob("*.zst"))


@pytest.mark.parametrize("keys", [None, KEYS])
async def test_the_answer_to_a_query_is_written_to_no_file(server: RunningServer, keys: str | None) -> None:
    """Each state that is looked at would leave a file among the blobs, which nothing deletes."""
    settings = keyed(server, keys)
    async with parrots(settings) as (client, queue):
        handle = await say(client, queue, LARGE)
        await handle.result()
        before = set(settings.blobs.rglob("*.zst"))
        answered = await handle.query(Parrot.twice)

    assert 2 * LARGE.text == answered.text
    assert before == set(settings.blobs.rglob("*.zst"))


async def test_with_keys_too_a_local_activity_is_given_no_file() -> None:
    """What stays in the process without encryption stays there with it."""
    converter = data_converter(Settings()).with_context(_activity(is_local=True)).payload_converter
    payload = converter.to_payload(answer(random.Random(1).randbytes(9000).hex()))
    (encrypted,) = await EncryptionCodec(read_keys(KEYS)).encode([payload])

    assert not becomes_blob(encrypted, 8192)


def test_converters_share_their_parts() -> None:
    """The SDK makes a converter for each activity: none of them has to learn again how a type is read."""
    assert ParleyPayloadConverter().converters is ParleyPayloadConverter().converters


def test_a_converter_is_not_copied_for_the_owner_of_a_payload(settings: Settings) -> None:
    """The SDK wants a converter for each owner, and gets the same one, as its files have no owner."""
    ours = data_converter(settings)
    assert ours is ours._with_contexts(_activity(is_local=False), StorageDriverStoreContext(target=None))


def test_a_damaged_value_of_an_activity_is_named() -> None:
    """A history that was changed outside is not taken for an answer."""
    converter = data_converter(Settings()).payload_converter
    payload = Payload(metadata={"encoding": COMPRESSED}, data=b"not compressed")

    with pytest.raises(PayloadError, match="damaged"):
        converter.from_payload(payload, Answered)


def answer(text: str) -> Answered:
    """An answer with defaults."""
    return Answered(
        call_id="opinion-p1", participant=ParticipantId("p1"), model=ModelId("lab:m"), text=text, provider="lab"
    )


async def test_a_call_with_the_texts_of_others_is_a_file_and_a_reply_is_not() -> None:
    """The texts in a call are those of earlier replies, so a history has the name of a file in their place."""
    long = random.Random(2).randbytes(1000).hex()
    call = ModelCall(
        call_id="review-p1",
        participant=ParticipantId("p1"),
        model=ModelId("lab:m"),
        stage="review",
        messages=(Message(role="user", content=long),),
        read_as=ReaderRef(reader="council.ballot"),
    )
    converter = data_converter(Settings()).payload_converter
    asked, answered = converter.to_payload(call), converter.to_payload(answer(long))

    assert call == converter.from_payload(asked, ModelCall)
    assert asked.ByteSize() < 2048 > answered.ByteSize()
    assert (True, False) == (becomes_blob(asked, 8192), becomes_blob(answered, 8192))
    assert {"encoding": COMPRESSED} == dict(asked.metadata) == dict(answered.metadata)
