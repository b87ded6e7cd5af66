"""Words of a line that announces a corrected text, and of the heading of a list of changes."""

from protocols.consensus.wording.tables import signs, words

REVISED = words(
    "corrected revised improved updated amended rewritten edited polished refined fixed enhanced expanded reworked",
    "correct complete full final better new clean",
    "korrigierte korrigierter korrigiert verbesserte überarbeitete berichtigte vollständige korrigierten",
    "endgültige",
    "corrigée corrigé révisée améliorée complète corregida corregido revisada mejorada actualizada corretta",
    "rivista",
    "migliorata corrigida corrigido melhorada gecorrigeerde verbeterde poprawiona korrigerad исправленная",
    "исправленный",
    "улучшенный исправленное düzeltilmiş",
)

TEXT_KEYS = words(
    "corrected correction revised revision improved updated rewritten polished final_text korrigiert korrigierte",
    "corrigé corrigée corregida corregido corretta corrigida corrigido 修正 更正",
)
"""Of the keys of an object, one word of the key that holds the corrected text."""

VERSIONS = words(
    "version response answer draft text reply code translation summary email letter poem list table solution essay",
    "story explanation paragraph statement script function query output article proof haiku recipe",
    "fassung antwort versión respuesta texto texte réponse versione risposta testo versão resposta versie",
    "antwoord wersja",
    "odpowiedź svar версия ответ текст вариант",
)

BARE = REVISED - words("correct complete full final better new clean vollständige endgültige complète completa")
"""Alone before a colon: "Corrected:"."""

REVISED_SIGNS = signs(
    "修正 更正 改正 改善 改进 訂正 修订 修訂 润色 수정 개선 교정",
)

VERSION_SIGNS = signs(
    "版 答案 回答 回复 文本 文章 内容 版本 バージョン 本文 답변 버전 응답",
)
"""A line that announces a corrected text names what was done to what: one word of each pair of tables."""

CHANGES = words(
    "changes corrections modifications edits revisions improvements adjustments fixes amendments changed corrected",
    "änderungen korrekturen modifications changements cambios correcciones modificaciones modifiche correzioni",
    "alterações mudanças correções wijzigingen zmiany изменения исправления",
)

CHANGE_LINE = CHANGES | words(
    "made key main summary of the list explanation what i was were notes note on and why for reasons from",
    "original to",
    "response draft in this version here are is have been following below a brief my major minor compared with",
    "vorgenommene wichtigste der die zusammenfassung erläuterung apportées apportés effectuées principales les des",
    "realizados realizadas principales los las de apportate principali feitas realizadas principais внесённые",
    "внесенные",
)

CHANGE_SIGNS = signs(
    "修改说明 修改内容 更改说明 变更说明 修正说明 主要修改 更正说明 更正内容 修改之处 変更点 修正点 修正内容",
    "変更内容 변경 수정",
)
"""The heading of a list of changes: only words of ``CHANGE_LINE``, and one of ``CHANGES``."""
