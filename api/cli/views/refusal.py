"""Says what the API refused in the words of the command line: commands and options instead of routes and fields."""

import re

from api.cli.options import flag_of
from wellread.errors import Refused

#: the route that a problem names, and the command that does the same
_COMMANDS = (
    (r"GET /api/pages/\d+/versions", "`wellread pages versions URL`"),
    (r"GET /api/pages lists", "`wellread pages list` lists"),
    (r"POST /api/reads reads", "`wellread read URL` reads"),
    (r"POST /api/files adds", "`wellread add FILE` adds"),
    (r"GET /api/questions", "`wellread status`"),
    (r"GET /api/threads", "`wellread threads list`"),
    (r"POST /api/site-reads", "`wellread read --whole URL`"),
    (r"GET /api/site-reads", "`wellread reads list`"),
    (r"GET /api/collections", "`wellread collections list`"),
    (r"GET /api/keys", "`wellread keys list`"),
    (r"GET /api/folders lists", "`wellread files folders` lists"),
    (r"GET /api/files", "`wellread files list`"),
    (r"GET /api/sources", "`wellread source list`"),
    (r"GET /api/export or ", ""),
    (r"POST /api/reads or ", ""),
    (r"to be read, it can also be added as your own site", "to have it read, add --own"),
)
#: what to do, by the kind of problem, where the API's advice is for programs; "" where the detail says all
_ADVICE = {
    "wrong-key": "Set WELLREAD_API_KEY to a key of WELLREAD_API_KEYS or of `wellread keys`.",
    "role-too-small": "Set WELLREAD_API_KEY to a key with a higher role: ask < operate < admin.",
    "too-many-open": "`wellread status` shows them; WELLREAD_MAX_OPEN_QUESTIONS and …_PER_CALLER are the limits.",
    "bad-schema": "Correct the file of --schema.",
    "bad-expiry": "Give a later date, or leave --expires out.",
    "bad-file-name": "Give another name with --name.",
    "about:blank": "Check WELLREAD_API_URL: what answers there may not be Wellread.",
    **dict.fromkeys(
        ("bad-site", "bad-exclusion", "question-error", "not-found", "unknown-strategy", "bad-collection-name"), ""
    ),
    **dict.fromkeys(("bad-key-name", "bad-schedule", "collection-stays", "too-many-wrong-keys"), ""),
}
_DATE = "takes a date, such as 2026-01-31"
_LANGUAGE = "takes a language's code of two or three small letters, such as en or de"
#: a field that a request may have wrong, and the option that sets it with what it takes
_OPTIONS = {
    "after": "--after takes the id of a question, 32 hexadecimal digits: `wellread status` lists the latest",
    "thread": "--thread takes the id of a thread, which `wellread threads list` shows, or new",
    "langs": f"--lang {_LANGUAGE}",
    "answer_language": f"--answer-language {_LANGUAGE}",
    "published_after": f"--published-after {_DATE}",
    "read_after": f"--read-after {_DATE}",
    "since": f"--since {_DATE}",
    "deadline": "--wait is at most 86,400 seconds",
    "sites": "--site takes URLs of at most 1,300 characters, and not more than 20",
    "exclude_sites": "--exclude takes URLs of at most 1,300 characters, and not more than 100",
    "site_read_id": "ID: there is no such site read: `wellread reads list` shows them",
    "callback_url": "--callback takes the URL of a program",
}


def refusal_line(error: Refused) -> str:
    """Return what happened and what to do, in one line."""
    if error.kind == "bad-request":
        return " ".join(dict.fromkeys(map(_option, error.detail.split("; "))))
    said = _sentence(_in_commands(error.detail))
    if error.retry_after_s:
        said += f" Try again in {error.retry_after_s:g} s."
    advice = "" if "`wellread " in said else _ADVICE.get(error.kind, _in_commands(error.what_to_do))
    return f"{said} {advice}".strip()


def _option(problem: str) -> str:
    """Return one wrong field as the option that sets it: "langs.0: String should match …"."""
    field, _, said = problem.partition(": ")
    name = field.partition(".")[0]
    return _sentence(_OPTIONS.get(name) or f"{flag_of(name) or name.replace('_', ' ')}: {said}")


def _in_commands(text: str) -> str:
    for route, command in _COMMANDS:
        text = re.sub(route, command, text)
    return text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."
