"""Labels, and names that would tell who wrote an answer."""

from string import ascii_uppercase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from protocols import anonymity
from protocols.anonymity import NEUTRAL, Labels, assign_labels, hide_names, label, self_names
from protocols.model_call import ModelId, ParticipantId

OWN = self_names([ModelId("openrouter:anthropic/claude-opus-4.6"), ModelId("cerebras:zai-glm-4.7")])


def seats(count: int) -> list[ParticipantId]:
    """The first ``count`` seats."""
    return [ParticipantId(f"p{n}") for n in range(1, count + 1)]


orders = st.integers(1, 26).flatmap(lambda n: st.permutations(range(n)))


def test_anonymized_ranking() -> None:
    """Four answers are shown as Response A to D, mapped back to their authors (seed 002, "Anonymized Ranking")."""
    labels = assign_labels(seats(4), [2, 0, 3, 1])
    assert labels.names == ("Response A", "Response B", "Response C", "Response D")
    assert {name: labels.author(name) for name in labels.names} == {
        "Response A": "p3",
        "Response B": "p1",
        "Response C": "p4",
        "Response D": "p2",
    }


@given(orders)
def test_dealing_is_a_bijection(order: list[int]) -> None:
    """Every author has one label, every label one author, and either leads back to the other."""
    authors = seats(len(order))
    labels = assign_labels(authors, order)
    assert sorted(labels.authors) == sorted(authors)
    assert [labels.of(labels.author(name)) for name in labels.names] == list(labels.names)


@pytest.mark.parametrize("order", [[0], [0, 0], [1, 2], [0, 1, 2]])
def test_an_order_that_is_no_permutation_is_refused(order: list[int]) -> None:
    """No one goes without a label and no one has two."""
    with pytest.raises(ValueError, match="no permutation of 2 positions"):
        assign_labels(seats(2), order)


def test_labels_end_with_the_alphabet() -> None:
    """There are twenty-six labels and no twenty-seventh."""
    assert [label(n)[-1] for n in range(26)] == list(ascii_uppercase)
    with pytest.raises(IndexError):
        label(26)


def test_an_unknown_label_or_author_is_refused() -> None:
    """A label that was not assigned has no author, and who has no answer has no label."""
    labels = Labels(authors=(ParticipantId("p1"),))
    with pytest.raises(KeyError):
        labels.author("Response B")
    with pytest.raises(ValueError, match="not in tuple"):
        labels.of(ParticipantId("p2"))


def test_own_names_are_reported_by_digits_and_joints() -> None:
    """Names that may be plain words are not hunted for; the longest name comes first."""
    models = [
        ModelId(m)
        for m in ("openrouter:openai/o3", "ollama:mistral", "ollama:qwen3:8b", "x:gpt-oss-120b", "o:command-r")
    ]
    assert self_names(models) == ("gpt-oss-120b", "openai/o3", "qwen3:8b", "qwen3")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("As Claude, I disagree.", f"As {NEUTRAL}, I disagree."),
        ("Well, as GPT-4o I know.", f"Well, as {NEUTRAL} I know."),
        ("Here as Gemini, I see.", f"Here as {NEUTRAL}, I see."),
        ("I am Claude.", f"I am {NEUTRAL}."),
        ("I’m ChatGPT!", f"I’m {NEUTRAL}!"),
        ("I'm called Grok 4.1 Fast, hi", f"I'm called {NEUTRAL}, hi"),
        ("My name is Claude 3.5 Sonnet.", f"My name is {NEUTRAL}."),
        ("Speaking as Llama 3.3 here.", f"Speaking as {NEUTRAL} here."),
        ("I am a model made by OpenAI.", "I am a model made by its maker."),
        ("As an AI assistant trained by Google DeepMind, I", "As an AI assistant trained by its maker, I"),
        ("I am an assistant from Anthropic.", "I am an assistant from its maker."),
        ("claude-opus-4.6 says no", f"{NEUTRAL} says no"),
        ("I, Claude Opus 4.6, say no", f"I, {NEUTRAL}, say no"),
        ("(anthropic/claude-opus-4.6)", f"({NEUTRAL})"),
        ("ZAI-GLM-4.7: yes", f"{NEUTRAL}: yes"),
        ("As Cl\u200baude, I disagree.", f"As {NEUTRAL}, I disagree."),
        ("cl\u00adaude-opus-4.6 is me", f"{NEUTRAL} is me"),
    ],
)
def test_a_model_that_names_itself_is_hidden(text: str, shown: str) -> None:
    """A model's naming of itself, of its maker or of its own id is replaced, and found."""
    found = hide_names(text, OWN)
    assert found[0] == shown
    assert len(found[1]) == 1


