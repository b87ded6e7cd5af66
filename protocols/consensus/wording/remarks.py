"""Words and phrases of sentences that are about a draft: praise, faults, and how such sentences begin."""

import re

from protocols.consensus.wording.tables import signs, words

FAULTED = words(
    "wrong incorrect inaccurate error errors mistake mistakes mistaken should missing misleading typo incomplete",
    "falsch fehler sollte müsste faux erreur devrait incorrecto error debería sbagliato errore dovrebbe",
    "errado erro",
)
"""Words of a short reply that says what is wrong in a short draft, instead of setting it right."""

PRAISE = words(
    "the this that these those response answer draft reply text explanation solution is are was were it its",
    "all and",
    "both fully completely entirely factually very clearly correctly accurately adequately directly thoroughly",
    "appropriately properly answers addresses covers explains meets satisfies provides question questions original",
    "user's user key main important relevant points point aspects aspect facts fact information details detail",
    "requirements accurate correct complete comprehensive clear concise right good fine excellent great perfect",
    "well-structured well-written well structured written sound valid sufficient appropriate precise thorough",
    "consistent helpful in of for as stands a an with agree looks to me overall also so i find have reviewed",
    "evaluated",
    "checked verified stated every everything detailed readable logical thus therefore hence already",
    "response's prompt",
)
"""Words of a sentence that says that a draft is right, and nothing else; no contrast, condition, wish or doubt."""

OPPOSED = words(
    "but however although though except unless instead nevertheless nonetheless despite yet unfortunately",
    "not no cannot can't isn't doesn't don't won't wouldn't aren't wasn't hasn't didn't never nor neither unable",
    "wrong false incorrect incorrectly inaccurate inaccurately incomplete untrue imprecise erroneous insufficient",
    "misleading outdated unclear vague unacceptable error errors mistake mistakes mistaken missing misses",
    "omits omitted",
    "omission omissions lacks lacking typo typos issue issues problem problems flaw flaws flawed gap gaps",
    "caveat caveats",
    "inaccuracy inaccuracies should could would must needs need needed fails failed forgot forgets overlooks",
    "overlooked",
    "misstates misrepresents add adding change changing replace fix revise improve improved improvement",
    "improvements",
    "clarify correction corrections reject rejected disagree disagrees suggest recommend consider refuse",
    "decline if",
    "please better minor only mostly partially partly almost nearly contradicts weak weakness weaknesses",
    "concern concerns",
    "aber jedoch nicht falsch unvollständig fehler fehlt fehlen sollte müsste ungenau fehlerhaft leider",
    "abgelehnt ablehnen unrichtig irreführend lückenhaft allerdings",
    "mais cependant toutefois pas incorrecte incorrect fausse faux incomplète incomplet erreur erreurs",
    "inexacte manque",
    "devrait refuse rejette rejeté omet omission",
    "pero sin embargo incorrecta incorrecto falsa falso incompleta incompleto errores falta faltan debería",
    "rechazo omite",
    "ma però non sbagliata sbagliato errata errori manca dovrebbe rifiuto mas porém não errada errado",
    "incorreta erro",
    "erros deveria rejeito maar niet onjuist onvolledig fouten ale nie błąd błędna но однако не неверно",
    "неправильно",
    "неверный неправильный ошибка ошибки неполный неточно отклоняю",
)
"""Words of a sentence that holds something against a draft, in languages that put blanks between words."""

OPPOSED_SIGNS = signs(
    "不接受 不正确 不正確 不准确 不完整 不够 错误 有误 遗漏 缺少 应该 应当 但是 但 然而 需要修改 拒绝 不同意",
    "誤り 間違 不足 不正確 べき しかし ただし 受け入れられ 拒否 ではなく 오류 틀렸 잘못 누락 하지만 그러나",
    "부정확 불완전 거부 ❌ ✗ ✘ 🚫 👎 → ->",
)
"""The same for languages without blanks, and signs."""

NOUNS = words(
    "response answer draft reply explanation solution assistant's submission response's answer's",
    "antwort entwurf erklärung lösung réponse brouillon explication respuesta borrador explicación risposta bozza",
    "resposta rascunho antwoord odpowiedź svar svaret ответ ответе черновик cevap yanıt",
)

NOUN_SIGNS = (
    "the assistant ",
    *signs(
        "回答 答案 回复 回覆 答复 草稿 応答 下書き 답변 응답 초안",
    ),
)

