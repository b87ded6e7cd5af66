"""The work of ``parley panels check``: the models of a panel, of a list, or of a study's arms."""

from parley.catalogue import Providers
from parley.errors import RequestError
from parley.options.roles import Seat, written_seats
from parley.panel_check import CheckedModel, check_panel, check_seats
from protocols.named_panel import DEFAULT
from runtime.settings import Settings
from studies.definition.files import read_study
from studies.definition.grid import arms_of


async def check_models(
    settings: Settings, panel: str | None, models: str | None, study: str | None
) -> tuple[dict[str, str], tuple[CheckedModel, ...]]:
    """Return the choice, under its name in a document, and the status of its models by the lists of the providers.

    Raises:
        RequestError: two are given, or the one that is given cannot be used.
    """
    given = {"panel": panel, "models": models, "study": study}
    named = {name: value for name, value in given.items() if value is not None} or {"panel": DEFAULT}
    if len(named) > 1:
        raise RequestError(f"{' and '.join(named)} are given, and one of them is checked; leave the others out")
    providers = Providers.of(settings)
    if models is not None:
        return named, await check_seats(providers, _listed(models))
    if study is not None:
        return named, await check_seats(providers, _of_arms(providers, study))
    return named, await check_panel(providers, named["panel"])


def _listed(models: str) -> list[tuple[str, Seat]]:
    try:
        seats = written_seats(models)
    except ValueError as error:
        raise RequestError(f"models: {error}") from None
    if not seats:
        raise RequestError(f"models is {models!r}, and there is nothing to check; name models: --models a/b,c/d")
    return [(f"models p{number}", seat) for number, seat in enumerate(seats, 1)]


def _of_arms(providers: Providers, path: str) -> list[tuple[str, Seat]]:
    """Return the seats of every arm, in a rehearsal with the models that it replaces."""
    real = read_study(path).model_copy(update={"rehearse": False})
    arms = arms_of(real, providers.panels)
    asked = ((arm, arm.panel.everyone if arm.options.INPUT.HAS_CHAIR else arm.panel.participants) for arm in arms)
    return [(f"{arm.name} {seat.id}", seat.written) for arm, seats in asked for seat in seats]
