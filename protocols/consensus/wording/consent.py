"""Forms of acceptance in several languages, short judgements, and the text allowed around them."""

from protocols.consensus.wording.tables import phrases, words

WORD = "accept"

TRANSLATED = phrases(
    "accepted | accepting | i accept | i accept it | i accept this | i accept this response",
    "i accept the response",
    "accept this response | accept the response | accept it | response accepted | the response is accepted",
    "akzeptiert | akzeptieren | ich akzeptiere | akzeptiere | angenommen | antwort akzeptiert",
    "accepté | acceptée | accepter | j'accepte | accepte | réponse acceptée",
    "acepto | aceptado | aceptada | aceptar | respuesta aceptada",
    "accetto | accettato | accettata | accettare | aceito | aceite | aceitar | aceita",
    "accepteren | geaccepteerd | akceptuję | akceptacja | zaakceptowano | accepterat | accepterar | godkänt",
    "принято | принимаю | принять | kabul | kabul ediyorum | přijímám | přijato",
    "接受 | 我接受 | 接受该回答 | 接受此回答 | 接受回答 | 已接受 | 接納 | 接纳",
    "受け入れます | 受け入れる | 受諾 | 承認 | 承認します | 受理 | アクセプト | 수락 | 수락합니다 | 승인",
    "받아들입니다",
)
"""The word in another form or another language: consent where it cannot be a correction."""

ASSENT = TRANSLATED | phrases(
    "correct | that is correct | that's correct | yes | yes it is | ok | okay | right | that is right | true",
    "agreed",
    "agree | i agree | approve | approved | good | fine | great | perfect | excellent | exactly | confirmed",
    "verified",
    "looks good | looks good to me | lgtm | well done | good answer | good job | great answer | all good",
    "all correct",
    "no change | no changes | no corrections | none | n/a | na | no | done | valid | pass | passed | accurate",
    "complete",
    "accurate and complete | correct and complete | acceptable | unchanged | no comment | no comments | no errors",
    "wrong | incorrect | false | inaccurate | incomplete | reject | rejected | not correct | not accurate",
    "not accepted",
    "sounds good | good enough | no objection | no objections | no issues | no problem | no problems | noted",
    "korrekt | richtig | stimmt | das stimmt | einverstanden | ja | nein | in ordnung | passt | genau",
    "falsch | gut",
    "abgelehnt | keine änderungen | keine korrekturen | keine fehler | alles richtig | alles korrekt | zustimmung",
    "exact | exacte | oui | non | d'accord | juste | c'est correct | c'est exact | parfait | incorrecte",
    "faux | rejeté",
    "aucune correction | correcte | bonne réponse | rien à corriger | rien à ajouter",
    "correcto | correcta | sí | si | de acuerdo | bien | perfecto | incorrecto | falso | rechazado | sin cambios",
    "sin errores | está bien | es correcto | es correcta | conforme | aprobado | aprobada",
    "corretto | corretta | sì | va bene | d'accordo | sbagliato | perfetto | esatto | esatta | nessuna correzione",
    "correto | correta | sim | não | concordo | está correto | está correta | errado | perfeito | certo | aprovado",
    "juist | akkoord | goed | ja dat klopt | dat klopt | klopt | fout | onjuist | zgadzam się | tak | nie",
    "poprawnie",
    "dobrze | poprawna | stämmer | det stämmer | korrekt svar | riktigt | rätt | fel | rigtigt | riktig",
    "oikein | doğru",
    "evet | katılıyorum | согласен | согласна | да | нет | верно | правильно | неверно | неправильно | всё верно",
    "správně | souhlasím | ano | helyes | igen | egyetértek | corect | de acord | σωστό | ναι | setuju",
    "benar | đúng",
    "正确 | 对 | 是 | 是的 | 同意 | 我同意 | 好 | 好的 | 没问题 | 没有问题 | 没有错误 | 无误 | 可以 | 通过",
    "错误 | 不对",
    "不正确 | 不接受 | 拒绝 | 不同意 | 回答正确 | 答案正确 | 正確 | 無誤 | 準確 | 准确 | 准确完整 | 无需修改",
    "不需要修改 | 无需更正",
    "正しい | 正しいです | はい | いいえ | 同意します | 問題ありません | 問題なし | 修正不要 | 正解",
    "正解です | その通りです | 間違い",
    "맞습니다 | 맞다 | 네 | 예 | 아니요 | 동의합니다 | 정확합니다 | 정답입니다 | 문제없음 | 틀렸습니다",
    "수정 필요 없음 | صحيح | نعم | सही | हाँ | ถูกต้อง",
)
"""Short replies that judge a draft and replace none, for drafts that are as short themselves."""

REVERSED = frozenset(
    (
        *(("false", "true"), ("no", "yes"), ("nein", "ja"), ("non", "oui"), ("falsch", "richtig"), ("faux", "vrai")),
        *(("falso", "verdadero"), ("falso", "vero"), ("no", "sí"), ("no", "sì"), ("não", "sim"), ("нет", "да")),
        *(("错误", "正确"), ("不对", "对"), ("いいえ", "はい"), ("아니요", "네")),
    )
)
"""What reverses a draft that begins with the second word: judging the draft or replacing it, it says the same."""

POLAR = frozenset(word for pair in REVERSED for word in pair)
"""Words that answer whether something is so."""

LABELS = words(
    "verdict answer decision evaluation assessment conclusion result status judgement judgment recommendation",
    "response",
    "outcome vote opinion consensus output action reply final_verdict final_answer final_decision",
    "urteil entscheidung antwort bewertung ergebnis fazit verdict décision réponse avis évaluation conclusion",
    "veredicto decisión respuesta evaluación conclusión verdetto decisione risposta valutazione veredito",
    "decisão resposta",
    "结论 判断 决定 答案 回答 判定 评估 最终结论 最终判断 結論 決定 評価 최종 결론 판정 결정 답변 вердикт",
    "решение ответ",
)
"""What may stand before the word with a colon, as a key, or as a tag."""

BEFORE_LABELS = words(
    "my the final overall formal endgültiges endgültige finale final mon ma mi il la le el das die 最终 最終"
)
