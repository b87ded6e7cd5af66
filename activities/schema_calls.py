"""A request with the JSON schema of its reply, repeated without it where the endpoint refuses the schema.

The repetition belongs to the same attempt: nothing was billed for the refusal, so it is no lost attempt, and the
journal has one answer. What was learned keeps the next call to the model from being refused.
"""

from dataclasses import replace
from functools import partial

import httpx
from pydantic import SecretStr

from activities.providers.assembly import Heard
from activities.providers.catalogue import Provider
from activities.providers.conversation import converse
from activities.providers.errors import ProviderError
from activities.providers.pulse import Pulse
from activities.providers.structured_output import StructuredOutput
from activities.reply_schemas import ReplySchema, reply_schema
from protocols.exchange import ModelCall


class SchemaCalls:
    """The exchanges of one process; ``known`` says which models take a schema, and learns."""

    def __init__(self, known: StructuredOutput) -> None:
        self._known = known

    async def converse(
        self,
        client: httpx.AsyncClient,
        call: ModelCall,
        provider: Provider,
        key: SecretStr | None,
        *,
        call_key: str,
        pulse: Pulse,
        was_empty: bool = False,
        deliberation: str = "",
    ) -> Heard:
        """Ask once and hear the answer to its end; a refused schema is left out and the request made once more.

        Args:
            client: For the provider.
            call: What is asked.
            provider: Who is asked.
            key: The provider's.
            call_key: The name of the logical call for a rehearsal server.
            pulse: What the heartbeats show.
            was_empty: An earlier attempt at the call ended without a word. Some endpoints put what a schema binds
                where the thinking belongs, so the schema is left out.
            deliberation: The one that the call belongs to, for a rehearsal server.

        Raises:
            ProviderError: there is no answer.
        """
        ask = partial(converse, client, call, provider, key, call_key=call_key, pulse=pulse, deliberation=deliberation)
        schema = None if was_empty else self._schema(call, provider)
        if schema is None:
            return await ask()
        try:
            return replace(await ask(schema=schema), asked_with_schema=True)
        except ProviderError as error:
            if not self._known.learn(provider, call.model, error):
                raise
        return await ask()

    def _schema(self, call: ModelCall, provider: Provider) -> ReplySchema | None:
        if not (call.sampling.structured_output and self._known.of(provider, call.model).has_schema):
            return None
        return reply_schema(call.read_as)