@pytest.mark.parametrize(
    "text",
    [
        "Models such as Claude, GPT-4 and Gemini answer alike.",
        "It is as good as Claude and as well known as Gemini.",
        "This is Nova Scotia, and the twins are called Gemini.",
        "ChatGPT was developed by OpenAI; Windows was created by Microsoft.",
        "As a test it was made by Meta-analysis.",
        "The mistral is a wind; as Bardolatry has it, as phishing goes.",
        "not-claude-opus-4.6 and claude-opus-4.65 and x/claude-opus-4.6-mini are others",
        "Zero\u200bwidth and 👩\u200d💻 stay.",
        "",
    ],
)
def test_a_text_about_models_stays_as_it_is(text: str) -> None:
    """An answer may be about a model, a maker or the wind."""
    assert hide_names(text, OWN) == (text, ())


def test_everything_found_is_reported_in_the_order_of_the_search() -> None:
    """Families first, then makers, then the panel's own names, each as it was."""
    _, found = hide_names("zai-glm-4.7: As Claude, I was trained by Meta AI.", OWN)
    assert found == ("Claude", "Meta AI", "zai-glm-4.7")


names = st.sampled_from(["As Claude, ", "claude-opus-4.6 ", "I am GPT 4", " by OpenAI ", "\u200b", "as ", " "])


def test_a_model_and_its_family_are_one_kind() -> None:
    """A text that names a panel's model and its family is about no other model, so that the model's name is hidden."""
    assert hide_names("claude-opus-4.6 is right, and Claude models are quick.", OWN)[0].startswith(NEUTRAL)
    assert hide_names("claude-opus-4.6 is right, and Gemini models are quick.", OWN)[1] == ()


@given(st.lists(names | st.text(max_size=5), max_size=15).map("".join))
@example("claude-opus-4.6 I am GPT 4claude-opus-4.6 As Claude, ")
def test_no_own_name_is_left_and_nothing_is_left_to_hide(text: str) -> None:
    """What was hidden stays hidden: a second pass finds no own name."""
    shown, _ = hide_names(text, OWN)
    assert not set(hide_names(shown, OWN)[1]) & set(OWN)


names = st.sampled_from(
    [
        *(
            "Claude",
            "claude-opus-4.6",
            "Claude Opuſ 4.6",
            "\N{KELVIN SIGN}imi",
            "Gem\u200bini",
            "GPT4",
            "Z.ai",
            "Command R",
        ),
        *("metadata", "x-ai/grok-4", "This is ", "I am ", "made by ", " ", ". ", "—", "Müller-3", "4", "_", "é"),
    ]
)


@example("I am Claude", ())
@given(st.lists(names, max_size=8).map("".join), st.sampled_from([(), OWN, ("x-ai/grok-4", "Müller-3"), ("2024-12",)]))
def test_a_text_passed_over_has_no_name(text: str, own_names: tuple[str, ...]) -> None:
    """Texts in which no word of a name occurs are left at once; the search would have left them too."""
    at_once = hide_names(text, own_names)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(anonymity, "_names_nothing", lambda _text, _names: False)
        assert at_once == hide_names(text, own_names)
