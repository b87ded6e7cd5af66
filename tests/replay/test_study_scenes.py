"""Every shape of a study has its histories; ``test_replay`` replays them with all others."""

from tests.replay.record_studies import SCENES, histories_of


def test_every_scene_of_a_study_has_its_histories() -> None:
    """Batch, shard and budget of each scene are recorded."""
    kinds = {name: {history.partition("-")[0] for history in histories_of(name)} for name in SCENES}

    assert set(SCENES) == {name for name, found in kinds.items() if found == {"batch", "shard", "budget"}}
