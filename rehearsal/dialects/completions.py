"""A finished answer before it takes a provider's shape: the text, the tokens and the price.

Tokens are a quarter of the characters, prices are rolled per model. Both are invented, but they are the same on every
run, so totals can be checked to the last digit.
"""

from dataclasses import dataclass, replace
from hashlib import sha256

from rehearsal.models.replies import Finish, Reply
from rehearsal.models.seeded import pick

EPOCH = 1_790_000_000
"""Every answer's ``created``: a fixed day, so that a rehearsed body never depends on a clock."""

_UPSTREAMS = ("Anthropic", "Together", "DeepInfra", "Fireworks", "Novita")
_PRICES = ((0.25, 1.25), (0.5, 1.5), (1.0, 4.0), (3.0, 15.0), (5.0, 25.0))


@dataclass(frozen=True)
class Completion:
    """One answer with everything that any dialect reports about it."""

    id: str
    model: str
    """The name of the model in the reply; usually the requested one."""
    upstream: str
    """Who ran it behind a router."""
    said: Reply
    prompt_tokens: int
    completion_tokens: int
    reasoning_tokens: int
    prompt_usd: float
    completion_usd: float
    is_byok: bool = False
    search_usd: float = 0.0
    """The price of a search of the web."""

    @property
    def usd(self) -> float:
        """Return the cost of the answer in US dollars."""
        return round(self.prompt_usd + self.completion_usd + self.search_usd, 10)


def complete(
    seed: int,
    model: str,
    said: Reply,
    *,
    prompt_chars: int,
    identity: str,
    limit: int | None = None,
    search_usd: float = 0.0,
) -> Completion:
    """Count and price what was ``said``; a text longer than ``limit`` tokens is cut with finish ``length``.

    ``identity`` names the arrival; the answer's id follows from it.
    """
    said = _within(said, limit)
    reasoning = tokens(said.reasoning or "")
    known_prompt, known_completion = said.tokens
    estimate = tokens(said.text or said.refusal or "") + reasoning
    answered = estimate if known_completion is None else known_completion
    prompt = max(1, prompt_chars // 4) if known_prompt is None else known_prompt
    price_in, price_out = pick(_PRICES, seed, "price", model)
    digest = sha256(f"{seed}\x1f{identity}".encode("utf-8", "surrogatepass")).hexdigest()
    return Completion(
        id=f"gen-{EPOCH}-{digest[:20]}",
        model=model,
        upstream=pick(_UPSTREAMS, seed, "upstream", model),
        said=said,
        prompt_tokens=prompt,
        completion_tokens=answered,
        reasoning_tokens=reasoning,
        prompt_usd=prompt * price_in / 1e6,
        completion_usd=answered * price_out / 1e6,
        search_usd=search_usd,
    )


def tokens(text: str) -> int:
    """Estimate the tokens of ``text``: a quarter of its characters, at least one unless empty."""
    return -(-len(text) // 4)


def _within(said: Reply, limit: int | None) -> Reply:
    if limit is None or said.text is None or tokens(said.text) <= limit:
        return said
    finish: Finish = "length"
    return replace(said, text=said.text[: limit * 4], finish=finish, tokens=(None, None))
