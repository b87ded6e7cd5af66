"""The words by which a model states its answer ("The correct answer is …"), per language, and corrects it."""

ADVERBS = (
    r"(?:(?:therefore|thus|hence|clearly|indeed|definitely|then|simply|just|probably|(?:most )?likely|obviously|still"
    r"|actually|in fact|certainly|most certainly|also|now|again)[ ,]{1,2}){0,2}"
)
_KIND = (
    r"(?:(?:final|correct|right|best|most (?:likely|plausible|appropriate|accurate|suitable|fitting)|only|overall|my"
    r"|true|actual|proper|single|one|chosen|closest|revised|corrected|updated) ){1,3}"
)
_ENGLISH = (
    rf"(?:(?:{_KIND})?(?:answer|choice|option)|{_KIND}(?:response|letter|pick|selection|verdict|solution"
    r"|conclusion))"
    r"(?: (?:to|for|of|in|here|from)(?: (?:the|this|your|that|these|given|list|options|choices|above|question|problem"
    r"|case|it|here)){0,4})?"
)
_IS = (
    r"(?:is|are|=|would be|should be|must be|will be|has to be|remains|becomes|was|appears to be|seems to be|"
    r"is given by|is found to be)"
)
NOUNS = (
    rf"(?:{_ENGLISH}[*_\"”]{{0,3}}(?:\s?[:：=]| {_IS}(?: {ADVERBS})?[ :：]{{0,2}}|[*_]{{1,3}}[:：]?))"
    r"|(?:(?:richtige|korrekte|endgültige|finale|beste) )?(?:antwort|lösung) ?(?:ist|lautet|wäre|[:：])"
    r"(?: (?:also|daher|somit|die|der|das|option|antwort)){0,2}"
    r"|(?:bonne |meilleure )?réponse(?: (?:correcte|finale|exacte|est))? ?(?:est|serait|[:：])(?: donc)?"
    r"(?: (?:la|le|l'option|l’option|l'|l’|option|lettre)){0,3}"
    r"|respuesta(?: (?:correcta|final))? ?(?:es|sería|[:：])(?: (?:la|el|opción|letra)){0,3}"
    r"|(?:resposta|risposta)(?: (?:correta|certa|final|corretta|giusta|esatta|finale))? ?(?:é|è|e'|[:：])"
    r"(?: (?:a|la|l'opzione|opção|letra|opzione|lettera)){0,3}"
    r"|ans\.? ?[:：]"
    r"|(?:juiste |goede )?antwoord ?(?:is|[:：])(?: (?:dus|optie)){0,2}"
    r"|(?:правильный |верный |окончательный )?ответ ?(?:это|[:：—–-])"
)
"""A noun for the answer and what joins it to the answer."""

UNSPACED = (
    r"(?:正确|最终|最后|所以|因此)?(?:的)?答案(?:应该|应)?(?:是|为|選|选|[:：])(?:选项|選項)?|(?:应该|應該|应|我)(?:选择|選擇|选|選)"
    r"|故?[选選](?=[A-Za-zＡ-Ｚ（(])"
    r"|(?:正解|正答|答え|答)は|(?:정답|답)(?:은|:|：)"
)
"""The same in languages that put no space between words."""

VERBS = (
    r"(?:I(?:'d|’d|'ll|’ll|'m|’m)?|we|let's|let us)(?: (?:would|will|am|must|do|can|have to|should|therefore"
    r"|thus|then|"
    r"now|confidently|ultimately|finally)){0,3} (?:choose|pick|select|choosing|picking|selecting"
    r"|go(?:ing)? with|answer|"
    r"vote for|opt(?:ing)? for|settl(?:e|ing) on|say|conclude|believe|think)"
    r"(?: (?:that )?(?:it is|it's|it’s|it must be|this is|the answer is|the correct answer is|is))?[ :]"
)
"""A first person that decides."""

CHANGES = (
    r"(?:(?:I )?(?:now )?(?:change|changing|revise|revising|correct|correcting|update|updating|switch|switching)"
    r" (?:my|the) (?:final )?(?:answer|choice|vote) (?:from \S{1,20} )?to"
    r"|(?:actually|on reflection|correction|scratch that|or rather|I mean|sorry)[,:]?(?: no,?)?"
    r"(?: (?:it is|it's|it’s|it should be|that should be|it must be|make that|make it))?)[ :]"
)
"""A correction of what was said before."""

CLOSINGS = (
    r"(?:so|thus|hence|therefore|consequently|final answer|in conclusion|conclusion|in summary|verdict"
    r"|result)[,:*]{0,3}"
    r"(?: (?:it is|it's|it’s|it must be|that is|this is|that's|we have|we get|that leaves|this leaves|i'd say))?[ :]"
    r"|(?:corresponds?|match(?:es)?|points?|leads?|leaving|leaves|consistent|i\.e\.|namely|which is|that is|this is"
    r"|only match is|the match is|→|⇒|=>)(?: (?:to|with|us with|only))?[,:]?\s(?=[*_(\"]{0,4}(?:answer |the )?"
    r"(?:option|choice|answer choice|letter)\s)"
)
"""Words that introduce a conclusion."""

REPORTED = (
    r"\b(?:if|whether|unless|suppose|supposing|assum(?:e|es|ed|ing)|says?|said|claims?|claimed|argues?|argued|states?"
    r"|stated|thinks|thought|believes|believed|suggested|suggests|according|mistake|mistakenly|mistaken|wrongly"
    r"|incorrectly|erroneously|error|tempt(?:ed|ing)|at first|first glance|initially|originally|previously|earlier"
    r"|why|trap|distractor|response [a-z0-9]|participant|peers?|colleague|reviewer|answer [0-9]|student|"
    r"(?:most|many|some|one|people|others|someone|they|you|he|she) (?:would|might|may|will|could|argue|think"
    r"|say|claim"
    r"|believe)|wenn|falls|laut|behauptet|sagt|selon|según)\b"
)
"""Words that make a statement another's, a supposition, or one that was given up."""

DENIED = r"(?:\b(?:not|never|cannot|hardly|unlikely|neither|nor|no longer|isn't|doubt|nicht|pas|kein|keine)\b|n['’]t\b)"
"""Words that deny what follows them in the same clause."""

INABILITY = (
    r"\b(?:cannot|can't|can’t|unable|don't know|don’t know|do not know|not enough|insufficient|unknown|unclear|unsure"
    r"|not sure|impossible|undetermined|cannot be determined|not possible|depends|no answer|not certain|uncertain"
    r"|not provided|need more|missing)\b"
)
"""Words of a reply that gives no answer."""
