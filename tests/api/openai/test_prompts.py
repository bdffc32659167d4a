"""What chat clients send beside questions: their own prompts, greetings, and documents around a question."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sqlalchemy import select
from starlette.testclient import TestClient

from api.openai.client_prompts import MAX_ATTACHED, MAX_KEYS, short_reply, unwrapped
from api.openai.requests import Message, conversation_of
from domain import Status
from domain.question import Attached
from pipeline.phrases import greeted_in, say
from store.questions import records
from store.questions.listing import latest
from store.questions.state import find
from store.sql.tables import PageRow
from tests.growth import MOST_RATIO, growth, seconds_of
from tests.tables import each_row
from workers import deletion
from workers.services import Services

CHAT = "USER: Who is the captain of the ferry?\nASSISTANT: Ingrid Moe [1].\n"
ON = "USER: And of the tug?\n"
#: as Open WebUI writes its prompts
TASK = (
    "### Task:\n{task}\n\n### Guidelines:\n- Keep the chat's language.\n\n### Output:\nJSON format: {json}\n\n"
    "### Chat History:\n<chat_history>\n{chat}</chat_history>"
)
#: what it writes while the first message of a chat is typed
AUTOCOMPLETE = """### Task:
You are an autocompletion system. Continue the text in `<text>` based on the **completion type** in `<type>` and the \
given language.

### **Instructions**:
5. If unsure, return: `{ "text": "" }`.

### **Output Rules**:
- Respond only in JSON format: `{ "text": "<your_completion>" }`.

### **Examples**:
#### Example 1:
Input:
<type>General</type>
<text>The sun was setting over the horizon, painting the sky</text>
Output:
{ "text": "with vibrant shades of orange and pink." }

---
### Context:
<chat_history>

