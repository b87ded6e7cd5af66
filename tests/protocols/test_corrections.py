"""What its writer corrects below a reply counts in no protocol, in whatever language the correction is announced."""

import pytest
from pydantic import JsonValue

from tests.fakes.corpora import Entry, judge

CORRECTIONS = (
    *("Correction", "Korrektur", "Berichtigung", "Corrección", "Correção", "Correzione", "Rettifica", "Correctie"),
    *("Rättelse", "Rettelse", "Korreksjon", "Korjaus", "Korekta", "Sprostowanie", "Oprava", "Helyesbítés", "Corecție"),
    *("Исправление", "Виправлення", "Διόρθωση", "Düzeltme", "تصحيح", "اصلاح", "תיקון", "सुधार", "সংশোধন", "แก้ไข"),
    *("Ralat", "Đính chính", "更正", "訂正", "정정"),
)
HALTS = (
    *("Warte", "Attends", "Espera", "Aspetta", "Wacht", "Vänta", "Odota", "Czekaj", "Подождите", "Bekle", "انتظر"),
    *("Tunggu", "等等", "待って", "잠깐"),
)
DENIALS = (
    *("Nein", "Non", "Não", "Nee", "Nej", "Nei", "Ei", "Nie", "Ne", "Nem", "Nu", "Нет", "Ні", "Όχι", "Hayır", "لا"),
    *("לא", "Tidak", "Không", "いいえ", "不对", "아니요", "नहीं", "نه"),
)
TURNS = (
    *("Eigentlich", "En fait", "En realidad", "Na verdade", "In realtà", "Eigenlijk", "Egentligen", "Faktisk"),
    *("Itse asiassa", "Właściwie", "Vlastně", "Valójában", "De fapt", "На самом деле", "Насправді", "Aslında"),
    *(
        "Στην πραγματικότητα",
        "في الواقع",
        "בעצם",
        "در واقع",
        "Sebenarnya",
        "Thực ra",
        "実は",
        "其实",
        "사실은",
        "वास्तव में",
    ),
)
INSTEAD = (
    *("eigentlich", "besser gesagt", "plutôt", "más bien", "mejor dicho", "ou melhor", "anzi", "o meglio", "of liever"),
    *("eller snarare", "tai oikeastaan", "a raczej", "vagy inkább", "mai degrabă", "точнее", "вернее", "точніше"),
    *("ή μάλλον", "daha doğrusu", "بل", "lebih tepatnya", "đúng hơn là", "いや", "准确地说", "아니", "बल्कि"),
)
REPLIES = {
    "council.ballot": ("FINAL RANKING 1f3870be27:\n1. Response B\n2. Response A", "A > B"),
    "fire_circle.assessment": (
        '{"truth": 0.2, "indeterminacy": 0.3, "falsehood": 0.8, "reasoning": "It claims what was never agreed."}',
        "0.6",
    ),
    "debate.turn": (
        '{"position": "Close the centre.", "reasoning": "Traffic fell.", "confidence": 0.8, "vote": "ACCEPT"}',
        "BLOCKER",
    ),
    "debate.decision": ('{"decision": "Close it.", "reasons": ["C1"], "confidence": 0.7}', "Keep it open."),
    "debate.safety": ('{"clean": true, "withhold": []}', "p2"),
    "consensus.evaluation": ("ACCEPT", "1908"),
    "answers.choice": ("FINAL ANSWER: B", "C"),
    "answers.number": ("FINAL ANSWER: 42", "43"),
    "answers.yes_no": ("FINAL ANSWER: yes", "no"),
    "answers.exact": ("FINAL ANSWER: Paris", "Lyon"),
}
"""By reader: a reply that is read, and what replaces a part of it."""
NEEDS: dict[str, dict[str, JsonValue]] = {
    "council.ballot": {"labels": ["Response A", "Response B"], "nonce": "1f3870be27"},
    "debate.safety": {"names": ["p1 (one)", "p2 (two)"], "seats": ["p1", "p2"]},
    "answers.choice": {"form": {"kind": "choice", "choices": ["A", "B", "C"]}},
    **{f"answers.{kind}": {"form": {"kind": kind}} for kind in ("number", "yes_no", "exact")},
}


def outcome(reader: str, text: str) -> str:
    """Return what happens to a reply."""
    return judge(reader, Entry(name="one", text=text, needs=NEEDS.get(reader, {}))).outcome


@pytest.mark.parametrize("reader", REPLIES)
def test_a_reply_without_a_correction_is_read(reader: str) -> None:
    """The replies of the other tests are read where nothing is below them."""
    assert outcome(reader, REPLIES[reader][0]) == "read"


@pytest.mark.parametrize("reader", REPLIES)
def test_a_reply_with_a_correction_is_asked_for_again(reader: str) -> None:
    """A line that announces a correction takes back what is above it."""
    said, other = REPLIES[reader]

    assert [] == [word for word in CORRECTIONS if outcome(reader, f"{said}\n\n{word}: {other}") != "asked"]


@pytest.mark.parametrize("reader", REPLIES)
def test_a_reply_with_a_second_thought_is_asked_for_again(reader: str) -> None:
    """A word such as "wait", "no" or "actually" before another value takes back what is above it."""
    said, other = REPLIES[reader]
    words = HALTS + DENIALS + TURNS

    assert [] == [word for word in words if outcome(reader, f"{said}\n\n{word}, {other}") != "asked"]


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        ("answers.choice", "FINAL ANSWER: B, {} C"),
        ("answers.number", "FINAL ANSWER: 42, {} 43"),
        ("fire_circle.assessment", "Truth: 0.2\nIndeterminacy: 0.3\nFalsehood: 0.8, {} 0.6"),
        ("debate.turn", "Position: Close it.\nConfidence: 0.8, {} 0.6\nVote: MINOR"),
        ("debate.turn", "Position: Close it.\nConfidence: 0.8\nVote: ACCEPT, {} BLOCKER"),
    ],
)
def test_a_value_is_not_read_beside_the_one_that_replaces_it(reader: str, said: str) -> None:
    """Of two values on a line the first counts in no language where the second one takes its place."""
    wrong = []
    for word in INSTEAD:
        found = judge(reader, Entry(name="one", text=said.format(word), needs=NEEDS.get(reader, {})))
        reading = found.reading if isinstance(found.reading, dict) else {}
        if found.outcome != "asked" and reading.get("answer") != "43":
            wrong.append(word)

    assert wrong == []
