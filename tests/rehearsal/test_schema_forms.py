"""What scripted models make of a JSON schema, on the wire of every dialect."""

import json
from typing import Any

import pytest

from activities.reply_schemas import reply_schema
from protocols.model_call import ReaderRef
from rehearsal.api.server import Rehearsal
from rehearsal.models.schema_forms import FORMS, conforming
from tests.rehearsal.listening import QUESTION, Heard, ask

REFUSED = {
    "openrouter": (404, "No endpoints found that can handle the requested parameters.", None),
    "cerebras": (400, "response_format", "response_format"),
    "generic": (400, "response_format", "response_format"),
}
SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}
FORM = {"type": "json_schema", "json_schema": {"name": "answer", "strict": True, "schema": SCHEMA}}


async def asked(stage: Rehearsal, name: str, dialect: str = "openrouter", **more: Any) -> Heard:
    """What a scripted model of that name answers to a request with a schema."""
    return await ask(stage.url, f"lab/one+{name}", dialect=dialect, response_format=FORM, **more)


def said(heard: Heard) -> dict[str, Any]:
    """The message of a whole answer."""
    message: dict[str, Any] = heard.json["choices"][0]["message"]
    return message


async def test_an_obedient_model_writes_the_object(stage: Rehearsal) -> None:
    """The reply has the fields of the schema and no others; without a schema it is what the model states anyway."""
    bound = said(await asked(stage, "schema-obeys"))["content"]
    free = said(await ask(stage.url, "lab/one+schema-obeys"))["content"]
    assert {"answer": free} == json.loads(bound)


@pytest.mark.parametrize("dialect", REFUSED)
async def test_each_dialect_refuses_in_its_own_words(stage: Rehearsal, dialect: str) -> None:
    """The refusal names the parameter, as the provider does; a request without a schema is answered."""
    status, words, parameter = REFUSED[dialect]
    heard = await asked(stage, "schema-refuses", dialect)
    error = heard.json.get("error", heard.json)
    assert (status, parameter) == (heard.status, error.get("param"))
    assert words in error["message"]
    assert 200 == (await ask(stage.url, "lab/one+schema-refuses", dialect=dialect)).status


async def test_a_refusal_of_the_schema_is_not_billed(stage: Rehearsal) -> None:
    """The ledger has the arrival with its schema, refused, and no bill for it."""
    await asked(stage, "schema-refuses")
    (arrival,) = stage.ledger.arrivals
    assert (True, "no-schema", "refused") == (arrival.has_schema, arrival.fault, arrival.outcome)
    assert 0 == stage.ledger.usd


async def test_a_plain_model_ignores_the_schema(stage: Rehearsal) -> None:
    """An endpoint that does not know the parameter answers as if it were not there."""
    free = said(await ask(stage.url, "lab/one"))["content"]
    assert [free, free] == [said(await asked(stage, name))["content"] for name in ("plain", "schema-ignores")]


async def test_a_cut_object_is_whole_with_a_limit_of_its_own(stage: Rehearsal) -> None:
    """Cut off by its length unless the request says how long the reply may be."""
    cut, whole = await asked(stage, "schema-cuts"), await asked(stage, "schema-cuts", max_completion_tokens=5000)
    assert "length" == cut.json["choices"][0]["finish_reason"]
    assert "{" == said(cut)["content"][0]
    assert "}" != said(cut)["content"][-1]
    assert {"answer"} == json.loads(said(whole)["content"]).keys()


async def test_the_object_may_be_broken_misfiled_or_declined(stage: Rehearsal) -> None:
    """Half an object that claims to be whole; an object as reasoning; a refusal in the provider's field."""
    broken, hidden, declined = [await asked(stage, f"schema-{name}") for name in ("breaks", "hides", "declines")]
    assert "stop" == broken.json["choices"][0]["finish_reason"]
    assert "}" not in said(broken)["content"]
    assert ("", {"answer"}) == (said(hidden)["content"], json.loads(said(hidden)["reasoning"]).keys())
    assert (None, True) == (said(declined)["content"], "can't help" in said(declined)["refusal"])


@pytest.mark.parametrize("form", [form.name for form in FORMS])
def test_every_name_states_that_it_is_about_a_schema(form: str) -> None:
    """The rehearsal's entry in the catalogue knows by the name which scripted models are sent a schema."""
    assert form.startswith("schema-")


def test_what_a_value_lacks_is_the_emptiest_of_its_type() -> None:
    """A reply is filled up to its schema, keeps what fits, and drops what the schema does not know."""
    schema = reply_schema(ReaderRef(reader="council.ballot", needs={"labels": ["Response A"], "nonce": "abc"}))
    assert schema is not None
    told = {"ranking": ["Response A", "Response Z"], "mood": "fine"}
    expected = {"evaluation": "", "ranking": ["Response A", "Response A"], "code": "abc"}
    assert expected == conforming(schema.json_schema, told)
    assert QUESTION == conforming({"type": "string"}, QUESTION)
