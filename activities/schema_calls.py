"""A request with the JSON schema of its reply, repeated without it where the endpoint refuses the schema.

The repetition belongs to the same attempt: nothing was billed for the refusal, so it is no lost attempt, and the
journal has one answer. What was learned keeps the next call to the model from being refused.
"""

from functools import partial

from pydantic import SecretStr

from activities.providers.catalogue import Provider
from activities.providers.errors import ProviderError
from activities.providers.http_exchange import send_call
from activities.providers.progress import CallProgress
from activities.providers.provider_client import ProviderClient
from activities.providers.request import NO_FILES, Files
from activities.providers.stream_assembly import Chunk
from activities.providers.structured_output import StructuredOutput
from activities.reply_schemas import ReplySchema, has_schema, reply_schema
from protocols.json_in_text import whole_object
from protocols.model_call import ModelCall


class SchemaCalls:
    """The exchanges of one process; ``known`` says which models take a schema, and learns."""

    def __init__(self, known: StructuredOutput) -> None:
        self._known = known

    async def converse(
        self,
        client: ProviderClient,
        call: ModelCall,
        provider: Provider,
        key: SecretStr | None,
        *,
        call_key: str,
        pulse: CallProgress,
        files: Files = NO_FILES,
        deliberation: str = "",
    ) -> Chunk:
        """Ask once and read the whole answer; repeat the request without a refused schema.

        ``call_key`` and ``deliberation`` name the call to a rehearsal server.
        """
        send = partial(send_call, client, call, provider, key, files=files)
        ask = partial(send, call_key=call_key, pulse=pulse, deliberation=deliberation)
        schema = self._schema(call, provider)
        if schema is None:
            return await ask()
        try:
            return _answer(await ask(schema=schema), schema)
        except ProviderError as error:
            if not self._known.learn(provider, call.model, error):
                raise
        return await ask()

    def _schema(self, call: ModelCall, provider: Provider) -> ReplySchema | None:
        if not (call.sampling.structured_output and has_schema(call.read_as)):
            return None
        return reply_schema(call.read_as) if self._known.of(provider, call.model).has_schema else None


def _answer(chunk: Chunk, schema: ReplySchema) -> Chunk:
    """Return ``chunk`` as the reply to a request with ``schema``.

    Some servers put an object of a schema into the thinking and leave the answer empty. An object that has all
    of the schema, where there is no answer beside it, is the answer.
    """
    chunk = chunk._replace(asked_with_schema=True)
    if chunk.text.strip() or chunk.refusal.strip():
        return chunk
    found, wanted = whole_object(chunk.reasoning), schema.json_schema.get("required")
    if found is None or not isinstance(wanted, list) or not found.keys() >= {*wanted}:
        return chunk
    return chunk._replace(text=chunk.reasoning, reasoning="", repairs=(*chunk.repairs, "the answer came as thinking"))
