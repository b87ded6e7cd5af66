"""What a firing of a schedule is called."""

import pytest

from protocols.study.scheduled import LONGEST_NAME, firing_name


@pytest.mark.parametrize(
    ("workflow_id", "name"),
    [
        ("nightly/firing-2026-05-01T03:00:00Z", "nightly-20260501-030000"),
        ("nightly/firing", None),
        ("nightly/firing-2026-05-01T03:00:00Z/more", None),
    ],
)
def test_a_firing_is_called_by_the_moment_in_its_id(workflow_id: str, name: str | None) -> None:
    """Temporal writes the moment behind the id of what a schedule starts; an id without one names nothing."""
    assert firing_name("nightly", workflow_id) == name


def test_the_longest_name_leaves_space_for_a_moment() -> None:
    """What a firing is called is a study's name, too: 60 characters at the most."""
    name = firing_name("n" * LONGEST_NAME, "x-2026-05-01T03:00:00Z")

    assert name is not None
    assert len(name) == 60
