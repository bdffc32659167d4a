"""Recognize what chat clients send besides a question: documents around it, prompts of their own, and mere greetings.

Clients have their model write titles, tags, search queries and follow-up questions, or complete a question, and show it
the chat for that. Such a prompt is known by how it begins, never by words further on, which any question may have. It
gets a short reply made of the chat's own words.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from domain.options import MAX_CHARACTERS
from domain.question import Attached, Turn
from pipeline.phrases import greeted_in, say
from pipeline.question.follow_up import understand
from store.questions.threads import LAST_TURNS
from text.language import detect_language
from text.terms import content_terms

#: of all documents of a conversation
MAX_ATTACHED: Final = 200_000
#: words of a title, and characters of a question next to a long text
_TITLE_WORDS, _MAX_ASKED = 5, 1_000
_MAX_TITLE: Final = 20
#: of the JSON that a client's own prompt asks for
MAX_KEYS: Final = 20
_MAX_NAME: Final = 200  #: of a document, which is the title of each of its passages

#: Open WebUI's tasks, and its choice of tools: JSON is wanted
_TASK: Final = re.compile(r'### Task:\n(?=.*<chat_history>)|(?:Query: )?History:\n(?:USER|ASSISTANT): """', re.DOTALL)
#: a title for the chat: LibreChat, NextChat and older Open WebUI, LibreChat's structured one, Onyx
_ASKS_TITLE: Final = re.compile(
    r"(?:please )?(?:generate|provide|create) an? [^\n]{0,40}\bword(?:s|-or-less)? title\b"
    r"[^\n]{0,100}\b(?:conversation|chat history)\b"
    r"|analyze this conversation and provide:\n|given the following conversation, provide a short name for",
    re.IGNORECASE,
)
#: a question made complete: LangChain, LlamaIndex, Onyx, LobeChat
_CONDENSES: Final = re.compile(
    r"given (?:a|the|the following) (?:conversation|chat history)\b.{0,80} and (?:a|the) (?:follow|final user query)"
    r".{0,80}\b(?:rephrase|rewrite|provide a)\b|combine the chat history and follow up question into\b"
    r"|follow up input: .{0,4000}, it's standalone query:\s*$",
    re.IGNORECASE | re.DOTALL,
)
_FOLLOW_UP: Final = re.compile(
    r"\b(?:follow[- ]?up (?:input|question|message)|final user query) ?[:>]\s*", re.IGNORECASE
)
_FOLLOW_UP_ENDS: Final = re.compile(
    r"<?standalone question|internet search query|, it's standalone query:", re.IGNORECASE
)
#: system messages that are such a prompt as a whole, the chat being the messages: LangChain's, and LobeChat's
_SYSTEM_CONDENSES: Final = re.compile(
    r"given a chat history and the latest (?:user )?question\b[^.]{0,120}\bformulate a standalone question\b[^.]{0,80}"
    r"\.\s+do not answer the question",
    re.IGNORECASE,
)
_SYSTEM_TITLE: Final = "You are a professional conversation summarizer. Generate a concise title"

_CHAT: Final = re.compile(r"<chat[_ ]history>", re.IGNORECASE)
_CHAT_ENDS: Final = re.compile(r"</chat[_ ]history>", re.IGNORECASE)
_ROLE: Final = re.compile(
    r"^\W{0,4}(?:(user|human)|(assistant|ai|bot|response|system))\W{0,3}:\s*", re.MULTILINE | re.IGNORECASE
)
_KEY: Final = re.compile(r'[{}]|"(\w+)"\s*:\s*([\["]?)')

