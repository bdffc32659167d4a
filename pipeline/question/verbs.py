"""English verbs: whether a word is a verb's past, or what it is after he, she or it."""

from __future__ import annotations

_PAIRS = """
become became/ begin began/ bring brought/ build built/ buy bought/ catch caught/ choose chose/ come came/ draw
drew/ drive drove/ fall fell/ feed fed/ fight fought/ find found/ fly flew/ forget forgot/ get got/ give gave/
go went/ grow grew/ have had/ hear heard/ hide hid/ hold held/ keep kept/ know knew/ lead led/ leave left/ lend
lent/ lose lost/ make made/ mean meant/ meet met/ pay paid/ ride rode/ rise rose/ run ran/ say said/ see saw/
sell sold/ send sent/ sing sang/ sink sank/ sit sat/ speak spoke/ spend spent/ stand stood/ steal stole/ strike
struck/ swim swam/ take took/ teach taught/ tell told/ think thought/ throw threw/ wear wore/ win won/ write
wrote
"""
_IRREGULAR = {pair.split()[0]: pair.split()[1] for pair in _PAIRS.split("/")}
_VOWELS = "aeiou"


def is_past(verb: str, word: str) -> bool:
    """Return whether ``word`` is the past of ``verb``; a form that is both is not taken for it."""
    if verb in _IRREGULAR:
        return word == _IRREGULAR[verb]
    if verb.endswith("e"):
        return word == f"{verb}d"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return word == f"{verb[:-1]}ied"
    return word in (f"{verb}ed", f"{verb}{verb[-1:]}ed")


def is_present(verb: str, word: str) -> bool:
    """Return whether ``word`` is ``verb`` after he, she or it."""
    if verb == "have":
        return word == "has"
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        return word == f"{verb[:-1]}ies"
    return word == (f"{verb}es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else f"{verb}s")
