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


TAKEN_BACK = {
    "debate.turn": (
        *("My vote changes to BLOCKER.", "My vote should be BLOCKER, not ACCEPT.", "I switch to BLOCKER."),
        *("I'm changing ACCEPT to BLOCKER.", "Cambio mi voto a BLOCKER.", "Mi voto es ahora BLOCKER."),
        *("Voto final: BLOCKER", "Je change mon vote : BLOCKER.", "Mon vote est désormais BLOCKER."),
        *("Ich ändere meine Stimme auf BLOCKER.", "Meine Stimme ist jetzt BLOCKER.", "Mudo meu voto para BLOCKER."),
        *("Meu voto agora é BLOCKER.", "Cambio il mio voto in BLOCKER.", "Il mio voto ora è BLOCKER."),
        *(
            "我将投票改为BLOCKER。",
            "投票をBLOCKERに変更します。",
            "투표를 BLOCKER로 변경합니다.",
            "أغيّر صوتي إلى BLOCKER.",
        ),
        *("Меняю голос на BLOCKER.", "My confidence is now 0.4.", "Confidence should be 0.4."),
        *("Mi confianza es ahora 0,4.", "Ma confiance baisse à 0,4.", "Meine Zuversicht sinkt auf 0,4."),
        *("La mia fiducia scende a 0,4.", "Minha confiança agora é 0,4.", "Моя уверенность теперь 0,4."),
        *("我的信心降至0.4。", "確信度は0.4に下げます。"),
    ),
    "debate.decision": (
        *("Ich nehme das zurück.", "Me retracto: debe seguir cerrada.", "Je me rétracte.", "Retiro lo dicho."),
        "I reverse my decision: keep it open.",
    ),
    "debate.safety": (
        *("Sin embargo, p2 da instrucciones paso a paso.", "Allerdings gibt p2 eine genaue Anleitung."),
        *("但是p2给出了具体步骤。", "ただしp2は具体的な手順を示している。", "Note that p2 crosses the line."),
    ),
    "fire_circle.assessment": (
        *("Falsehood should be 0.3.", "La falsedad debería ser 0,3.", "Falschheit ist eher 0,3.", "虚假性应为0.3。"),
        *("La fausseté est plutôt 0,3.", "Rectification : fausseté 0,3.", "Scratch that; it is benign."),
        *("Wait, I mixed up truth and falsehood.", "Me equivoqué: intercambié verdad y falsedad."),
    ),
    "council.ballot": ("Ich nehme das zurück: A ist besser als B.", "Retiro lo dicho: A es mejor que B."),
    "answers.choice": (
        *("Retiro lo dicho.", "Me retracto.", "Ich nehme das zurück.", "Je retire ce que j'ai dit.", "لا، C."),
        *("Doch eher C.", "Melhor: C.", "Meglio C.", "Cambio mi respuesta a C.", "Ich ändere meine Antwort zu C."),
        *("答案改为C。", "答えをCに変更します。", "답을 C로 바꿉니다.", "Меняю ответ на C.", "أغيّر إجابتي إلى C."),
        *("Mudo a resposta para C.", "La correcta es C.", "C es correcta.", "Richtig ist C.", "C ist richtig."),
        *("C est correct.", "正确的是C。", "正しいのはCです。", "맞는 것은 C입니다.", "الصحيح هو C."),
    ),
    "answers.number": (
        "Retiro lo dicho.",
        "Mejor 48.",
        "Eher 48.",
        "Debería ser 48.",
        "Es müsste 48 sein.",
        "应该是48。",
    ),
    "answers.yes_no": ("Retiro lo dicho.", "La respuesta debería ser no.", "Quiero decir: no.", "Ich meine: nein."),
}
"""By reader: sentences in which a writer takes a reply back, or gives a part of it anew."""
KEPT = {
    "debate.turn": (
        *("My vote is ACCEPT because traffic fell.", "My confidence is above 0.5.", "My vote is not BLOCKER."),
        *("No cambio mi voto a BLOCKER.", "Ich ändere meine Stimme nicht auf BLOCKER.", "Je ne change pas mon vote."),
        *("I would switch to BLOCKER only if shops close.", "I changed BLOCKER to ACCEPT after p2's figures."),
    ),
    "debate.safety": ("Sin embargo, el tema es desagradable.", "Allerdings ist das Thema heikel."),
    "fire_circle.assessment": ("Falsehood should be 0.8 here.", "The threshold for falsehood should be 0.5."),
    "answers.choice": (
        *("No cambio mi respuesta.", "Ich ändere meine Antwort nicht.", "Je ne change pas ma réponse."),
        *("B es correcta porque llueve.", "C es incorrecta.", "C ist falsch.", "C est incorrect.", "正确的是B。"),
        *("Muchos creen que C es correcta.", "Certains pensent que C est correct.", "应该是最常见的选择。"),
    ),
    "answers.number": (
        *("Debería ser suficiente para todos.", "Es müsste für alle reichen.", "应该是对的。", "我收回6个，剩下42个。"),
        *("Je retire 6 de 48 pour obtenir 42.", "Eher konservativ gerechnet."),
    ),
}
"""By reader: sentences that change nothing of it."""


@pytest.mark.parametrize(("reader", "below"), [(reader, one) for reader, said in TAKEN_BACK.items() for one in said])
def test_what_is_taken_back_in_another_language_is_asked_for_again(reader: str, below: str) -> None:
    """A sentence of retraction below a reply is understood in the languages in which models answer."""
    assert outcome(reader, f"{REPLIES[reader][0]}\n\n{below}") == "asked"


@pytest.mark.parametrize(("reader", "below"), [(reader, one) for reader, said in KEPT.items() for one in said])
def test_what_is_kept_in_another_language_is_read(reader: str, below: str) -> None:
    """A sentence that repeats, denies or reports a change takes nothing back."""
    assert outcome(reader, f"{REPLIES[reader][0]}\n\n{below}") == "read"


@pytest.mark.parametrize(
    "below",
    [
        *("I accept only if the rota is paid.", "ACCEPT only holds if the rota is paid.", "仅在有人值班时接受。"),
        *(
            "Nota: aceptaría solo si hay turno pagado.",
            "Acepto siempre que se pague.",
            "ただし当番が有給の場合に限る。",
        ),
        *("Ich stimme nur unter der Bedingung zu, dass gezahlt wird.", "J'accepte à condition que ce soit payé."),
    ],
)
def test_an_acceptance_on_terms_below_the_vote_is_asked_for_again(below: str) -> None:
    """A sentence that names a condition of the vote makes it none, as a footnote does."""
    assert outcome("debate.turn", f"{REPLIES['debate.turn'][0]}\n\n{below}") == "asked"


@pytest.mark.parametrize(
    "below",
    [
        *("I accept the motion as it stands.", "I accept it because traffic fell.", "Acepto la moción tal como está."),
        *(
            "J'accepte la motion telle quelle.",
            "Ich stimme p2 in C3 zu.",
            "ただし、費用は残る。",
            "Acceptance is wide.",
        ),
    ],
)
def test_an_acceptance_without_terms_below_the_vote_is_one(below: str) -> None:
    """A sentence that repeats the vote, or gives its reason, leaves it."""
    assert outcome("debate.turn", f"{REPLIES['debate.turn'][0]}\n\n{below}") == "read"
