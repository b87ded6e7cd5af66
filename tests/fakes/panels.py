"""A panel of three seats with settings of their own, for every protocol."""

from typing import Any

from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import Means
from protocols.named_panel import NamedPanel, PanelLibrary
from tests.fakes.specified import PRICE, QUESTION

SEATS: tuple[dict[str, Any], ...] = (
    {
        "models": ["lab/one", "lab/spare"],
        "name": "Sceptic",
        "system": "Doubt every claim.",
        "temperature": 0.1,
        "provider": {"order": ["first-host"], "data_collection": "deny"},
    },
    {"model": "lab/two", "system": "Look for what is left out.", "temperature": 0.7, "stop": ["THE END"], "seed": 7},
    {"model": "lab/three", "system": "Be brief.", "top_p": 0.5, "max_tokens": 900, "extra_body": {"top_k": 40}},
)
LIBRARY = PanelLibrary(
    panels={"three": NamedPanel.model_validate({"models": SEATS, "chair": SEATS[2] | {"name": "Closer"}})}
)


def seated(name: str, **options: Any) -> Any:
    """Return the argument of a protocol's workflow with the three seats."""
    spec = PROTOCOLS[name]
    given = {"panel": "three", "rehearse": True, **spec.study_options, **options}
    means = Means(queues={}, private=False, salt="", token_price=lambda _: PRICE)
    return spec.to_input(spec.options.of(given, LIBRARY), {spec.question_keys[-1]: QUESTION}, means)
