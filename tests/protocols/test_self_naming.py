"""Names with which a text says who wrote it, in the languages of models, and names that it only speaks of."""

import pytest

from protocols.anonymity import NEUTRAL, TABLE, Subject, hide_names, self_names, subject_of
from protocols.model_call import ModelId

OWN = self_names(
    [ModelId(m) for m in ("openrouter:anthropic/claude-opus-4.6", "cerebras:zai-glm-4.7", "openrouter:openai/gpt-4o")]
)
COMPARED = "Which is better for code, Claude or GPT-4o?"

SAID = {
    "English": (
        "I am Claude.",
        "Grok here.",
        "Hi, Grok here! So",
        "This is Grok.",
        "As Llama 4 Maverick, I say",
        "My view as GPT-4o is",
        "— Claude",
    ),
    "German": (
        "Ich bin Claude.",
        "Als Claude kann ich sagen",
        "Ich heiße Grok 4.",
        "Ich bin ein KI-Modell namens Grok.",
    ),
    "French": ("Je suis Claude, un assistant", "En tant que Mistral, je", "Je m'appelle Claude."),
    "Spanish": ("Soy Claude.", "Como Gemini, creo", "Me llamo Grok."),
    "Portuguese": ("Eu sou o Gemini.", "Meu nome é Claude."),
    "Italian": ("Sono Claude.", "Mi chiamo Gemini."),
    "Dutch": ("Ik ben Claude.",),
    "Polish": ("Jestem Claude.",),
    "Russian": ("Я Claude.", "Меня зовут Claude.", "Я GigaChat."),
    "Turkish": ("Ben Claude.",),
    "Vietnamese": ("Tôi là Claude.",),
    "Indonesian": ("Saya adalah Claude.",),
    "Chinese": (
        "我是Claude，一个助手。",
        "作为Claude，我认为",
        "我叫DeepSeek-V3。",
        "我是一个名为Claude的助手",
        "我是通义千问。",
        "我叫文心一言。",
    ),
    "Japanese": ("私はClaudeです。",),
    "Korean": ("저는 Claude입니다.", "저는 챗GPT입니다."),
    "Arabic": ("أنا Claude.", "أنا كلود."),
}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.language)
def test_every_language_of_the_table_is_tried(row: object) -> None:
    """Each row hides the name in each of its sentences."""
    sentences = SAID[getattr(row, "language", "")]
    assert [hide_names(said, OWN)[0].count(NEUTRAL) for said in sentences] == [1] * len(sentences)


@pytest.mark.parametrize(
    "text",
    [
        "I am a fan of Claude.",
        "This is Claude's opinion, says the paper.",
        "Claude here means Claude Shannon.",
        "In his diary: I am Claude Monet, and I paint.",
        "Use it as GPT-4 would.",
        "Ich bin gegen Gemini.",
        "Claude Monet painted this; the river Meta is near.",
        "How Claude was trained by Anthropic matters.",
        "我认为Claude很好。",
        "Call Claude tomorrow.",
        "Take claude-opus-4.6, gpt-4o or zai-glm-4.7.",
    ],
)
def test_what_is_said_about_models_stays(text: str) -> None:
    """A name that is not the writer's own word for itself is left."""
    assert hide_names(text, OWN) == (text, ())


@pytest.mark.parametrize(
    "text", ["我是由Anthropic训练的AI助手。", "Ich wurde von OpenAI entwickelt.", "Soy un modelo creado por Google."]
)
def test_the_maker_is_hidden_too(text: str) -> None:
    """Who made the writer says who the writer is."""
    assert "its maker" in hide_names(text, OWN)[0]


def test_a_name_that_the_question_contains_is_left() -> None:
    """A question about models is answered in its own words; a name that it does not contain is hidden still."""
    subject = subject_of(COMPARED, OWN)
    text = "GPT-4o is fast, Claude Opus 4.6 careful. As Claude, I may be biased."
    assert subject == Subject(names=("claude", "gpt-4o"), is_about_models=True)
    assert hide_names(text, OWN, subject) == (text, ())
    assert hide_names("I am GLM-4.7, and zai-glm-4.7 is cheap.", OWN, subject) == (
        f"I am {NEUTRAL}, and zai-glm-4.7 is cheap.",
        ("GLM-4.7",),
    )


@pytest.mark.parametrize("question", ["Which LLM writes good code?", "Was kann ein Sprachmodell?", "大模型是什么？"])
def test_a_question_about_models_in_general_keeps_their_names(question: str) -> None:
    """Without a name in the question, an own name is hidden only where the model speaks of itself."""
    subject = subject_of(question, OWN)
    assert hide_names("claude-opus-4.6 does.", OWN, subject) == ("claude-opus-4.6 does.", ())
    assert hide_names("I am claude-opus-4.6.", OWN, subject)[1] == ("claude-opus-4.6",)


@pytest.mark.parametrize("question", ["Why is the sky blue?", "Who was Claude Shannon?"])
def test_an_own_name_is_hidden_wherever_it_stands_in_an_answer_about_something_else(question: str) -> None:
    """Where no one asked about models, the panel's own names tell who wrote an answer."""
    assert hide_names("Blue. (claude-opus-4.6)", OWN, subject_of(question, OWN))[1] == ("claude-opus-4.6",)


def test_a_text_that_names_models_without_end_has_them_hidden() -> None:
    """What is around a name is looked at a thousand times in one text; from then on every name is hidden."""
    assert len(hide_names("They use Claude. " * 1_500, OWN)[1]) == 500