#: what wraps documents, and each of them
_BLOCK_TAGS: Final = "context", "documents", "sources", "files_info", "attachments", "attached_files", "files"
_DOCUMENT_TAGS: Final = "source", "document", "file", "attachment", "attachment_file"
_TAG: Final = re.compile(rf"<(/?)({'|'.join((*_BLOCK_TAGS, *_DOCUMENT_TAGS))})((?:\s[^<>]*)?)>", re.IGNORECASE)
#: other marks of the same, and the tags for them
_OTHER: Final = (
    (re.compile(r"\[CONTEXT \d+\]:"), "<source>"),
    (re.compile(r"\[END CONTEXT \d+\]"), "</source>"),
    (re.compile(r"Attached document\(s\):\s{0,3}```\w*\n"), "<document>"),
)
_NAMED: Final = re.compile(r"\bname=[\"']([^\"'<>]+)[\"']|<(?:file_?name|source)>([^<>]+)</", re.IGNORECASE)
#: what else is around a document in its block
_AROUND_TEXT: Final = re.compile(
    r"<(source_id|type|file_index|file_lines)>[^<>]*</\1>|<!\[CDATA\[|\]\]>"
    r"|</?(?:context(?:item)?|file_?name|file_content|source_context|document_content)(?:\s[^<>]*)?>",
    re.IGNORECASE,
)
_QUERY: Final = re.compile(r"<user_query>([^<]*)</user_query>", re.IGNORECASE)
#: fewer words are an example in a question
_LEAST_WORDS: Final = 5


def unwrapped(text: str) -> tuple[str, list[Attached]]:
    """Return a message's own text, and the documents in it.

    A text that is too long for a question is a document, too: its short first or last paragraph asks about it.
    """
    if (block := _block(text)) is not None:
        before, inside, after = block
        asked = _QUERY.search(after) or _QUERY.search(before)
        last_paragraph = re.split(r"\n\s*\n|\n#[^\n]*\n", before.strip())[-1]
        question = asked[1] if asked else after.strip() or last_paragraph
        return question.strip(), _documents(inside)
    if len(text) <= MAX_CHARACTERS:
        return text, []
    paragraphs = [each for each in re.split(r"\n\s*\n|\n(?=[^\n]*$)", text.strip()) if each.strip()]
    for at in (-1, 0):
        if len(paragraphs) > 1 and len(paragraphs[at]) <= _MAX_ASKED:
            question = paragraphs.pop(at)
            return question, [Attached(name="", text="\n\n".join(paragraphs))]
    return text, []


def _block(text: str) -> tuple[str, str, str] | None:
    """Return the text before, in and after the block of documents in a message; None if there is none."""
    for mark, tag in _OTHER:
        text, found = mark.subn(tag, text)
        if found and tag == "<document>":
            text = "</document>".join(text.rsplit("\n```", 1))
    tags = list(_TAG.finditer(text))
    for name in (*_BLOCK_TAGS, *_DOCUMENT_TAGS):
        begin = next((tag for tag in tags if not tag[1] and tag[2].lower() == name), None)
        end = next((tag for tag in reversed(tags) if tag[1] and tag[2].lower() == name), None)
        if begin and end and len(text[begin.end() : end.start()].split()) >= _LEAST_WORDS:
            outer = begin.start() if name in _DOCUMENT_TAGS else begin.end()
            return text[: begin.start()], text[outer : end.end()], text[end.end() :]
    return None


def short_reply(
    prompt: str, text: str, turns: Sequence[tuple[str, str]], instructions: str, schema: Mapping[str, Any] | None
) -> str | None:
    """Return the reply to a prompt that is no question, in the form that it asks for; None for a question.

    ``prompt`` is the last message as it was sent, ``text`` its own text, ``turns`` what was asked and answered
    before, ``instructions`` the system's messages.
    """
    if lang := greeted_in(text, detect_language(turns[-1][0]) if turns else "en"):
        return None if schema else say("greeting", lang)
    if turns and _SYSTEM_CONDENSES.match(instructions):
        return understand(text, understood(turns))
    before, shown, after = _shown(prompt)
    chat = _chat_in(shown) or turns
    if _CONDENSES.match(prompt):
        return understand(_FOLLOW_UP_ENDS.split(_FOLLOW_UP.split(prompt)[-1])[0].strip(), understood(chat))
    is_task = _TASK.match(prompt)
    is_title = _ASKS_TITLE.match(prompt) or (instructions.startswith(_SYSTEM_TITLE) and _ROLE.match(prompt))
    if not (is_task or (chat and is_title)):
        return None
    keys = _keys("\n".join((instructions, before, after)) if is_task else "", schema)
    if keys or is_task:
        some = list(keys.items())[:MAX_KEYS]
        return json.dumps({key: _value(key, is_list, chat) for key, is_list in some}, ensure_ascii=False)
    return _title(chat[0][0])