GRADES = words(
    "accurate accurately accuracy correct correctly complete completeness incomplete incorrect incorrectly",
    "inaccurate",
    "inaccurately wrong good fine excellent comprehensive thorough thoroughly error errors mistake mistakes",
    "omission",
    "omissions misleading acceptable unacceptable helpful unhelpful relevant irrelevant concise detailed",
    "flawed lacks",
    "omits misses missing fails needs adequate adequately sufficient insufficient inaccuracies inaccuracy",
    "well-structured",
    "informative improved clear unclear mostly partially creative perfect poor strong weak effectively",
    "successfully",
    "accepted rejected outdated solid reasonable well addresses appropriate appropriately",
    "korrekt korrekte richtig vollständig falsch unvollständig fehler fehlerfrei fehlerhaft genau präzise",
    "ungenau fehlt",
    "fehlen zutreffend stimmt gut ausreichend inkorrekt irreführend lückenhaft änderungen korrekturen sachlich",
    "correcte exacte exact complète complet erreur erreurs incorrecte incomplète inexacte fausse bonne",
    "précise manque",
    "omet corrections juste correcta completa precisa exacta errores incorrecta incompleta imprecisa falsa",
    "falta faltan",
    "adecuada buena omite correcciones corretta accurata errori errore errata manca buona esatta correta",
    "erros erro",
    "incorreta boa exata juist volledig fouten fout onjuist onvolledig goed poprawna kompletna błędów błąd błędna",
    "korrekt fullständigt fel правильный правильно верно верный верен точный точен полный полон неверный",
    "неправильный",
    "неполный ошибка ошибки ошибок хороший корректный корректен doğru eksiksiz yanlış hata",
)

GRADE_SIGNS = signs(
    "正确 正確 准确 準確 完整 错误 錯誤 不完整 遗漏 无误 無誤 全面 有误 正しい 正しく 完全 誤り 間違 不足",
    "適切 問題 정확 올바 완전 오류 틀렸 누락 잘못",
)
"""What a draft is called (``NOUNS``) and how it is graded: a sentence with both is about the draft."""

_FEW = r"(?:no|minor|some|several|one|two|an?|a few)"
_SLIPS = (
    r"(?:errors?|mistakes?|issues?|problems?|omissions?|inaccurac(?:y|ies)|corrections?|changes?|revisions?|edits?"
    r"|modifications?|improvements?)"
)

