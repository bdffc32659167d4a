"""What chat clients send beside questions: their own prompts, greetings, and documents around a question."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from api.openai.clients import MAX_ATTACHED, short_reply, unwrapped
from api.openai.requests import Message, conversation_of
from domain import Status
from domain.question import Attached
from pipeline.phrases import greeted_in, say
from store.questions import records
from store.questions.records import latest
from store.questions.state import find
from store.sql.tables import PageRow
from tests.tables import each_row
from workers import deletion
from workers.services import Services

CHAT = "USER: Who is the captain of the ferry?\nASSISTANT: Ingrid Moe [1].\n"
#: as Open WebUI writes its prompts
TASK = (
    "### Task:\nDo something with the chat history.\n\n### Guidelines:\n- Be short.\n\n### Output:\n"
    "JSON format: {json}\n\n### Chat History:\n<chat_history>\n{chat}</chat_history>"
)
TITLE = "Captain ferry"
ANSWERED = [("user", "Who is the captain of the ferry?"), ("assistant", "Ingrid Moe [1].")]
CONDENSE = "rephrase the follow up question to be a standalone question, in its original language."

#: messages, and what is replied to the last of them
PROMPTS: list[tuple[list[tuple[str, str]], Any]] = [
    ([("user", TASK.format(json='{"title": "..."}', chat=CHAT))], {"title": TITLE}),
    ([("user", TASK.format(json='{ "tags": ["tag1", "tag2"] }', chat=CHAT))], {"tags": ["Captain", "ferry"]}),
    ([("user", TASK.format(json='{ "follow_ups": ["Question 1?"] }', chat=CHAT))], {"follow_ups": []}),
    ([("user", TASK.format(json='{ "text": "<completion>" }', chat=CHAT))], {"text": ""}),
    (
        [("user", TASK.format(json='{\n  "queries": ["query1"]\n}', chat=f"{CHAT}USER: And of the tug?\n"))],
        {"queries": ["Who is the captain of the tug?"]},
    ),
    (
        [("user", TASK.format(json='{ "queries": [] }', chat="USER: Who is the captain of the tug?\n"))],
        {"queries": ["Who is the captain of the tug?"]},
    ),
    (
        [  # Open WebUI's choice of tools
            ("system", 'Available Tools: []\nReturn { "tool_calls": [ {"name": "x", "parameters": {"a": "b"}} ] }'),
            ("user", 'Query: History:\nUSER: """Who is it?"""\nASSISTANT: """Moe"""\nQuery: And the tug?'),
        ],
        {"tool_calls": []},
    ),
    (
        [  # LibreChat
            (
                "user",
                "Provide a concise, 5-word-or-less title for the conversation. Only return the title itself.\n\n"
                "Conversation:\nUser: Wie heißt der Kapitän der Fähre?\nAI: Ingrid Moe",
            )
        ],
        "Kapitän Fähre",
    ),
    (
        [  # NextChat
            *ANSWERED,
            ("user", "Please generate a four to five word title summarizing our conversation without any lead-in."),
        ],
        TITLE,
    ),
    (
        [  # LangChain
            (
                "user",
                f"Given the following conversation and a follow up question, {CONDENSE}\n\nChat History:\n\n"
                "Human: Who is the captain of the ferry?\nAssistant: Ingrid Moe.\n"
                "Follow Up Input: And of the tug?\nStandalone question:",
            )
        ],
        "Who is the captain of the tug?",
    ),
    (
        [  # LlamaIndex
            (
                "user",
                "Given a conversation and a follow up message from Human, rewrite the message to be a standalone "
                "question.\n\n<Chat History>\nuser: Who is the captain of the ferry?\nassistant: Ingrid Moe.\n\n"
                "<Follow Up Message>\nAnd of the tug?\n\n<Standalone question>\n",
            )
        ],
        "Who is the captain of the tug?",
    ),
    (
        [  # LangChain's retriever that is aware of history
            ("system", "Given a chat history and the latest question, formulate a standalone question."),
            *ANSWERED,
            ("user", "And of the tug?"),
        ],
        "Who is the captain of the tug?",
    ),
    ([("user", "hi")], say("greeting", "en")),
    ([*ANSWERED, ("user", "Vielen Dank!")], say("greeting", "de")),
    ([("user", "谢谢。")], say("greeting", "zh")),
]


def _body(messages: list[tuple[str, str]], **more: Any) -> dict[str, Any]:
    return {"model": "wellread", "messages": [{"role": role, "content": text} for role, text in messages], **more}


@each_row(("messages", "reply"), PROMPTS)
def test_a_clients_own_prompt_gets_a_short_reply_in_its_form_and_no_question(
    messages: list[tuple[str, str]], reply: Any, http: TestClient, services: Services
) -> None:
    answer = http.post("/v1/chat/completions", json=_body(messages)).json()
    (choice,) = answer["choices"]
    content = choice["message"]["content"]
    assert (json.loads(content) if isinstance(reply, dict) else content) == reply
    assert (choice["finish_reason"], answer["usage"]["total_tokens"]) == ("stop", 0)
    streamed = http.post("/v1/chat/completions", json=_body(messages, stream=True)).text
    chunks = [json.loads(line[6:]) for line in streamed.splitlines() if line.startswith("data: {")]
    assert "".join(chunk["choices"][0]["delta"].get("content", "") for chunk in chunks) == content
    assert streamed.rstrip().endswith("data: [DONE]")
    with services.database.read() as session:
        assert latest(session) == []


def test_schema_of_a_clients_prompt_names_its_keys(http: TestClient) -> None:
    schema = {"type": "object", "properties": {"title": {"type": "string"}, "tags": {"type": "array"}}}
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}
    body = _body([("user", f"Name the conversation.\n\nConversation:\n{CHAT}")], response_format=form)
    content = http.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]["content"]
    assert json.loads(content) == {"title": TITLE, "tags": ["Captain", "ferry"]}


QUESTIONS = [
    "hi, who is the captain?",
    "Who is the user: admin or root?",
    "What is the title of the 3 word song?",
    "What does the <source> tag do?",
    "Why does <file>a</file> fail?",
    "USER: is it allowed?\nWhat does this line of a log mean?",
    'What does {"title": "x"} mean?',
    "What is a standalone question?",
    "Thank you letter: how long should it be?",
]


@each_row("question", QUESTIONS)
def test_question_that_looks_like_one_is_asked(question: str, http: TestClient, services: Services) -> None:
    body = _body([*ANSWERED, ("user", question)], wellread={"wait": 0})
    assert http.post("/v1/chat/completions", json=body).json()["error"]["code"] == "no_answer"
    with services.database.read() as session:
        ((asked, *_),) = [latest(session)]
        assert find(session, asked.id).asked or find(session, asked.id).text == " ".join(question.split())


def test_user_messages_in_a_row_are_one_question() -> None:
    said = [*ANSWERED, ("user", "hi"), ("user", "Who steers the tug?"), ("user", "And since when?")]
    conversation = conversation_of([Message(role=role, content=text) for role, text in said])
    assert conversation.said == "Who steers the tug?\nAnd since when?"
    assert conversation.turns == (("Who is the captain of the ferry?", "Ingrid Moe [1]."),)


RULES = "Boats leave the berth by noon. The captain of the ferry is Ingrid Moe."
CRANE = "The crane lifts twelve tonnes of stone at once."
#: a message around the question "Who is the captain?", and the documents in it
AROUND: list[tuple[str, list[tuple[str, str]]]] = [
    (f"### Task:\nAnswer from the context.\n<context>\n{RULES}\n</context>\n\nWho is the captain?", [("", RULES)]),
    (
        '### Task:\nCite [id] only when the <source> tag has an id (e.g., <source id="1">).\n\n### Output:\nClear.\n\n'
        f'<context>\n<source id="1" name="rules.pdf">{RULES}</source>\n'
        f'<source id="2" name="crane.md">{CRANE}</source>\n<source id="1" name="rules.pdf">{CRANE}</source>\n'
        "</context>\n\n<user_query>\nWho is the captain?\n</user_query>",
        [("rules.pdf", f"{RULES}\n\n{CRANE}"), ("crane.md", CRANE)],
    ),
    (f"<source><source_id>1</source_id><source_context>{RULES}</source_context></source>\nWho is the captain?",
     [("", RULES)]),
    (f"Who is the captain?\n\n<document>{RULES}</document>", [("", RULES)]),
    (
        f"<documents><document index='1'><source>rules.txt</source><document_content>\n{RULES}\n</document_content>"
        "</document></documents>\nWho is the captain?",
        [("rules.txt", RULES)],
    ),
    (f'Attached document(s):\n```md\n# "rules.txt"\n{RULES}\n\n```\n\nWho is the captain?',
     [("", f'# "rules.txt"\n{RULES}')]),
    (
        f"Context:\n  [CONTEXT 0]:\n{RULES}\n[END CONTEXT 0]\n[CONTEXT 1]:\n{CRANE}\n[END CONTEXT 1]\n\n"
        "Who is the captain?",
        [("", f"{RULES}\n\n{CRANE}")],
    ),
    (
        f'<files_info>\n<files>\n<file id="1" name="rules.txt" type="text/plain">{RULES}</file>\n</files>\n'
        "</files_info>\nWho is the captain?",
        [("rules.txt", RULES)],
    ),
    (f"{'The old pier.' * 400}\n\nWho is the captain?", [("", "The old pier." * 400)]),
    (f"Who is the captain?\n\n{'The old pier.' * 400}\n\n{'Its planks.' * 300}",
     [("", f"{'The old pier.' * 400}\n\n{'Its planks.' * 300}")]),
]  # fmt: skip


@each_row(("text", "documents"), AROUND)
def test_documents_are_told_from_the_question(text: str, documents: list[tuple[str, str]]) -> None:
    assert unwrapped(text) == ("Who is the captain?", [Attached(name=name, text=said) for name, said in documents])


def test_documents_of_a_conversation_answer_its_question_alone_and_go_with_it(
    http: TestClient, services: Services
) -> None:
    system = (
        "You are helpful.\nThe user has attached a file:\n<files>\n<file>\n<filename>rules.txt</filename>\n</file>\n"
        "</files>\n<context>\n<file>\n<filename>rules.txt</filename>\n<context>\n<contextItem>\n<![CDATA["
        f"{RULES}]]>\n</contextItem>\n</context>\n</file>\n</context>\nUse the context."
    )
    body = _body([("system", system), ("user", "Who is the captain of the ferry?")], wellread={"wait": 0})
    assert http.post("/v1/chat/completions", json=body).json()["error"]["code"] == "no_answer"
    with services.database.read() as session:
        question = find(session, latest(session)[0].id)
        (page,) = records.read(session, question.id, services.now()).pages
    assert (question.status, question.private, question.crawl_enabled) == (Status.EMBEDDING, True, False)
    assert question.sites == (page.url,)
    assert page.url.startswith("files://attached/")
    found = http.post("/api/search", json={"query": "captain of the ferry"}).json()
    assert "Moe" not in json.dumps(found)
    deletion.delete_question(services, question.id)
    with services.database.read() as session:
        (row,) = session.scalars(select(PageRow))
    assert (row.deleted_at is None, row.text) == (False, "")


def test_too_many_documents_are_refused(http: TestClient) -> None:
    text = f"<context>{'word ' * (MAX_ATTACHED // 5 + 1)}</context>\nWho?"
    answer = http.post("/v1/chat/completions", json=_body([("user", text)]))
    assert (answer.status_code, "200,000 characters" in answer.text) == (400, True)


@pytest.mark.parametrize(
    "text",
    [
        "<" * 900_000,
        "\n" + "#" * 50_000 + "<file>one two three four five</file>",
        "<source>" * 40_000,
        "[CONTEXT 1]:" * 40_000,
        '{"a": [' * 40_000,
        "USER: a\n" * 40_000,
    ],
)
def test_long_messages_are_read_in_time(text: str, http: TestClient) -> None:
    assert http.post("/v1/chat/completions", json=_body([("user", text)])).status_code in (400, 200, 413)
    assert short_reply("And where?", [("Who is it?", "Moe.")], text, None) is None


@pytest.mark.parametrize(
    "text", ["Hello there 👋", "thanks a lot!!", "ok thanks", "Danke schön.", "Merci beaucoup !", "¡Hola!"]
)
def test_greetings_are_known_in_every_language(text: str) -> None:
    assert greeted_in(text)
    assert not greeted_in(f"{text} Who is the captain?")
    assert not greeted_in("")
