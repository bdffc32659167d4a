"""Ask for a list as a question does: "List all error codes" is "What are the error codes?".

The word "list" is in no page that has one, and would be missed there.
"""

from __future__ import annotations

import re
from typing import Final

#: a wish for all of something → the question for it; "List comprehensions" and "Name the mayor" are none
_WISHES: Final = tuple(
    (re.compile(wish, re.IGNORECASE), question)
    for wish, question in (
        (
            r"(?:please )?(?:(?:can|could) you )?(?:list|enumerate|name|(?:show|give|tell) (?:me|us)|show)"
            r" all(?: of)?(?: (?:the|its|our|my|your))? (.+)",
            "What are the {}?",
        ),
        (r"(?:please )?(?:list|enumerate) the (.+)", "What are the {}?"),
        (
            r"(?:bitte )?(?:nenne?|nennen sie|zeige?|zeigen sie|liste|listen sie)(?: (?:mir|uns|bitte))* alle (.+?)"
            r"(?: auf)?",
            "Welche {} gibt es?",
        ),
        (r"(?:liste[zr]?|donnez?[ -]moi|énumère[zr]?|citez?) tous les (.+)", "Quels sont les {} ?"),
        (r"(?:liste[zr]?|donnez?[ -]moi|énumère[zr]?|citez?) toutes les (.+)", "Quelles sont les {} ?"),
        (r"(?:lista|liste|enumer[ae]|muestra|muéstrame|nombra|dime) todos los (.+)", "¿Cuáles son los {}?"),
        (r"(?:lista|liste|enumer[ae]|muestra|muéstrame|nombra|dime) todas las (.+)", "¿Cuáles son las {}?"),
        (r"(?:elenca(?:mi)?|elenchi|nomina|mostra(?:mi)?|dimmi) tutt[ie] (i|gli|le) (.+)", "Quali sono {} {}?"),
        (r"(?:lista|liste|enumer[ae]|nomeie|mostr[ae](?:-me)?) todos os (.+)", "Quais são os {}?"),
        (r"(?:lista|liste|enumer[ae]|nomeie|mostr[ae](?:-me)?) todas as (.+)", "Quais são as {}?"),
        (r"(?:noem|toon|geef(?: me| mij)?) alle (.+)", "Wat zijn de {}?"),
    )
)


def ask_for_list(text: str) -> str:
    """Return the question that a wish for all of something stands for; any other text as it is."""
    wish = text.rstrip(" .!?")
    for pattern, question in _WISHES:
        if found := pattern.fullmatch(wish):
            return question.format(*found.groups())
    return text
