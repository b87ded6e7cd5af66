"""Which seats can take the attached files."""

from pathlib import Path
from typing import Any

import pytest

from parley.catalogue import Providers
from parley.errors import RequestError
from parley.seat_abilities import refuse_unable_seats
from parley.specs import PROTOCOLS
from parley.specs.protocol_spec import Means
from tests.fakes.files import png, written
from tests.fakes.listed_models import listing_providers as providers


def refuse(known: Providers, protocol: str, files: list[Path], **options: Any) -> None:
    """Check the files of a deliberation."""
    spec = PROTOCOLS[protocol]
    chosen = spec.options.of({"attach": files, **options})
    inp = spec.to_input(chosen, {spec.question_keys[-1]: "Why?"}, Means(queues={}, private=False, salt=""))
    refuse_unable_seats(known, spec, inp)


def test_an_image_is_refused_for_a_model_that_takes_none(tmp_path: Path) -> None:
    """The list decides; the sentence names model, seat, file and remedy."""
    known, image = providers(tmp_path), written(tmp_path, "chart.png", png())

    refuse(known, "council", [image], models=["see/all"], chair="see/all")
    with pytest.raises(RequestError) as refused:
        refuse(known, "council", [image], models=["see/all", "read/only"], chair="see/all")
    assert str(refused.value) == (
        "'openrouter:read/only' (seat p2) takes no images, and 'chart.png' is one; name a model that does, or leave "
        "'chart.png' out"
    )


def test_an_image_is_refused_for_a_model_of_which_nothing_is_known(tmp_path: Path) -> None:
    """A server that ignores an image would answer without having seen it; the providers file can say what is so."""
    known, image = providers(tmp_path), written(tmp_path, "chart.png", png())

    for model in ("says/nothing", "ollama:llava"):
        with pytest.raises(RequestError, match=r"it is not known whether .* image_input_models = \{"):
            refuse(known, "vote", [image], models=[model])


def test_the_providers_file_comes_before_the_list(tmp_path: Path) -> None:
    """For single models, with a pattern."""
    file = '[providers.ollama]\nbase_url = "http://127.0.0.1:11434/v1"\nimage_input_models = {"llava*" = true}\n'
    known, image = providers(tmp_path, file), written(tmp_path, "chart.png", png())

    refuse(known, "vote", [image], models=["ollama:llava:13b"])
    with pytest.raises(RequestError, match="seat p1"):
        refuse(known, "vote", [image], models=["ollama:qwen"])


def test_the_chair_and_those_in_reserve_are_shown_the_files_too(tmp_path: Path) -> None:
    """So they must be able to take them."""
    known, image = providers(tmp_path), written(tmp_path, "chart.png", png())

    for role, seat in (({"chair": "read/only"}, "chair"), ({"chair_fallbacks": ["read/only"]}, "chair, in reserve")):
        with pytest.raises(RequestError, match=rf"\(seat {seat}\)"):
            refuse(known, "council", [image], **{"models": ["see/all"], "chair": "see/all", **role})


def test_a_seat_that_is_shown_no_files_may_be_any_model(tmp_path: Path) -> None:
    """A debate's evaluator judges turns, and a circle's classifier names patterns."""
    known, image = providers(tmp_path), written(tmp_path, "chart.png", png())

    seats = {"agents": ["see/all", "see/all"], "synthesiser": "see/all", "allow_duplicates": True}
    refuse(known, "debate", [image], **seats, evaluator="read/only", summaries="llm", summariser="read/only")


def test_a_text_fits_every_model_with_space_for_it(tmp_path: Path) -> None:
    """What is longer than all that a model takes is refused, with both lengths."""
    known, text = providers(tmp_path), written(tmp_path, "notes.txt", b"word " * 60)

    refuse(known, "vote", [text], models=["see/all"])
    with pytest.raises(RequestError, match=r"about 1\d\d tokens, and 'openrouter:read/only' \(seat p1\) takes 100"):
        refuse(known, "vote", [text], models=["read/only"])


def test_scripted_models_take_images_unless_their_name_states_otherwise(tmp_path: Path) -> None:
    """So that a refusal can be rehearsed."""
    known, image = providers(tmp_path), written(tmp_path, "chart.png", png())

    refuse(known, "vote", [image], models=["a/b"], rehearse=True)
    with pytest.raises(RequestError, match="takes no images"):
        refuse(known, "vote", [image], models=["a/text-only"], rehearse=True)


def test_a_search_is_refused_for_a_model_that_is_not_of_openrouter(tmp_path: Path) -> None:
    """Of those that answer, by the option; of the seat that concludes, by its own setting alone."""
    known = providers(tmp_path)

    refuse(known, "council", [], models=["see/all"], chair="ollama:qwen", web=True)
    for seated in ({"models": ["ollama:qwen"], "chair": "see/all"}, {"models": ["see/all", "cerebras:gpt-oss-120b"]}):
        with pytest.raises(RequestError, match=r"cannot search the web: only OpenRouter has a plugin for it"):
            refuse(known, "council", [], **seated, web=True)


def test_an_effort_that_cerebras_does_not_have_is_refused(tmp_path: Path) -> None:
    """The seat's own, or the deliberation's where the seat has none; for its fallbacks as well."""
    known, fast = providers(tmp_path), "cerebras:gpt-oss-120b"

    refuse(known, "vote", [], models=[{"model": fast, "reasoning_effort": "low"}], reasoning_effort="minimal")
    for seat in (fast, {"models": ["see/all", fast]}):
        with pytest.raises(RequestError) as refused:
            refuse(known, "vote", [], models=[seat], reasoning_effort="minimal")
        assert str(refused.value) == (
            "seat 'p1': reasoning_effort is 'minimal', and Cerebras, where 'cerebras:gpt-oss-120b' is, has low, medium "
            "and high; give one of these, or name another model"
        )
