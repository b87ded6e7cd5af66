"""Phrases that mark a position in a text: tables with one regular expression on each line.

In the languages that the readers know: English, German, French, Spanish, Chinese, Japanese.
"""

ROLES = r"""
(?:speaking |writing )?as (?:a|an|the|your|p\d{1,2}|one of)\b[^.,:\n]{0,80},
(?:speaking |arguing )?(?:from|in) (?:my|the) (?:role|perspective|anchor|capacity)\b[^.,:\n]{0,80},
en tant que?\b[^.,:\n]{0,60},
como [^.,:\n]{1,60},
作为[^，,。]{1,30}[，,]
[^。、]{1,20}として[、,]
"""
"""A clause at the beginning of a sentence that names the writer's role."""

COURTESIES = r"""
(?:great|good|excellent|interesting|valid|fair|strong|thoughtful|nice)(?: and \w{1,12})? (?:points?|questions?)\b
(?:great|good|excellent|interesting|valid|fair|strong|nice) (?:arguments?|contributions?|discussion|work|insights?)\b
(?:many )?thanks?\b
I (?:appreciate|thank|commend|applaud|welcome|respect|value)\b
I(?:['’]d| would) like to\b
(?:hello|hi|dear|greetings|understood|absolutely|certainly|sure|okay)\b[ ,!.]
of course[,!.]
well said\b
(?:vielen )?danke?\b
gute[rs]? (?:punkte?|einwand|frage|argumente?)\b
merci\b
(?:bons?|excellents?) (?:points?|arguments?)
gracias\b
(?:buen|excelente)s? (?:puntos?|argumentos?)
谢谢|感谢|很好|说得好|好的
ありがとう|素晴らしい|良い指摘
"""

ANNOUNCEMENTS = r"""
here (?:is|are|comes) (?:my|the|what)\b
below\b
this is my (?:turn|reply|response)\b
let(?: me|['’]s)\b
in this (?:round|turn)\b
I(?:['’]ll| will| shall| am going to|['’]m (?:going|here) to| am here to)\b
I(?: am|['’]m) (?:the|a|an|your|p\d|on the)\b
I was (?:asked|assigned|dealt)\b
my (?:role|job|task|mission|anchor|goal|aim)\b
ich (?:werde|bin (?:der|die|das|ein))\b
als [^.,:\n]{1,60} werde ich\b
(?:hier (?:ist|folgt)|meine (?:rolle|aufgabe))\b
(?:voici|je (?:vais|suis (?:le|la|un|une))|mon rôle)\b
(?:aquí (?:está|va)|voy a|soy (?:el|la|un|una)|mi papel)\b
以下是|我是|我将|我的(?:角色|任务)
以下[はに]|私は[^。]{0,20}(?:担当|役|専門家)です|私の役割
"""
"""Announcements of a turn and of its role."""

RESTATEMENTS = r"""
the (?:question|topic|issue|debate) (?:is|was|asks?|before us|concerns|at hand|under)\b
(?:we|you) (?:are|were) (?:debating|discussing|asked|asking)\b
(?:you ask|the topic of)\b
(?:(?:die|unsere) frage (?:ist|lautet)|das thema|es geht um)\b
(?:la question (?:est|posée)|il s['’]agit)\b
(?:la (?:pregunta|cuestión) es|el tema|se trata de)\b
问题是|议题是|题目是
問題は|議題は|テーマは
"""

STEEL_MEN = r"""
(?:to )?steel[- ]?man(?:n?(?:ed|ing))?\b
(?:in|at) (?:its|their) (?:strongest|best)\b
(?:the |an? )?(?:strongest|best) (?:case|argument|rationale|version|form|reasons?|that can be said)\b
(?:proponents|opponents|supporters|advocates|critics|sceptics|skeptics|defenders)\b
(?:(?:das |der )?(?:stärkste|beste) (?:argument|fall|grund|einwand)|befürworter|gegner|kritiker)\b
(?:(?:le |l['’])(?:meilleur )?argument|les (?:partisans|opposants|critiques))\b
(?:el (?:mejor )?argumento|los (?:partidarios|críticos|defensores))\b
支持者|反对者|批评者|最有力的
賛成派|反対派|支持派|最も強い|最強の
"""
"""The other side's position, at its strongest."""

