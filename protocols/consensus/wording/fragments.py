"""Notes in place of a part of a text, and headings of tables with grades of claims."""

from protocols.consensus.wording.tables import signs, words

LEFT_OUT = words(
    "unchanged remainder untouched elided unverändert unveränderte unveränderter inchangé inchangée inchangés",
    "invariato invariata inalterado inalterada ongewijzigd",
)
"""In brackets or behind an ellipsis."""

LEFT_OUT_SIGNS = (
    *("rest of the", "rest is", "rest remains", "existing code", "remaining sections", "remaining text", "rest bleibt"),
    *("sin cambios", "bez zmian", "без изменений", "le reste", "el resto"),
    *("as before", "as above", "same as", "no change", "stays the same", "stay the same", "remains the same"),
    *("remain the same", "for brevity", "wie oben", "wie zuvor", "wie gehabt", "comme avant", "como antes"),
    *signs("其余不变 其余部分 保持不变 未作修改 同上 変更なし 以下同 以下省略 나머지는 변경"),
)
"""The same as phrases, and in languages that put no blanks between words."""

FINDINGS = words(
    "correction corrections corrected issue issues error errors status problem problems verdict comment comments",
    "assessment finding findings accurate korrektur fehler bewertung problem anmerkung",
    "erreur statut problème commentaire évaluation corrección estado error problema comentario evaluación",
    "correzione errore stato erro correção исправление ошибка статус оценка",
)
"""In the heading of a table."""
