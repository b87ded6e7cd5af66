"""Presets of a vote: the names under which common numbers of models and samples are asked for."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from protocols.vote.model import MOST_SAMPLES

PresetName = Literal["single", "self-consistency", "majority"]


class Preset(NamedTuple):
    """The numbers of a vote that a name sets."""

    samples: int
    """Samples of each model when none are given."""
    most_samples: int
    has_one_model: bool

    def refusal(self, models: int, samples: int) -> str | None:
        """Return why these numbers are not this preset's; ``None`` when they are."""
        if self.has_one_model and models > 1:
            return f"it asks one model, and {models} are named; name one, or use majority or vote"
        if samples > self.most_samples:
            return f"it has {self.most_samples} sample of each model, got {samples}; use self-consistency or vote"
        return None


PRESETS: Mapping[PresetName, Preset] = {
    "single": Preset(samples=1, most_samples=1, has_one_model=True),
    "self-consistency": Preset(samples=5, most_samples=MOST_SAMPLES, has_one_model=True),
    "majority": Preset(samples=1, most_samples=1, has_one_model=False),
}
