"""The Web UI's panel: progress as Markdown that what people and models wrote cannot get out of."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocols.model_call import ModelId, ParticipantId, Spending
from protocols.progress import Progress, Seat, StageBar
from protocols.tables import Column, Table, columns, notes, rows
from workflows.web_ui_details import block, narrow, prose, render, table, text_of


def seat(person: str, stage: str, status: str = "answered", note: str = "") -> Seat:
    """How one participant is in one stage."""
    return Seat.model_validate(
        {"participant": person, "model": f"openrouter:maker/{person}", "stage": stage, "status": status, "note": note}
    )


HALF_WAY = Progress(
    protocol="council",
    title="sky",
    stage="review",
    stages=(
        StageBar(name="opinion", status="completed", done=2, of=2),
        StageBar(name="review", status="running", of=1),
        StageBar(name="synthesis"),
    ),
    earlier=(seat("p1", "opinion"), seat("p2", "opinion", "lost", "lost (timeout): silent")),
    seats=(seat("p1", "review", "running"),),
    spent=Spending(calls=2, prompt_tokens=1000, completion_tokens=234, usd=0.5, calls_of_unknown_cost=1),
)


def test_participants_stand_by_stages() -> None:
    """One row per participant, one column per stage, and the reason where one was lost."""
    shown = render(HALF_WAY, "Why?")

    assert "        opinion 2/2  review 0/1  synthesis ·\np1  p1  ✓            …\np2  p2  ✗\n" in shown
    assert "\n\np2, opinion: lost (timeout): silent\n" in shown


def test_what_was_spent_states_what_is_unknown() -> None:
    """A cost that is a lower bound is shown as one."""
    assert "2 calls, 1,234 tokens, $0.5000 and the unknown cost of 1 call" in render(HALF_WAY, "Why?")


def test_a_rehearsal_is_labelled() -> None:
    """Scripted models are named as such where a user looks first."""
    assert "**Rehearsal**" in render(HALF_WAY.model_copy(update={"rehearsal": True}), "Why?")


def test_an_ended_deliberation_shows_its_verdict() -> None:
    """The verdict is at the end of the panel, in a block of its own."""
    ended = HALF_WAY.model_copy(update={"stop_reason": "verdict"})

    assert render(ended, "Why?", verdict="Because.").endswith("### Verdict\n> Because.")


def test_a_wait_for_a_person_stands_above_the_question() -> None:
    """The details of a deliberation that waits for a user show that first, and until when."""
    waiting = HALF_WAY.model_copy(update={"waits_for": "a person: escalation until 2026-01-02 03:04 UTC"})
    shown = render(waiting, "Why?")

    assert "### Waits for\n```text\na person: escalation until 2026-01-02 03:04 UTC\n```\n\n```text\nWhy?" in shown


def test_who_waits_for_models_alone_has_no_such_part() -> None:
    """A deliberation that continues by itself says nothing of waiting."""
    assert "Waits for" not in render(HALF_WAY, "Why?")


@given(st.text())
def test_no_text_gets_out_of_its_block(text: str) -> None:
    """Whatever was written, the block ends where the panel ends it."""
    assert 2 == block(text).count("```")
    assert block(text).endswith("\n```")


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=3000))
def test_prose_is_broken_where_the_panel_would_cut_it(text: str) -> None:
    """No line of a text is wider than the panel."""
    assert all(len(line) <= 66 for line in prose(text).splitlines())


def test_a_long_text_is_cut_and_states_so() -> None:
    """The panel shows the beginning of a text and how much is left out."""
    assert "[… 96000 more characters]" in block("x" * 100_000)


def test_a_table_is_aligned() -> None:
    """Columns are as wide as their widest cell."""
    assert "a    b\nccc  d" == table([("a", "b"), ("ccc", "d")])


GENERATOR = ParticipantId("generator")
LOOPING = Progress(
    protocol="consensus",
    title="sky",
    round=2,
    rounds=50,
    stage="consensus_check",
    phase="VALIDATE",
    stages=(
        StageBar(name="generator", status="completed", done=1, of=1),
        StageBar(name="consensus_check", status="running", done=1, of=2),
        StageBar(name="curator"),
    ),
    earlier=(Seat(participant=GENERATOR, model=ModelId("lab:a/b"), stage="generator", status="answered"),),
    seats=(
        Seat(participant=GENERATOR, model=ModelId("lab:a/b"), stage="consensus_check", status="answered"),
        Seat(participant=ParticipantId("refiner"), model=ModelId("lab:c/d"), stage="consensus_check", status="running"),
    ),
    findings="round  generator\n1      ACCEPT",
)


def test_a_loop_shows_its_round_and_a_row_for_each_stage() -> None:
    """The heading says which round of how many, and each stage has its mark, its seats' marks and its model."""
    shown = render(LOOPING, "Why?", draft="As it stands.")

    assert shown.startswith("### Consensus: round 2 of at most 50, VALIDATE")
    assert "✓  generator        ✓   b\n…  consensus_check  ✓…\n·  curator" in shown
    assert "### Draft\n> As it stands." in shown


def test_a_narrow_table_breaks_no_name() -> None:
    """Of the models in a last cell none is divided at a hyphen of its name."""
    models = ", ".join(["gpt-5.2", "gemini-3-flash-preview", "rehearsal:zai-glm-4.7", "claude-opus-4.6-thinking"] * 3)
    shown = narrow([("arm", "models"), ("council", models)])

    assert [word for line in shown.splitlines()[1:] for word in line.split() if word != "council"] == models.split()


def test_a_narrow_table_breaks_its_last_cells() -> None:
    """Where the panel would cut a line, the last cell continues below itself; no line is wider than the panel."""
    rows = [("Agent", "Key Point"), ("p1", "Close the centre in steps, and begin with the streets around the market.")]
    heading, first, second = narrow(rows).splitlines()

    assert ("Agent  Key Point", "p1     Close") == (heading, first[:12])
    assert second.startswith("       ")
    assert 66 >= max(map(len, (heading, first, second)))


LAYERS = Table(
    title="Layers",
    columns=(*columns("layer", "model"), Column("examples", least="page")),
    rows=rows((str(number), "maker/one", "long") for number in range(1, 14)),
    notes=notes("one was lost"),
)


def test_a_table_has_the_columns_of_the_panel_and_its_notes() -> None:
    """Columns of wider media are left out, a model has no maker, and the notes are below."""
    first, second, *_, last = text_of(LAYERS).splitlines()
    assert ("layer  model", "1      one", "one was lost") == (first, second, last)


def test_a_table_without_columns_is_its_notes() -> None:
    """Where nothing could be counted there are no rows, and the reason is shown alone."""
    assert "no ballot was counted" == text_of(Table(notes=notes("no ballot was counted")))


@pytest.mark.parametrize(("latest", "first"), [(None, "1      one"), (13, "1      one"), (12, "(1)"), (1, "(12)")])
def test_of_many_rows_the_latest_are_shown(latest: int | None, first: str) -> None:
    """Above the latest rows is the number of those before them."""
    lines = text_of(LAYERS, latest=latest).splitlines()
    assert first == lines[1]
    assert "13     one" == lines[-2]
