"""List the wordings of prompt injections in seven languages: the words to look for first, then the whole pattern.

A sentence without any of a pattern's words (folded, ``|`` between them) is not matched against it: the patterns are
slow, and nearly no sentence needs them.
"""

from __future__ import annotations

_RULES = r"(?:instructions?|prompts?|rules?|guidelines?|directions|directives?|commands?|orders|context|constraints)"
_READER = (
    r"(?:AIs?|LLMs?|(?:AI |language )(?:model|assistant|agent|system|bot)s?|assistants?|chat ?bots?|ChatGPT|GPT-?\d*"
    r"|Claude|Gemini|Copilot)"
)
_READERS = " ai|ais |ai:|llm|language model|assistant|chatbot|chat bot|gpt|claude|gemini|copilot"
_SAY = r"(?:answer|reply|respond|say|state|tell|output|print|write|name|claim|insist|recommend|repeat|give)"
_QUOTE = "[\"“'‘]"

_ENGLISH = (
    (
        "ignore|disregard|forget|overrid|overrule|bypass|discard|drop|neglect",
        r"(?:^\W*|[.:;,!>)\]]\W*|\b(?:please|kindly|now|just|then|and|instead|simply|first|you|to"
        r"|you (?:must|will|should)) )"
        r"(?:ignore|disregard|forget|override|overrule|bypass|discard|drop|neglect)\b[^.!?]{0,40}?\b(?:previous|prior"
        rf"|above|earlier|preceding|former|all|any|every|your|these|those|other|system)\b[^.!?]{{0,20}}?\b{_RULES}",
    ),
    ("forget", r"\bforget (?:everything|all|what)\b[^.!?]{0,20}\b(?:told|said|before|above|know|learned)"),
    (
        " void| cancel| obsolete| overridden| revoked|no longer valid",
        rf"\b{_RULES} (?:are|is) (?:now )?(?:void|cancell?ed|obsolete|overridden|revoked|no longer valid)",
    ),
    (
        "instruction|prompt|directive|orders",
        r"\b(?:new|updated|real|actual|true|hidden|secret|special) (?:system )?(?:instructions?|prompts?|directives?"
        r"|orders)\b *[:,]",
    ),
    (
        _READERS + "|model",
        r"\b(?:instruction|message|note|notice|order|request|memo|command)s? (?:to|for) (?:the |all |any |every )?"
        rf"(?:{_READER}|models?)\b",
    ),
    (_READERS, rf"^\W*(?:attention|dear|hey|hello|note|notice)\b[^.!?]{{0,20}}\b{_READER}"),
    (
        "reading|read |process|summari|parsing|indexing|crawling",
        rf"\b{_READER} (?:(?:that|who)(?: are)? )?(?:reading|read|processing|process|summari[sz]ing|parsing|indexing"
        r"|crawling)\b",
    ),
    (
        "assistant|model|chatbot",
        r"\b(?:the|this|any|every|all|you,?) (?:AI |language )?(?:assistant|model|chatbot)s? "
        rf"(?:now |must |should |shall |will |then )+(?:\w+ )?{_SAY}",
    ),
    (
        "must|should|shall|will|required|instructed|ordered|told",
        rf"\b{_READER} (?:must|should|shall|will|are (?:required|instructed|ordered|told) to) (?:\w+ )?{_SAY}s?\b",
    ),
    (
        "you are",
        r"\byou are (?:now|no longer|from now on)\b[^.!?]{0,40}\b(?:assistant|AI|bot|chatbot|model|agent|GPT|DAN|rules"
        r"|limits|restrictions|\w+GPT)\b",
    ),
    ("from now on", rf"\bfrom now on,? you\b[^.!?]{{0,30}}\b(?:{_SAY}|act|behave|are|obey)"),
    (
        "act as|behave|pretend|play",
        r"\b(?:act|behave|pretend|role-?play)\b[^.!?]{0,20}\b(?:as|to be|you are)\b[^.!?]{0,30}\b(?:assistant|AI"
        r"|chatbot"
        r"|unrestricted|jailbroken|DAN)\b",
    ),
    (
        "asked|asks|ask |questioned|queried",
        r"\b(?:when|if|whenever|once|should) (?:you(?:'re| are| get| be)? |anyone |someone |the user |a user |users? "
        r"|somebody )?(?:asked|asks?|questioned|queried)\b(?: you)?(?: about| of)? ?(?:who|whom|whose|what|when"
        r"|where|why"
        rf"|how|which|whether|about|this|that)\b[^.!?]{{0,200}}\b{_SAY}",
    ),
    (
        "must|should|shall|will|have to|need to|are to|ordered to",
        r"\b(?:you|it) (?:must|should|shall|will|have to|need to|are to|are ordered to)(?: now| always| only| then)? "
        rf"(?:{_SAY}|reveal|include|append|insert|cite)\b[^.!?]{{0,40}}\b(?:the user|users|so\b|every question"
        rf"|in your)",
    ),
    (
        "prompt|api key|your ",
        r"\b(?:reveal|disclose|print|output|repeat|leak|show|send|expose)\b[^.!?]{0,30}\b(?:system prompt"
        r"|initial prompt"
        r"|hidden prompt|your (?:instructions?|prompt|rules|configuration|secrets?|api keys?))",
    ),
    (
        "reply|respond|answer|say",
        r"^\W*(?:please |now |instead,? |always |just |simply |only |kindly )*(?:reply|respond|answer"
        r"|say)\b(?: only| just"
        rf"| exactly| always)?(?: with| in)? (?:only|just|exactly|nothing|the words?|the phrase|the sentence|that"
        rf"|{_QUOTE})",
    ),
    (
        "reply|respond|answer",
        rf"(?::|\band|\bmust) (?:please )?(?:reply|respond|answer) (?:that|so\b|with {_QUOTE}|{_QUOTE})",
    ),
    (
        "reply|response|answer",
        r"\b(?:so|and|must|please) (?:give|use|present|return|cite) (?:that|this|it|the following) as (?:your|the) "
        r"(?:answer|reply|response)",
    ),
    ("your ", r"\byour (?:answer|reply|response|output|summary) (?:must|should|shall|has to|will|needs to)\b"),
    ("respond", r"\b(?:kindly|must|simply|just|always) respond (?:only )?with\b"),
    ("this is your", r"\bthis is your (?:developer|creator|administrator|admin|owner|operator|system)\b"),
)
_GERMAN = (
    (
        "ignorier|vergiss|vergess|missacht|übergeh",
        r"\b(?:ignorier\w*|vergiss|vergesst|vergessen sie|missachte\w*|übergeh\w*)\b[^.!?]{0,50}\b(?:anweisung"
        r"|instruktion"
        r"|vorgabe|regel|befehl|prompt|weisung)\w*",
    ),
    (
        "du bist",
        r"\bdu bist (?:ab jetzt|jetzt|nun|ab sofort|von nun an|nicht mehr)\b[^.!?]{0,40}\b(?:assistent|ki|modell"
        r"|bot|regeln"
        r"|einschränkungen)",
    ),
    (
        "antworte|erwidere|sag|nenne|behaupte",
        r"(?:^\W*|\bund |: )(?:bitte )?(?:antworte|erwidere|sag|sage|nenne|behaupte)\b(?: sie)?(?: nur| stattdessen"
        r"| immer"
        r"| einfach| dann)*(?:,? dass| mit\b|:)",
    ),
    (
        "gefragt|fragt",
        r"\b(?:wenn|falls|sobald) (?:du|sie|man|jemand|dich|der nutzer)\b[^.!?]{0,60}\b(?:gefragt|fragt)\b[^.!?]{0,120}"
        r"\b(?:antworte|sag|sage|nenne|behaupte)\b",
    ),
    (
        "hinweis|anweisung",
        r"\b(?:hinweis|anweisung)\w* (?:an|für) (?:die |den |alle )?(?:ki|sprachmodell|assistent|chatbot)",
    ),
)
_FRENCH = (
    (
        "ignore|oublie|néglige|compte",
        r"\b(?:ignore[zrs]?|oublie[zrs]?|néglige[zr]?|ne tiens? (?:pas|plus) compte)\b[^.!?]{0,50}\b(?:instruction"
        r"|consigne"
        r"|règle|directive|ordre|invite)s?",
    ),
    (
        "désormais|maintenant",
        r"\b(?:désormais|maintenant),? (?:tu|vous)\b[^.!?]{0,60}\b(?:réponds|répondez|dis|dites|assistant)",
    ),
    (
        "réponds|répondez|affirme|dites|dis ",
        r"(?:^\W*|\bet |: )(?:réponds|répondez|dis|dites|affirmez?)\b(?: toujours| seulement| uniquement| simplement)?"
        r"(?: que| par| :|:)",
    ),
    (
        "demande",
        r"\bsi (?:on|l['’]on|l['’]utilisateur) (?:te |vous )?demande\b[^.!?]{0,120}\b(?:réponds|répondez|dis|dites)\b",
    ),
)
_SPANISH = (
    (
        "ignor|olvid|omit|desobede|descart|caso omiso",
        r"\b(?:ignor[ae]|olvid[ae]|omit[ae]|desobedece|descarta|haz caso omiso)\b[^.!?]{0,50}\b(?:instruccion|orden"
        r"|regla"
        r"|indicacion|directiva|norma|consigna)(?:es|s)?",
    ),
    (
        "ahora",
        r"\b(?:a partir de ahora|desde ahora|ahora),? (?:tú )?(?:eres|actúas|responderás"
        r"|dirás)\b[^.!?]{0,60}\b(?:asistente"
        r"|ia|modelo|reglas|que)\b",
    ),
    (
        "responde|contesta|afirma|diga",
        r"(?:^\W*|\by |: )(?:responde|contesta|afirma|responda|diga)\b(?: siempre| solo| sólo| únicamente"
        r"| simplemente)?"
        r"(?: que|:)",
    ),
    ("pregunta", r"\bsi (?:te|le|alguien te|el usuario te) preguntan?\b[^.!?]{0,120}\b(?:responde|contesta|di)\b"),
)
_RUSSIAN = (
    (
        "игнорир|забудь|не обращай|отбрось",
        r"(?:игнорируй\w*|забудь\w*|не обращай\w* внимани\w*|отбрось\w*)[^.!?]{0,50}(?:инструкци|указани|правил|команд"
        r"|предписани|приказ)\w*",
    ),
    (
        "теперь|отныне|с этого момента",
        r"(?:теперь|отныне|с этого момента),? (?:ты|вы)\b[^.!?]{0,60}(?:помощник|ассистент|модель|бот|без правил)",
    ),
    (
        "отвечай|ответь|скажи|говори|утверждай",
        r"\b(?:отвечай|ответь|отвечайте|ответьте|скажи|скажите|говори|утверждай)(?: только| всегда"
        r"| просто)?(?:, что|:)",
    ),
    ("если", r"\bесли (?:тебя|вас) (?:спрос|спраш)\w+[^.!?]{0,120}(?:ответь|отвечай|скажи)"),
)
_CHINESE = (
    (
        "忽略|无视|無視|忽視|忘记|忘記|忘掉|不要理|不用管",
        r"(?:忽略|无视|無視|忽視|忘记|忘記|忘掉|不要理会|不要理會|不用管)[^。！？]{0,20}(?:指令|指示|命令|提示词|規則|规则|之前的说明|要求)",
    ),
    (
        "从现在|從現在|你现在|你現在",
        r"(?:从现在起|從現在起|从现在开始|你现在是|你現在是)[^。！？]{0,30}(?:助手|助理|模型|机器人|機器人|规则|規則|扮演)",
    ),
    ("你要|你必须|你必須|请只|請只", r"(?:你要|你必须|你必須|请只|請只)(?:能)?(?:回答|回复|回覆|输出|輸出|说|說)"),
    ("问|問", r"(?:如果|当|當)[^。！？]{0,20}(?:问你|问到|問到|被问)[^。！？]{0,40}(?:回答|回复|回覆|说|說)"),
)
_ARABIC = (
    (
        "تجاهل|انس|أهمل|لا تلتفت",
        r"(?:تجاهل\w*|انس|انسى|أهمل|لا تلتفت)[^.!?؟]{0,40}(?:التعليمات|تعليمات|الأوامر|القواعد|التوجيهات|الإرشادات)",
    ),
    (
        "أنت الآن|من الآن",
        r"(?:أنت الآن|من الآن فصاعدا|ابتداء من الآن)[^.!?؟]{0,60}(?:مساعد|نموذج|روبوت|قواعد|أجب|قل)",
    ),
    ("أجب|وقل", r"\b(?:و?أجب|و?أجيبي|وقل)\b (?:فقط |دائما )?(?:بأن|أن|إن)"),
    ("سئلت|سأل", r"(?:إذا|عندما|إن) (?:سئلت|سألك|سألوك|يسألك)[^.!?؟]{0,120}(?:أجب|قل|رد)\b"),
)
WORDINGS: tuple[tuple[str, str], ...] = (
    *_ENGLISH,
    *_GERMAN,
    *_FRENCH,
    *_SPANISH,
    *_RUSSIAN,
    *_CHINESE,
    *_ARABIC,
)

