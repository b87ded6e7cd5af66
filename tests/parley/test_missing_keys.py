from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from parley.options.ask import Options
from parley.options.consensus import ConsensusOptions
from parley.options.council import CouncilOptions
from parley.options.debate import DebateOptions
from parley.options.equal_cost import MixtureOptions, VoteOptions
from parley.options.fire_circle import FireCircleOptions
from starter.cli import parley
from starter.handlers.preparation import leaving_out


@pytest.mark.parametrize(
    ("options", "given", "expected"),
    [
        (CouncilOptions, {"models": ["a/1", "b/2", "gpt-oss-120b"]}, "--models a/1,b/2"),
        (
            CouncilOptions,
            {"models": ["gpt-oss-120b", "a/1", "b/2"], "chair": "zai-glm-4.7"},
            "--models a/1,b/2 --chair a/1",
        ),
        (
            CouncilOptions,
            {"models": ["a/1", "b/2"], "chair_fallbacks": ["c/3", "gpt-oss-120b"]},
            "--chair-fallbacks c/3",
        ),
        (CouncilOptions, {"models": ["a/1", "gpt-oss-120b"]}, None),
        (DebateOptions, {"agents": ["a/1", "b/2"], "evaluator": "gpt-oss-120b"}, "--evaluator a/1"),
        (FireCircleOptions, {"models": ["gpt-oss-120b", "a/1", "b/2"]}, "--models a/1,b/2"),
        (MixtureOptions, {"models": ["a/1", "b/2"], "aggregator": "gpt-oss-120b"}, "--aggregator a/1"),
        (
            ConsensusOptions,
            {"generator": "a/1", "refiner": "b/2", "validator": "c/3", "curator": "gpt-oss-120b"},
            "--curator a/1",
        ),
        (ConsensusOptions, {"generator": "gpt-oss-120b"}, None),
        (VoteOptions, {"models": ["gpt-oss-120b"]}, None),
        (VoteOptions, {"models": ["gpt-oss-120b", "a/1", "b/2"]}, "--models a/1,b/2"),
        (
            CouncilOptions,
            {"panel": "seed"},
            "--models anthropic/claude-opus-4.6,google/gemini-3-flash-preview,x-ai/grok-4.1-fast",
        ),
    ],
)
def test_the_options_without_a_providers_models_are_spelled_out(
    options: type[Options], given: dict[str, Any], expected: str | None
) -> None:
    """The whole line is there, ready to be copied, as long as enough models are left."""
    assert expected == leaving_out(options.of(given), ["cerebras"])


def test_a_missing_key_comes_with_every_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Set the variable, leave the seat out, take another panel, rehearse, or start without looking: all with names."""
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-canary-000000")
    said = CliRunner().invoke(parley, ["council", "why", "--panel", "seed"]).stderr
    for way in (
        "CEREBRAS_API_KEY=…",
        "--models anthropic/claude-opus-4.6,google/gemini-3-flash-preview,x-ai/grok-4.1-fast",
        "--panel default or --panel small",
        "--rehearse",
        "--no-key-check",
    ):
        assert way in said
    assert "canary" not in said


def test_a_panel_is_proposed_only_when_its_keys_are_here() -> None:
    """Without any key no shipped panel helps, and none is proposed."""
    said = CliRunner().invoke(parley, ["council", "why"]).stderr
    assert "OPENROUTER_API_KEY=…" in said
    assert "--panel default" not in said


def test_a_study_names_its_panel_in_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A study gets the lines for its file, not options that it does not take."""
    monkeypatch.setenv("OPENROUTER_API_KEY", "sk-or-canary-000000")
    (tmp_path / "q.csv").write_text("question\nWhy?\n")
    (tmp_path / "study.toml").write_text(
        'name = "s"\n[dataset]\npath = "q.csv"\n[[arms]]\nprotocol = "council"\npanel = "seed"\n'
    )
    said = CliRunner().invoke(parley, ["batch", "run", "study.toml"]).stderr
    assert "leave its models out of [panels] in the study file" in said
    assert 'panel = "default" or panel = "small"' in said
    assert "--panel" not in said