</chat_history>
<type>search query</type>
<text>Who is the captain of the</text>
#### Output:
"""
TITLE = "Captain ferry"
TUG = "Who is the captain of the tug?"
ANSWERED = [("user", "Who is the captain of the ferry?"), ("assistant", "Ingrid Moe [1].")]
CONDENSE = "rephrase the follow up question to be a standalone question, in its original language."
HISTORY = "Human: Who is the captain of the ferry?\nAssistant: Ingrid Moe.\n"
ONYX = f"Chat History:\n-------\n{HISTORY}-------\n\n"


def _task(task: str, json: str, chat: str = CHAT) -> list[tuple[str, str]]:
    return [("user", TASK.format(task=task, json=json, chat=chat))]


#: messages as clients send them, but for guidelines in their middle, and what is replied to the last of them
PROMPTS: list[tuple[list[tuple[str, str]], Any]] = [
    # Open WebUI
    (
        _task(
            "Generate a concise, 3-5 word title with an emoji summarizing the chat history.",
            '{ "title": "your concise title here" }\n### Examples:\n- { "title": "Remote Work Productivity Tips" }',
        ),
        {"title": TITLE},
    ),
    (
        _task(
            "Generate 1-3 broad tags categorizing the main themes of the chat history, along with 1-3 more specific "
            "subtopic tags.",
            '{ "tags": ["tag1", "tag2", "tag3"] }',
        ),
        {"tags": ["Captain", "ferry"]},
    ),
    (
        _task(
            "Suggest 3-5 relevant follow-up questions or prompts that the user might naturally ask next in this "
            "conversation as a **user**, based on the chat history, to help continue or deepen the discussion.",
            '{ "follow_ups": ["Question 1?", "Question 2?", "Question 3?"] }',
        ),
        {"follow_ups": []},
    ),
    (
        _task(
            "You are an autocompletion system. Continue the text in `<text>` based on the **completion type** in "
            "`<type>` and the given language.",
            '{ "text": "<your_completion>" }',
        ),
        {"text": ""},
    ),
    ([("user", AUTOCOMPLETE)], {"text": ""}),
    (_task("Generate a concise, 3-5 word title.", '{ "title": "…" }', ""), {"title": ""}),
    (
        _task(
            "Generate a detailed prompt for an image generation task based on the given language and context.",
            '{\n    "prompt": "Your detailed description here."\n}',
        ),
        {"prompt": ""},
    ),
    (
        _task(
            "Analyze the chat history to determine the necessity of generating search queries, in the given language.",
            '{\n  "queries": ["query1", "query2"]\n}',
            f"{CHAT}{ON}",
        ),
        {"queries": [TUG]},
    ),
    (_task("Analyze the chat history.", '{ "queries": [] }', f"USER: {TUG}\n"), {"queries": [TUG]}),
    (  # with an answer that is longer than a question may be
        _task("Generate a concise, 3-5 word title.", '{ "title": "…" }', f"{CHAT}{'The ferry is old. ' * 400}\n"),
        {"title": TITLE},
    ),
    (
        [
            ("system", 'Available Tools: []\nReturn { "tool_calls": [ {"name": "x", "parameters": {"a": "b"}} ] }'),
            ("user", 'Query: History:\nUSER: """Who is it?"""\nASSISTANT: """Moe"""\nQuery: And the tug?'),
        ],
        {"tool_calls": []},
    ),
    (
        [
            (
                "user",
                "Create a concise, 3-5 word title with an emoji as a title for the chat history, in the given language."
                f"\n\nExamples of titles:\nStock Market Trends\n\n<chat_history>\n{CHAT}</chat_history>",
            )
        ],
        TITLE,
    ),
    # LibreChat
    (
        [
            (
                "user",
                "Provide a concise, 5-word-or-less title for the conversation, using title case conventions. Only "
                "return the title itself.\n\nConversation:\nUser: Wie heißt der Kapitän der Fähre?\nAI: Ingrid Moe",
            )
        ],
        "Kapitän Fähre",
    ),
    (
        [
            *ANSWERED,
            (
                "user",
                "Please generate a concise, 5-word-or-less title for the conversation, using its same "
                "language, with no punctuation.",
            ),
        ],
        TITLE,
    ),
    (
        [
            (
                "user",
                "Analyze this conversation and provide:\n1. The detected language of the conversation\n2. A concise "
                "title in the detected language (5 words or less, no punctuation or quotation)\n\n"
                "User: Who is the captain of the ferry?\nAI: Ingrid Moe",
            )
        ],
        TITLE,
    ),
    # LobeChat
    (
        [
            (
                "system",
                "You are a professional conversation summarizer. Generate a concise title that captures the essence "
                "of the conversation.\n\nRules:\n- Maximum 10 words",
            ),
            ("user", "user: Who is the captain of the ferry?\nassistant: Ingrid Moe"),
        ],
        TITLE,
    ),
    (
        [
            (
                "system",
                f"Given the following conversation and a follow-up question, {CONDENSE}\n<chatHistory>\n"
                "Ferries\n</chatHistory>",
            ),
            ("user", f"Follow Up Input: {TUG}, it's standalone query:"),
        ],
        TUG,
    ),
    # NextChat
    (
        [
            *ANSWERED,
            (
                "user",
                "Please generate a four to five word title summarizing our conversation without any lead-in, "
                "punctuation, quotation marks, periods, symbols, bold text, or additional text.",
            ),
        ],
        TITLE,
    ),
    # LangChain
    (
        [
            (
                "user",
                f"Given the following conversation and a follow up question, {CONDENSE}\n\nChat History:\n\n{HISTORY}"
                "Follow Up Input: And of the tug?\nStandalone question:",
            )
        ],
        TUG,
    ),
    (
        [
            (
                "user",
                "Combine the chat history and follow up question into a standalone question. Chat History: \n"
                f"{HISTORY}Follow up question: And of the tug?",
            )
        ],
        TUG,
    ),
    (
        [
            (
                "system",
                "Given a chat history and the latest user question which might reference context in the chat history, "
                "formulate a standalone question which can be understood without the chat history. Do NOT answer the "
                "question, just reformulate it if needed and otherwise return it as is.",
            ),
            *ANSWERED,
            ("user", "And of the tug?"),
        ],
        TUG,
    ),
    # LlamaIndex
    (
        [
            (
                "user",
                "Given a conversation (between Human and Assistant) and a follow up message from Human, rewrite the "
                "message to be a standalone question that captures all relevant context from the conversation.\n\n"
                f"<Chat History>\n{HISTORY}\n<Follow Up Message>\nAnd of the tug?\n\n<Standalone question>\n",
            )
        ],
        TUG,
    ),
    (
        [
            (
                "user",
                "Given the following conversation between a user and an AI assistant and a follow up question from "
                "user,\nrephrase the follow up question to be a standalone question.\n\nChat History:\n"
                f"{HISTORY}Follow Up Input: And of the tug?\nStandalone question:",
            )
        ],
        TUG,
    ),
    # Onyx
    (
        [
            (
                "user",
                "Given the following conversation and a follow up input, rephrase the follow up into a SHORT, "
                f"standalone query for a vectorstore.\n\n{ONYX}Follow Up Input: And of the tug?\n"
                "Standalone question (Respond with only the short combined query):",
            )
        ],
        TUG,
    ),
    (
        [
            (
                "user",
                "Given the following conversation and a follow up input, rephrase the follow up into a SHORT, "
                f"standalone query suitable for an internet search engine.\n\n{ONYX}Follow Up Input: And of the tug?\n"
                "Internet Search Query (Respond with a detailed and specific query):",
            )
        ],
        TUG,
    ),
    (
        [
            (
                "user",
                "Given the following conversation, provide a SHORT name for the conversation.\nIMPORTANT: TRY NOT TO "
                f"USE MORE THAN 5 WORDS.\n\n{ONYX}Based on the above, what is a short name to convey the topic of the "
                "conversation?",
            )
        ],
        TITLE,
    ),
    (
        [
            *ANSWERED,
            (
                "user",
                "Given the chat history above (if any) and the final user query (provided below), provide a standalone "
                "query that is as\nrepresentative of the user query as possible.\n\nCRITICAL: ONLY provide the "
                "standalone query and nothing else.\n\nFinal user query:\nAnd of the tug?",
            ),
        ],
        TUG,
    ),
    # greetings
    ([("user", "hi")], say("greeting", "en")),
    ([*ANSWERED, ("user", "Vielen Dank!")], say("greeting", "de")),
    ([("user", "谢谢。")], say("greeting", "zh")),
    ([*ANSWERED, ("user", "👍🏽")], say("greeting", "en")),
    (
        [("user", "Wie heißt der Kapitän der Fähre?"), ("assistant", "Ingrid Moe [1]."), ("user", "❤️")],
        say("greeting", "de"),
    ),
    ([("user", "…")], say("greeting", "en")),
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
    body = _body([("user", f"Analyze this conversation and provide:\n1. A title\n\n{CHAT}")], response_format=form)
    content = http.post("/v1/chat/completions", json=body).json()["choices"][0]["message"]["content"]
    assert json.loads(content) == {"title": TITLE, "tags": ["Captain", "ferry"]}


def test_follow_up_with_many_blanks_takes_time_in_proportion() -> None:
    def seconds(length: int) -> float:
        prompt = f"Given a conversation and a follow up question, rephrase it.\nFollow up question: a{' ' * length}b"
        return seconds_of(lambda: short_reply(prompt, prompt, ANSWERED, "", None))

    assert growth(seconds, 2_000) <= MOST_RATIO


def test_task_gets_no_more_values_than_a_client_reads() -> None:
    wanted = "{" + "".join(f'"queries{number}": [' for number in range(50_000))
    ((_, prompt),) = _task("Write.", wanted, CHAT + ON)
    reply = json.loads(short_reply(prompt, prompt, [], "", None) or "")
    assert (len(reply), reply["queries0"]) == (MAX_KEYS, [TUG])


QUESTIONS = [
    "hi, who is the captain?",
    "USER: is it allowed?\nWhat does this line of a log mean?",
    "What is a standalone question?",
]
DIALOGUE = "User: What is the name of the ferry?\nAssistant: I do not know.\n"
#: as what people ask about chats, titles and prompts, or paste
REAL = [
    DIALOGUE,
    f"{DIALOGUE}User: Then what is its title?",
    f"{DIALOGUE}\nWhat should the assistant have said?",
    f"What is the name of the ship that this is about?\n\n{DIALOGUE}",
    "User: What is the title of the book?\nBot: Which book?\nUser: The one about the lighthouse.",
    "Human: What is the heading of chapter 2?\nAI: Tides.\nHuman: And of chapter 3?",
    f"<chat_history>\n{DIALOGUE}</chat_history>\nWhat is wrong with this prompt?",
    f"What is the name of the tag around this?\n<chat_history>\n{DIALOGUE}</chat_history>",
    "Why does Open WebUI send <chat_history> and a title prompt?",
    'Why does Open WebUI ask for { "title": "your concise title here" }?',
    "What does ### Task: mean in a prompt?",
    "### Task:\nFind out who the captain of the ferry is.",
    "Who is the user: admin or root?",
    "What is the title of the 3 word song?",
    "What is the 5 word title of the conversation by Coppola?",
    "Which words are in the title of the chat show?",
    "How many words may the title of a conversation have in LibreChat?",
    "What is the name of the chat history file of Pidgin, in one word?",
    "What title, in 5 words or less, did the discussion paper have?",
    "Please give me the name of the conversation's author in two words.",
    "Provide the title of the conversation between Goethe and Eckermann.",
    "Provide the name of the discussion group.",
    "Generate a password of five words with diceware: how?",
    "Generate a title page for a conversation in LaTeX: how?",
    "Create a discussion category with a two word name: how in GitHub?",
    "Write a title for a chat room in XMPP: which command?",
    "What does the <source> tag do?",
    "Why does <file>a</file> fail?",
    'What does {"title": "x"} mean?',
    'Which tool reads { "tags": ["tag1"] }?',
    "What is a standalone question in LangChain?",
    "How do I rephrase the follow up question to be a standalone question?",
    "Follow up question: what is the deposit for the boathouse?",
    "Follow up input: what does this label of a prompt mean?",
    "My follow-up question: who steers the tug? It is a standalone question.",
    "Given the following conversation, what is the name of the ferry?\n\n" + DIALOGUE,
    "Given a conversation about ferries, who said that the pier is old?",
    "Given the chat history, which ferry did I ask about?",
    "Given the conversation and the final user manual, how do I reset the pump?",
    "Combine the chat history of two Signal phones: how?",
    "Analyze this conversation: who is right?\n" + DIALOGUE,
    "Suggest 3-5 follow-up questions for a job interview.",
    "Rewrite the message of the last commit: how?",
    "History: when was the ferry built?",
    "Query: who is the captain of the ferry?",
    "System: which one boots faster, systemd or OpenRC?",
    "Thank you letter: how long should it be?",
]
#: what the makers of bots write, which decides nothing
SYSTEMS = [
    "You answer questions about boats. Treat each message as a standalone question.",
    "Rewrite the user's follow-up into a standalone question before you search, then answer it.",
    "Given a chat history and the latest question, formulate a standalone question in your mind and answer that.",
    'You are a conversation summarizer. Give a title {"title": "…"} if asked for one.',
    "### Task:\nGenerate a title if the user asks for one. <chat_history></chat_history>",
]


@pytest.mark.parametrize("system", ["", *SYSTEMS])
@pytest.mark.parametrize("before", [[], ANSWERED])
def test_question_that_looks_like_a_clients_prompt_is_one(system: str, before: list[tuple[str, str]]) -> None:
    for question in (*QUESTIONS, *REAL, "And of the tug?"):
        said = [*([("system", system)] if system else []), *before, ("user", question)]
        conversation = conversation_of([Message(role=role, content=text) for role, text in said])
        assert conversation.short_reply(None) is None, question


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
    assert conversation.text == "Who steers the tug?\nAnd since when?"
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
    assert short_reply("And where?", "And where?", [("Who is it?", "Moe.")], text, None) is None
    assert short_reply(text, "And where?", [], "", None) is None


@pytest.mark.parametrize(
    "text", ["Hello there 👋", "thanks a lot!!", "ok thanks", "Danke schön.", "Merci beaucoup !", "¡Hola!"]
)
def test_greetings_are_known_in_every_language(text: str) -> None:
    assert greeted_in(text)
    assert not greeted_in(f"{text} Who is the captain?")
    assert not greeted_in("")
