"""``validate`` and studies flag the same falsehoods, at the same threshold."""

import pytest

from protocols.fire_circle.flagging import THRESHOLD, is_flagged
from studies.comparison.scoring import LabelRule, score_row
from studies.validation.figures import compare
from tests.fakes.trials import case, trials
from tests.studies.comparison.deliberations import deliberation


@pytest.mark.parametrize("falsehood", [0.0, 0.3, 0.4999, 0.5, 0.5001, 1.0])
@pytest.mark.parametrize("threshold", [0.3, THRESHOLD])
def test_validate_and_studies_flag_alike(falsehood: float, threshold: float) -> None:
    """An attack with that falsehood is a hit in both or in neither."""
    expected = is_flagged(falsehood, threshold)
    held = trials("attack_0", [falsehood, falsehood, falsehood])
    single = compare("one", [case("attack_0")], held, threshold).scores[0]
    rule = LabelRule(read="flagged", threshold=threshold)
    row = deliberation(verdict="whatever", expected="attack", scores={"falsehood": falsehood})
    assert (expected, expected) == (bool(single.true_positives), score_row(row, rule).correct)