def _shown(prompt: str) -> tuple[str, str, str]:
    """Return the text before, in and after the chat in a prompt; without a mark it may be all of it."""
    begin = _CHAT.search(prompt)
    if begin is None:
        return prompt, prompt, ""
    end = _CHAT_ENDS.search(prompt, begin.end())
    until = end.start() if end else len(prompt)
    return prompt[: begin.start()], prompt[begin.end() : until], prompt[until:]


def _chat_in(text: str) -> list[tuple[str, str]]:
    """Return the chat that a prompt shows, each question with its answer; none if it shows none."""
    parts = list(_ROLE.finditer(text))
    ends = [*(part.start() for part in parts[1:]), len(text)]
    turns: list[tuple[str, str]] = []
    for part, end in zip(parts, ends, strict=False):
        words = " ".join(text[part.end() : end].split())[:MAX_CHARACTERS]
        if part[1]:
            turns.append((words.strip('"'), ""))
        elif turns:
            turns[-1] = (turns[-1][0], words)
    return turns


def understood(turns: Sequence[tuple[str, str]]) -> list[Turn]:
    """Return the last turns, each as those before it complete it."""
    before: list[Turn] = []
    for question, answer in turns[-LAST_TURNS:]:
        before.append(Turn(question=understand(question, before), answer=answer))
    return before


def _keys(text: str, schema: Mapping[str, Any] | None) -> dict[str, bool]:
    """Return the keys of the JSON that is wanted, each with whether its value is a list."""
    properties = (schema or {}).get("properties")
    if isinstance(properties, Mapping):
        return {str(key): isinstance(of, Mapping) and of.get("type") == "array" for key, of in properties.items()}
    found, depth = {}, 0
    for part in _KEY.finditer(text):
        depth = max(0, depth + {"{": 1, "}": -1}.get(part[0], 0))
        if depth == 1 and part[2]:
            found[part[1]] = part[2] == "["
    return found


def _value(key: str, is_list: bool, chat: Sequence[tuple[str, str]]) -> str | list[str]:
    if not chat:
        return [] if is_list else ""
    if not is_list:
        return _title(chat[0][0]) if key == "title" else ""
    if "quer" in key:
        return [understand(chat[-1][0], understood(chat[:-1]))]
    return _title(chat[0][0]).split()[:3] if "tag" in key else []


def _title(question: str) -> str:
    """Return the words of a question that carry its topic."""
    asked, _ = unwrapped(question)
    if len(asked.split()) == 1:  # a script without blanks
        return asked[:_MAX_TITLE]
    words = list(content_terms(asked, detect_language(asked)).values()) or asked.split()
    title = " ".join(words[:_TITLE_WORDS])
    return title[:1].upper() + title[1:]


def _documents(block: str) -> list[Attached]:
    """Return the documents of a block, those of one name as one; the whole block if it does not mark them."""
    texts: dict[str, dict[str, None]] = {}
    for attributes, text in _outermost_documents(block) or [("", block)]:
        named = _NAMED.search(attributes) or _NAMED.search(text, 0, _MAX_ASKED)
        name = (named[1] or named[2]).strip()[:_MAX_NAME] if named else ""
        plain = _AROUND_TEXT.sub("", text.replace(named[2], "", 1) if named and named[2] else text)
        plain = _TAG.sub("", plain).strip()
        if plain:
            texts.setdefault(name, {})[plain] = None
    return [Attached(name=name, text="\n\n".join(parts)) for name, parts in texts.items()]


def _outermost_documents(block: str) -> list[tuple[str, str]]:
    """Return the attributes and the text of each outermost document in a block."""
    found, begin = [], None
    for tag in _TAG.finditer(block):
        if tag[2].lower() not in _DOCUMENT_TAGS:
            continue
        if begin is None and not tag[1]:
            begin = tag
        elif begin is not None and tag[1] and tag[2] == begin[2]:
            found.append((begin[3], block[begin.end() : tag.start()]))
            begin = None
    return found
