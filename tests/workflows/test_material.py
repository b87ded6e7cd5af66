"""Attached files and a search of the web in every protocol, from its specification alone."""

from pathlib import Path

import pytest
from temporalio.testing import WorkflowEnvironment

from parley.specs import PROTOCOLS
from protocols.model_call import ModelCall
from tests.fakes.files import png, written
from tests.fakes.specified import scripted_reply, specified
from tests.workflows import holding

every_protocol = pytest.mark.parametrize("name", PROTOCOLS)


def files(call: ModelCall) -> list[str]:
    """Return the names of the files that a call shows, of all its messages."""
    return [one.name for message in call.messages for one in message.attachments]


@every_protocol
async def test_all_who_answer_review_or_conclude_are_shown_the_files(
    env: WorkflowEnvironment, name: str, tmp_path: Path
) -> None:
    """Each once and in their order, before the question; seats that are asked about turns alone are shown none."""
    paths = [written(tmp_path, "notes.txt", b"Our notes."), written(tmp_path, "chart.png", png())]
    inp = specified(name, attach=paths)
    result, models = await holding.hold(env, PROTOCOLS[name].workflow.run, inp, scripted_reply)

    blind = PROTOCOLS[name].without_files(inp)
    shown = {(call.participant in blind, tuple(files(call))) for call in models.calls}
    assert shown <= {(False, ("notes.txt", "chart.png")), (True, ())}
    assert (False, ("notes.txt", "chart.png")) in shown
    assert inp.attachments == result.attachments


@every_protocol
async def test_those_who_answer_search_the_web_where_it_is_asked_for(env: WorkflowEnvironment, name: str) -> None:
    """The calls that answer the question, of all seats but the one that concludes; without the option none."""
    inp = specified(name, web=True)
    _, models = await holding.hold(env, PROTOCOLS[name].workflow.run, inp, scripted_reply)

    answering = inp.ANSWER_READERS
    concluding = inp.panel.chair.id
    expected = [call.read_as.reader in answering and call.participant != concluding for call in models.calls]
    assert expected == [call.web for call in models.calls]
    assert any(expected)