OPENINGS: tuple[str, ...] = (
    r"(?:i|we) (?:would|'d) (?:add|change|suggest|recommend|revise|correct|rephrase|include|mention|accept|reject)\b",
    r"(?:i|we)(?: would|'d)? (?:suggest|recommend|propose) (?:adding|changing|removing|replacing|correcting|that)\b",
    r"(?:i|we) (?:fully |do not |don't )?(?:agree|disagree)(?: with|\W|$)",
    r"(?:i|we)(?: have|'ve)? (?:also )?(?:reviewed|evaluated|checked|verified|corrected|fixed|revised|rephrased)\b",
    r"(?:i|we)(?: have|'ve)? (?:also )?(?:changed|updated|replaced|removed|added|edited|clarified) the\b",
    rf"(?:i|we) (?:found|find|see|saw|noticed|have|detected) {_FEW} (?:\w{{1,14}} ){{0,2}}{_SLIPS}\b",
    rf"{_FEW} (?:\w{{1,14}} ){{0,3}}{_SLIPS}(?: (?:is|are|was|were))? (?:needed|required|necessary|found|made)\b",
    rf"{_FEW} (?:\w{{1,14}} ){{0,3}}{_SLIPS}\W{{0,3}}$",
    rf"(?:there (?:is|are|were)|it (?:contains?|has)) {_FEW} (?:\w{{1,14}} ){{0,3}}{_SLIPS}\b",
    r"nothing (?:\w{1,14} )?(?:to|needs|is|else|was|has) (?:be )?(?:correct|chang|add|fix|missing|wrong|improve)",
    (
        r"(?:this|it|that|everything|all)(?: (?:is|are|looks|seems|appears)| of it is)(?: all| quite| very| mostly)?"
        r" (?:correct|accurate|complete|right|good|fine|ok|okay|great|perfect|wrong|incorrect|inaccurate|acceptable)\W"
    ),
    r"(?:looks|sounds|seems) (?:\w{1,10} )?(?:good|correct|right|fine|great|accurate|complete|ok)\b",
    r"(?:correct|accurate|agreed|perfect|excellent|wrong|incorrect|false|exactly|(?:un)?acceptable)(?: ?[.!,;:?–—-]|$)",
    r"(?:well done|good (?:job|answer|work)|great (?:job|answer|work|response)|nice (?:job|work))\b",
    (
        r"[(\[]?(?:note|nb|edit|anmerkung|hinweis|nota|remarque|注|примечание) ?[:：] (?:(?:i|we|ich|j'ai|he|я) "
        r".{0,60}?(?:correct|chang|updat|replac|fix|adjust|korrig|geändert|corrig|cambi|исправ)"
        r"|.{0,60}?(?:was|were|has been|have been) (?:corrected|changed|updated|replaced|fixed|adjusted)"
        r"|.{0,40}?(?:修正|更正|修改))"
    ),
    (
        r"(?:sentence|claim|statement|point|paragraph|line|part|section|step|item) \d{1,3} ?(?:[:：–—-]|is|looks) ?"
        r"(?:all )?(?:correct|incorrect|accurate|inaccurate|wrong|fine|ok\b|true|false|good|needs|unclear)"
    ),
    r"(?:could|can|would) you (?:please )?(?:provide|share|paste|clarify|send|resend|specify)\b",
    r"(?:please )(?:provide|share|paste|send|resend) (?:the|your|me|it)\b",
    (
        r"it (?:seems|looks like|appears)(?: that)? (?:the|your|there|no|you) .{0,60}?"
        r"(?:response|message|draft|text|included|provided|missing|empty|cut)"
    ),
    (
        r"(?:the |your )?(?:section|paragraph|sentence|line|step|item|point|bullet|claim|part|year|date|figure"
        r"|number|name)"
        r"(?: \w{1,12}){0,4} should (?:instead |rather |actually )?(?:read|say|state|be)\b"
    ),
    r"you (?:forgot|omitted|missed|left out|wrote|stated|claimed)\b",
    r"you should (?:add|mention|include|correct|say|change|clarify)\b",
    (
        r"(?:here(?:'s| is| are)|below (?:is|are)|this is) (?:an?|my|the) (?:\w{1,14} ){0,3}(?:evaluation"
        r"|assessment|review"
        r"|critique|analysis|feedback|judge?ment|comments?|notes) (?:of|on|for) (?:the|this|that|my|your|its)"
        r" (?:\w{1,14}(?:'s)? ){0,3}(?:response|answer|draft|reply|text|explanation|solution)\b"
    ),
    (
        r"in (?:this|the|my|your|its) (?:own |original |previous |above |current |first )?(?:response|answer"
        r"|draft|reply)\b"
        r"|(?:the|this|your|my) (?:response|answer|draft|reply) (?:assumes|states|says|mentions|claims"
        r"|describes|explains|lists"
        r"|names|covers|provides|includes|correctly|accurately|identifies|addresses)\b"
    ),
    (
        r"(?:this|the|your|that) (?:function|code|program|implementation|query|proof|calculation"
        r"|script) (?:\w{1,14} ){0,4}"
        r"(?:bugs?|errors?|mistakes?|problems?|issues?|flaws?|incorrect|correct|wrong)\b"
    ),
    (
        r"(?:please|consider|try|maybe|perhaps) (?!replac\w{1,3} .{1,80}? with (?:your|the (?:actual|path|name|real"
        r"|url)))(?:add|fix|correct|chang|includ|mention|clarif|revis|replac|remov|rephras)"
    ),
    (
        r"(?:missing|omitted|errors?|mistakes?|issues?|problems?|suggestions?|feedback|comments?|evaluation|assessment"
        r"|critique|review|strengths|weaknesses|rating|score|verdict|confidence|objections?)(?: found"
        r"| identified)? ?[:：]"
    ),
    r"(?:change|replace|correct|substitute|swap|remove|delete|insert) .{1,120}(?: to | with | by | for |→|->)",
    (
        r"(?:the|this|that|it)(?: \w{1,20}){0,6} (?:should|must|needs to|has to) (?:instead )?be (?:corrected|changed"
        r"|added|mentioned|replaced|revised|clarified|fixed|removed|updated|improved|rewritten|included)\b"
    ),
    (
        r"(?:(?:i|we|the|this|that|it|your|not|do|does|cannot|can't|don't|must|will|won't|am|is|unable|to|be"
        r"|have|refuse"
        r"|decline|sorry,?|my|final|verdict ?:?|decision ?:?) ){0,8}(?:un)?(?:accept|reject)(?:ed|able)?(?:\W{0,3}$"
        r"|(?: ?[.!?,;:)–—-]| (?:it|this|that|the|your|but|because|since|with|if|however|provided|as))(?:\W|$))"
    ),
    (
        r"(?:keine|die antwort|alles|das ist|das stimmt|der entwurf|es fehlt|ich würde|ich stimme) .{0,60}?"
        r"(?:fehler|korrekturen|änderungen|korrekt|richtig|ergänzen|falsch|vollständig|zu\b|akzeptier)"
    ),
    (
        r"(?:aucune? |rien |la réponse |le texte |tout est |c'est |je ne? |il manque ).{0,60}?"
        r"(?:erreurs?|corrections?|correcte?|exacte?|modifications?|corriger|ajouter|accepte|complète)"
    ),
    (
        r"(?:no (?:hay|se|es|requiere|necesita)|sin |la respuesta |todo |es |falta |yo ).{0,60}?"
        r"(?:errores|correcci\w{1,5}|correct[ao]|cambios|complet[ao]|acepto|incorrect[ao])"
    ),
    (
        r"(?:nessun\w? |la risposta |nenhum\w? |a resposta |tudo ).{0,60}?"
        r"(?:error\w|errori|correzion\w|corrett\w|correç\w{1,4}|corret[ao]|complet[ao]|erro)"
    ),
    r"(?:无需|不需要|没有|回答|答案|该回答|以上|内容).{0,20}?(?:修改|更正|错误|问题|正确|准确|完整|无误|有误|遗漏)",
    r".{0,20}?(?:修正|訂正|変更|誤り|間違い|問題)(?:は|の必要は|が)?(?:不要|ありません|必要ありません|なし|ない)",
    r".{0,20}?(?:수정|오류|문제)(?:할|가|이|은|는)? ?(?:필요|없|사항)",
    r".{0,40}?(?:исправлени\w|ошиб\w{1,3}|изменени\w) (?:не )?(?:нет|требу\w{1,4}|обнаруж\w{1,4}|нужн\w)",
)
"""How a sentence begins that is about a draft and belongs to none, in lower case: a row for each way to say it."""

