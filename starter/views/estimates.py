"""The cost of a deliberation as a table, a row per model and a total, and the limits of providers in words."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from parley.call_plans import Range
from parley.catalogue import Providers
from parley.estimates import SEED_PRICES, Comparison, Dollars, Estimate, Limits, ModelEstimate, Total
from parley.specs import PROTOCOLS
from protocols.cost_text import limit
from protocols.panel import Panel, provider_of
from protocols.sources import SEARCH_USD
from protocols.tables import Cell, decimal
from runtime.rate_limits import QueueLimits
from starter.views.tables import plain

_MODEL_WIDTH = 60
_FURTHER = (
    "A turn whose reply cannot be read or is cut has one further call{chain}: {calls} calls on top, {dollars}. "
    "--no-clarify leaves {them} out."
)
_CHAIN = ", and each fallback may be asked after a reply that was paid"
_FALLBACKS = "{model} has fallbacks ({fallbacks}): the low end is its own, the high end that of the dearest."
_SEARCHES = (
    "Searches of the web: {searches}, ${usd} each, in the dollars. The pages they find are more tokens of the prompts, "
    "which are not estimated."
)


def estimates(estimate: Estimate, compared: Comparison | None, at_once: Sequence[str] = ()) -> RenderableType:
    """Return ranges from the shortest to the longest course, with the calls at once and ``compared`` below."""
    lines = [(Cell(line.model, width=_MODEL_WIDTH), *_cells(line)) for line in estimate.models]
    figures = ("calls", "tokens in", "tokens out", "dollars")
    table = plain(("model", *figures), [*lines, (Cell("all"), *_cells(estimate.total))], right=figures)
    return Group(table, *(Text(note, style="dim") for note in (*at_once, *_notes(estimate, compared))))


def tokens(span: Range) -> str:
    """Return a count from its low to its high end."""
    return f"{span.low:,}" if span.low == span.high else f"{span.low:,} – {span.high:,}"


def dollars(usd: Dollars | None) -> str:
    """Return the range of ``usd``: unknown, or at least so much, where prices are not known."""
    if usd is None:
        return "unknown"
    if usd.high is None:
        return f"at least ${decimal(usd.low, 4)}"
    return " – ".join(f"${decimal(end, 4)}" for end in dict.fromkeys((usd.low, usd.high)))


def without_price(models: int) -> str:
    """Return that so many models have no price."""
    return f"{models:,} {'model has' if models == 1 else 'models have'} no price"


def limits_of(providers: Providers, panels: Iterable[Panel]) -> Iterator[str]:
    """Yield the lines of ``provider_limits`` for the providers of an installation."""
    at_once = {line.name: line.max_concurrent for line in providers.lines() if line.max_concurrent}
    return provider_limits(providers.limited(), panels, at_once)


def provider_limits(
    limited: Mapping[str, QueueLimits], panels: Iterable[Panel], at_once: Mapping[str, int]
) -> Iterator[str]:
    """Yield a line for each rate that the server keeps for a provider of ``panels``, and its limit of calls at once."""
    asked = dict.fromkeys(provider_of(model) for panel in panels for model in panel.models)
    for name in asked:
        if name in limited:
            yield f"limited by {name}: {_rates(limited[name])}, for all workers together (parley limits)"
        if name in at_once:
            yield f"limited by {name}: {at_once[name]:,} at once in each worker (max_concurrent of the providers file)"


def _cells(line: ModelEstimate | Total) -> tuple[str, str, str, str]:
    return (tokens(line.calls), tokens(line.prompt_tokens), tokens(line.completion_tokens), dollars(line.usd))


def _notes(estimate: Estimate, compared: Comparison | None) -> list[str]:
    unknown = estimate.total.models_of_unknown_price
    notes = [f"{without_price(unknown)}; what they cost comes on top."] if unknown else []
    if estimate.searches.high:
        notes.append(_SEARCHES.format(searches=tokens(estimate.searches), usd=SEARCH_USD))
    has_fallbacks = [line for line in estimate.models if line.fallbacks]
    notes += [_FALLBACKS.format(model=line.model, fallbacks=", ".join(line.fallbacks)) for line in has_fallbacks]
    if estimate.further.calls.high:
        calls, usd = tokens(estimate.further.calls), dollars(estimate.further.usd)
        chain, them = (_CHAIN, "the former") if has_fallbacks else ("", "them")
        notes.append(_FURTHER.format(calls=calls, dollars=usd, chain=chain, them=them))
    if estimate.budget is not None:
        notes.append(_limited(estimate.budget))
    notes.append(PROTOCOLS[estimate.protocol].assumptions)
    if compared is not None:
        notes.append(_compared(compared))
    return notes


def _limited(limits: Limits) -> str:
    usd = [] if limits.usd is None else [limit(limits.usd)]
    count = [] if limits.tokens is None else [f"{limits.tokens:,} tokens"]
    then = "ends with the result so far" if limits.on_budget == "end" else "waits (parley budget)"
    return f"The budget is {' and '.join((*usd, *count))}: where the next calls may not fit, it {then}."


def _compared(compared: Comparison) -> str:
    models = ", ".join(name.rpartition("/")[2] for name in SEED_PRICES)
    return (
        f"For comparison, {models} at the prices of the fire circle's specification (October 2025): "
        f"single ${compared.single:.4f}, "
        f"parallel ${compared.parallel:.4f}, fire circle of three rounds ${compared.fire_circle:.4f}."
    )


def _rates(limits: QueueLimits) -> str:
    whole = f"{limits.per_second:g} requests a second" if limits.per_second is not None else ""
    each = f"{limits.per_key:g} requests a second of each model" if limits.per_key is not None else ""
    return " and ".join(filter(None, (whole, each)))