PEERS = r"""
(?:admittedly|granted|according to)\b
(?:some|others|many|they|one) (?:say|argue|might|may|would|could|claim|hold|believe|contend|think)\b
(?:p\d{1,2}|expert [a-j]|(?:my|the|our|other) (?:colleagues?|peers?|opponents?|debaters?|experts?|panel))\b
if (?:one|you|we) (?:accept|grant|believe|assume)\b
I (?:agree|concur|disagree|see|understand|grant|concede|admit|acknowledge|note)\b(?! (?:with|to) the motion)
(?:manche|ich (?:stimme|verstehe|sehe|räume))\b
je (?:suis d['’]accord|comprends|reconnais)\b
(?:estoy de acuerdo|entiendo|reconozco)\b
有人|我同意|我理解
"""
"""Statements about others and concessions: no position in prose, but under the label of one."""

_ADVERBS = r"(?: (?:do|would|must|still|therefore|thus|also|strongly|firmly|now|not|never|don['’]t|cannot|can['’]t|so))"

CONCLUDED = rf"""
\bmy (?:\w{{1,12}} ){{0,2}}(?:position|view|stance|conclusion|verdict|recommendation)\b[^.]{{0,20}} (?:is|remains)\b
\bI{_ADVERBS}{{0,3}} conclude\b
\b(?:in conclusion|on balance|overall|all in all|to conclude)\b,
\bmeine? (?:\w{{1,14}} )?(?:position|haltung|fazit|these|empfehlung|urteil|ansicht)\b[^.]{{0,20}}\b(?:ist|bleibt)\b
\bmein (?:standpunkt|fazit|urteil) (?:ist|bleibt|lautet)\b
\bma (?:position|conclusion|recommandation|thèse)\b[^.]{{0,20}}\b(?:est|reste)\b
\bmi (?:posición|postura|conclusión|recomendación|tesis)\b[^.]{{0,20}}\b(?:es|sigue)\b
\ben conclusi(?:ón|on),
我的(?:最终)?(?:立场|观点|结论|看法|主张)(?:是|为|仍|：|:)|综上
私の(?:立場|結論|主張|見解|意見)は|結論として
"""
"""What says that it is the position; of several the last counts."""

HELD = rf"""
\bI(?:['’]d)?{_ADVERBS}{{0,4}} (?:believe|think|hold|maintain|argue|contend|support|oppose|favou?r|recommend|propose)\b
\bI(?:['’]d)?{_ADVERBS}{{0,4}} (?:advocate|endorse|reject|prefer|defend|urge|suggest|advise|judge)\b
\bI(?:['’]d)?{_ADVERBS}{{0,4}} stand (?:by|for|against)\b
\bI(?:['’]m| am| remain)(?: \w{{1,14}}){{0,2}}? (?:for|against|in favou?r|opposed|(?:un)?convinced|s[ck]eptical)\b
\bI(?:['’]d| would)(?: not| still| rather| only){{0,2}} (?!like|first|begin|start|add|note|ask|thank|vote)\w{{2,}}
\bI (?:fully )?(?:agree (?:with|to)|accept|support|endorse) the motion\b
\bich(?: \w{{1,14}}){{0,2}}? (?:halte|denke|meine|glaube|befürworte|lehne|empfehle|plädiere|würde)\b
\b(?:halte|denke|meine|glaube|befürworte|lehne|empfehle|plädiere|würde) ich\b
\b(?:ich bin|bin ich) (?:\w{{1,9}} )?(?:dafür|dagegen)\b
\bje (?:ne )?(?:pense|crois|soutiens|propose|recommande|considère|préconise|m['’]oppose|défends|rejette)\b
\b(?:je suis (?:pour|contre|favorable|opposée?)|à mon avis|selon moi)\b
\b(?:creo|pienso|considero|propongo|recomiendo|apoyo|sostengo|opino|rechazo|defiendo|me opongo|en mi opinión)\b
\bestoy (?:a favor|en contra)\b
我(?:仍然?|坚决|强烈)?(?:认为|主张|支持|反对|建议|赞成|坚持)
と(?:考え(?:る|ます)|思います|主張し?(?:ます|する))
(?:私|わたし)は.{{0,80}}(?:支持|反対|提案|主張|賛成)
"""
"""What says that the writer holds it; of several the first counts."""

TURNED = r"""
\b(?:but|yet|however|still|nevertheless|aber|dennoch|mais|pero|sin embargo)\b,?[ ]
但是?|しかし|が、
"""
"""The turn from a concession to the writer's position."""

HEADS_OF_OTHERS = r"""
steel[- ]?man\w{0,5}
(?:the )?(?:strongest|best) (?:case|argument)\b[^\n:]{0,60}
opposing views?|the other side|best of both|expected (?:objections|defences)
references|sources|question|topic|restatement
stärkstes argument|gegenposition|homme de paille|argument adverse|argumento contrario|对方观点|スティールマン
"""
"""Headers of sections without the writer's position."""