ABOUT = re.compile("|".join(OPENINGS))

WRONG = re.compile(
    r"\b(?:is|are|was|were|ist|sind|est|sont|es|son|è|é|sono|são) (?:\w{1,14} ){0,2}(incorrect|wrong|inaccurate|false"
    r"|untrue|not correct|not accurate|incorrect[ao]s?|falsch|inkorrekt|fausse|faux|inexacte?|erronée?|errad[ao]"
    r"|sbagliat[ao]|errat[ao])\b|(有误|有錯|是错误的|不准确|不正确|誤りで|誤りです|間違って|間違いで|틀렸"
    r"|잘못되|неверно|неверен|ошибочн)"
)
"""What is said of a sentence that is quoted; a draft that has the word itself may say it of something else."""

_KINDS = (
    r"(?:(?:major|minor|critical|factual|significant|serious|obvious|material|substantive|important|essential|further"
    r"|other|more|additional|key|notable|real|apparent|such|relevant|necessary|needed|required|any|need|for|of"
    r"|to|the)\s)"
)

_FAULTS = (
    r"(?:errors?|mistakes?|omissions?|corrections?|changes?|inaccurac(?:y|ies)|issues?|problems?|flaws?|gaps?|faults?"
    r"|revisions?|improvements?|edits?|additions?|bugs?|fix(?:es)?|modifications?|amendments?|adjustments?"
    r"|updates?|typos?"
    r"|clarifications?|concerns?|objections?|contradictions?|caveats?|missing (?:information|details?|facts?))\b"
)

_MENDED = (
    r"(?:\s(?:is|are|was|were|be|been|has|have|to|needs?|needed|required|necessary|missing|omitted|found|made|report"
    r"|here|at all|add|correct|change|fix|improve|or)\b)"
)

