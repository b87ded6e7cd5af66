"""Estimates of deliberations with the models that the specifications name, where a test names none."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from parley.call_plans import PlannedCalls, Range
from parley.estimates import Estimate, Price, estimate_calls
from parley.specs import PROTOCOLS


class Planned(NamedTuple):
    """A deliberation that is estimated: its protocol, its models and its options."""

    protocol: str
    models: Sequence[str] = ()
    options: dict[str, Any] = {}  # noqa: RUF012 - never changed
    prompt: Range | None = None

    def calls(self) -> list[PlannedCalls]:
        """Return its planned calls."""
        spec = PROTOCOLS[self.protocol]
        options = spec.options.of({**self._seats(), **self.options})
        return spec.plan(options, options.seated(), self.prompt)

    def estimate(self, price: Price, *, clarify: bool = True) -> Estimate:
        """Return its cost at ``price``."""
        return estimate_calls(self.protocol, self.calls(), price, clarify=clarify)

    def _seats(self) -> dict[str, Any]:
        roles = PROTOCOLS[self.protocol].options.SEATED_BY
        if not self.models:
            return {"panel": "seed"}
        return {roles[0]: self.models} if len(roles) == 1 else dict(zip(roles, self.models, strict=True))
