"""Find which of seven types of answer a question asks for: one small table for each language, no model.

A question in another language has the type "general"; one whose language is not known is read as English.
"""

from __future__ import annotations

import re
from typing import Literal

QuestionType = Literal["definition", "procedural", "causal", "temporal", "spatial", "comparative", "general"]

#: tried in order; the first whose phrase is in the question, on word boundaries, gives its type. "How heavy" and its
#: like are "general": a quantity answers them.
_PHRASES: dict[str, tuple[tuple[QuestionType, str], ...]] = {
    "en": (
        (
            "comparative",
            r"compare[ds]?|comparison|differ(?:s|ed|ence|ences|ent)?|versus|vs|better|worse|(?:more|less) \w+ than",
        ),
        (
            "procedural",
            r"how (?:do|does|did|can|could|should|would|to|must) (?:i|you|we|one|someone|people)|how to"
            r"|steps? (?:to|for)"
            r"|way to",
        ),
        ("causal", r"why|how come|what (?:causes?|caused|led to)|reasons? (?:for|why)|because"),
        (
            "temporal",
            r"when|what (?:year|date|day|time|month|century)|which (?:year|day|month|century)"
            r"|in (?:what|which) (?:year|century)|how long ago|since when",
        ),
        ("spatial", r"where|wherein|(?:what|which) (?:city|country|place|state|region|continent)|location of"),
        (
            "definition",
            r"what (?:is|are|was|were|does \S+ mean|do \S+ mean)|what's|define|definition|meaning of|means?"
            r"|who (?:is|was)",
        ),
        (
            "procedural",
            r""
            r"how (?:do|does|did|is|are|was|were|am|can|could|should|would|will|must|may|might|has|have|had)",
        ),
    ),
    "de": (
        ("comparative", r"vergleich\w*|unterschied\w*|unterscheide\w*|besser|schlechter|im gegensatz"),
        ("procedural", r"wie (?:\w+ ){0,2}(?:ich|man|wir|du|sie)|anleitung|schritte"),
        ("causal", r"warum|weshalb|wieso|weswegen|ursachen?|grund"),
        ("temporal", r"wann|(?:welche[mnrs]?) (?:jahr\w*|tag|datum|monat|jahrhundert)"),
        ("spatial", r"wo|wohin|woher|(?:welche[mnrs]?) (?:stadt|land|ort|staat|gegend|region|kontinent)"),
        (
            "definition",
            r"was (?:ist|sind|war|waren|bedeutet|heißt|versteht)|wer (?:ist|war)|definiere|bedeutung",
        ),
        (
            "procedural",
            r"wie(?! (?:viele?|lange?|kurz|weit|alt|jung|hoch|tief|groß|klein|oft|häufig|schwer|leicht"
            r"|schnell|langsam|breit"
            r"|dick|dünn|stark|schwach|heiß|warm|kalt|teuer|reich|laut|hell|dicht|nahe?|früh|spät|genau|sicher|bekannt"
            r"|wichtig|gefährlich|wahrscheinlich|gut|voll|heißt|\w+ (?:ist|sind|war|waren|darf|dürfen)))",
        ),
    ),
    "fr": (
        ("comparative", r"compar\w+|différence\w*|diffèrent?|versus|vs|meilleure?s?|pire|(?:plus|moins) \w+ que"),
        ("procedural", r"comment (?:puis-je|peut-on|faire|dois-je|on|je|faut-il|\w+[ie]r)|étapes"),
        ("causal", r"pourquoi|(?:quelle est|quelles sont) les? (?:causes?|raisons?)|à cause de|raison"),
        ("temporal", r"quand|(?:quelle|quel|quels|quelles) (?:années?|dates?|jours?|mois|siècles?|heure)"),
        ("spatial", r"où|(?:quelle|quel|quels|quelles) (?:villes?|pays|lieux?|régions?|continents?|endroits?)"),
        (
            "definition",
            r"qu['’]est-ce (?:que?|qu['’])|c['’]est quoi|que (?:signifie|veut dire)|définition"
            r"|qui (?:est|était)",
        ),
        ("procedural", r"comment"),
    ),
    "es": (
        ("comparative", r"compar\w+|diferencias?|difieren?|versus|vs|mejor|peor|(?:más|menos) \w+ que"),
        ("procedural", r"c[oó]mo (?:puedo|se|debo|podemos|hago|hacer|\w+[aei]r)|pasos para"),
        (
            "causal",
            r"por qu[eé]|cu[aá]l(?:es)? (?:es|son|fue|fueron) las? (?:causas?|raz[oó]n(?:es)?)"
            r"|a causa de|motivo",
        ),
        ("temporal", r"cu[aá]ndo|qu[eé] (?:año|fecha|d[ií]a|mes|siglo|hora)"),
        ("spatial", r"d[oó]nde|ad[oó]nde|qu[eé] (?:ciudad|pa[ií]s|lugar|regi[oó]n|continente)"),
        ("definition", r"qu[eé] (?:es|son|era|eran|significa)|definici[oó]n|significado|qui[eé]n (?:es|era|fue)"),
        ("procedural", r"c[oó]mo"),
    ),
    "it": (
        ("comparative", r"confront\w+|differenz[ae]|versus|vs|migliore?|peggiore?|(?:più|meno) \w+ (?:di|che)"),
        ("procedural", r"come (?:posso|si|devo|faccio|fare|possiamo|\w+[aei]re)|passaggi per"),
        ("causal", r"perch[eéè]|come mai|qual(?:i|e)? (?:è|sono) (?:la|le) caus[ae]|a causa di|motivo"),
        ("temporal", r"quando|(?:che|quale?|in che|in quale) (?:anno|data|giorno|mese|secolo|ora)"),
        ("spatial", r"dove|dov['’]\w+|(?:che|quale?|in che|in quale) (?:città|paese|luogo|regione|continente)"),
        (
            "definition",
            r"(?:che )?cos['’]è|cosa (?:è|sono|significa)|che significa|definizione|significato"
            r"|chi (?:è|era|fu)",
        ),
        ("procedural", r"come"),
    ),
    "pt": (
        ("comparative", r"compar\w+|diferenças?|diferem?|versus|vs|melhor|pior|(?:mais|menos) \w+ (?:do )?que"),
        ("procedural", r"como (?:posso|se|devo|faço|fazer|podemos|\w+[aei]r)|passos para"),
        ("causal", r"por ?qu[eê]|qua(?:l|is) (?:é|são|foi|foram) as? (?:causas?|raz(?:ão|ões))|por causa de|motivo"),
        ("temporal", r"quando|(?:que|qual) (?:ano|data|dia|mês|século|hora)"),
        ("spatial", r"onde|aonde|(?:que|qual) (?:cidade|país|lugar|região|continente)"),
        ("definition", r"o que (?:é|são|era|significa)|definição|significado|quem (?:é|era|foi)"),
        ("procedural", r"como"),
    ),
}  # fmt: skip
_PATTERNS = {
    lang: tuple((kind, re.compile(rf"(?<!\w)(?:{phrases})(?!\w)")) for kind, phrases in table)
    for lang, table in _PHRASES.items()
}
LANGUAGES = frozenset(_PATTERNS)
_UNKNOWN = ("", "und")


def question_type_of(question: str, lang: str = "en") -> QuestionType:
    """Return the type of answer that the question's own words ask for, in its language (ISO 639-1)."""
    text = question.casefold()
    patterns = _PATTERNS.get("en" if lang in _UNKNOWN else lang, ())
    return next((kind for kind, pattern in patterns if pattern.search(text)), "general")