DENIED = re.compile(
    rf"\b(?:(?:there (?:is|are) |i (?:find|found|see|have) |it (?:has|contains|needs|requires) |has |contains )?"
    rf"(?:needs? )?(?:no|zero|without|free (?:of|from))"
    rf"|(?:do|does|did)(?: not|n't) (?:need|require|contain|have|see|find))"
    rf"\s{_KINDS}{{0,4}}{_FAULTS}(?:(?:,|,?\s(?:or|and|nor))\s{_KINDS}{{0,4}}{_FAULTS}){{0,4}}{_MENDED}{{0,5}}"
    rf"|\b(?:there is )?nothing(?:\s(?:important|major|critical|essential|significant|relevant|else))?{_MENDED}{{1,6}}"
    rf"|\bno {_KINDS}{{0,3}}(?:information|details?|facts?|points?) (?:is |are )?(?:missing|omitted|lacking)\b"
    r"|\b(?:error|bug)-free\b|(?:没有|沒有|无|無)\w{0,6}(?:错误|錯誤|遗漏|缺少|问题)|(?:誤り|間違い|不足"
    r"|問題)は?(?:ありません|ない|なし)"
)
"""Words for a fault that is denied: "no errors or omissions", "nothing is missing", "needs no correction"."""

HARMLESS = re.compile(
    r"\bnot (?:only|just|merely)\b(?:.{1,80}?\bbut\b)?|\b(?:user's|users'|reader's|their|your|my|all|these"
    r"|specific) (?:\w{1,14} )?(?:needs|concerns"
    r"|problems?|issues?)\b|\bbetter (?:understand\w{0,3}|grasp)\b|\bwould (?:rate|be (?:rated"
    r"|(?:very )?(?:helpful|useful)))\b"
    r"|\b(?:does not|doesn't|do not|don't|did not|didn't) (?:lack|miss|omit|leave out|fail to|affect)\b|\bno room for\b"
    r"|\b(?:does not|doesn't|did not|didn't) (?:need|require|contain|have) (?:any )?(?:corrections?|changes"
    r"|mistakes|errors)\b"
)
"""Words of praise and of habit with a word of ``OPPOSED`` in them: "not only accurate", "the user's needs"."""

GREETING = re.compile(
    r"(?:that(?:'s| is)|this is|what|thank you for|thanks for)? ?(?:an?|the|your|this)? ?(?:very "
    r"|really )?(?:good|great|excellent"
    r"|interesting|fantastic|fair|nice|wonderful)(?: \w{1,10}(?:-\w{1,10})?)? questions?\W{0,3}"
)
"""Praise of a question, which is no praise of a draft."""

RATING = re.compile(r"(?:overall |final |my )?(?:rating|score|grade)s? ?(?:[:：]|is|\[)")
"""How a sentence begins that only gives marks, in lower case."""

FULL_MARKS = re.compile(r"\[\[10\]\]|(?<![\d.,])10 ?/ ?10\b|(?<![\d.,])5 ?/ ?5\b|\b10 out of 10\b|\bperfect score\b")
"""The best marks: who gives them holds nothing against a draft."""

CRITERION = re.compile(
    r"(?:factual |overall |areas? (?:for|of) |points? (?:for|of) |potential )?(?:accuracy|completeness|clarity"
    r"|relevance"
    r"|correctness|helpfulness|conciseness|strengths?|weaknesses|pros|cons|improvements?|fact[ -]?check\w{0,3}|feedback"
    r"|evaluation|assessment|issues|errors|mistakes|suggestions?|stärken|schwächen|genauigkeit|vollständigkeit|klarheit"
    r"|richtigkeit|exactitude|complétude|clarté|points forts|points faibles|exactitud|precisión|claridad|fortalezas"
    r"|debilidades|accuratezza|completezza|chiarezza|准确性|完整性|清晰度|优点|缺点|正確性|明確さ|良い点|改善点|정확성|완전성)"
    r"(?:$| ?[:：(]| ?[–—-] )"
)
"""What a line of a review begins with, in lower case, behind its list mark; a text has one of them at most."""

GIVEN = re.compile(
    r"(?:^|[:：|.,–—-] ?)(?:(?:is|this is) )?(?:partly |mostly |not )?(?:correct|true|false|incorrect|wrong|accurate"
    r"|inaccurate|richtig|falsch|vrai|faux|verdadero|falso|正确|错误)\W{0,4}$|[✓✔✅✗✘❌]\W{0,3}$"
)
"""How a sentence or a row of a table ends that gives a verdict on a claim, in lower case."""