#: turns of a conversation and blocks of a prompt, which no prose holds
FORMS: tuple[tuple[str, str], ...] = (
    ("<", r"<\|\w+\|>"),
    ("inst]|sys>", r"\[/?INST\]|<<?/?SYS>>?"),
    ("_of_turn>", r"<(?:start|end)_of_turn>"),
    ("s>", r"(?:^|\s)</?s>(?:\s|$)"),
    ("##", r"#{2,} ?(?:instruction|response|system|input)s? ?:"),
    (
        ">",
        r"</?(?:system|assistant|user|human|search_results?|documents?|context|cite|citation|instructions?"
        r"|tool_results?"
        r"|function_calls?|example|untrusted\w*)(?: [^<>]*)?>",
    ),
    ("assistant|human|ai:|ai :|chatbot", r"^\W*(?:assistant|human|AI|chatbot) ?: +\S"),
    ("system", r"\bsystem (?:message|override|prompt|instruction|note|update|command)s? ?:"),
    (
        "end of|start of|begin",
        r"\b(?:end|start|beginning) of (?:search results?|untrusted|(?:the )?(?:system prompt|search results?))\b",
    ),
    (
        "role|type",
        r"[\"']role[\"'] ?: ?[\"'](?:system|assistant|user|developer)[\"']|[\"']type[\"'] ?: ?[\"'](?:text"
        r"|search_result\w*|tool_\w+)[\"']",
    ),
)
