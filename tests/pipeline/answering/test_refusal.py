"""What says that it has no answer is recognised; a short fact is an answer."""

from pipeline.answering.refusal import declines, is_refusal, says_missing
from tests.tables import each_row

REFUSALS = [
    "I don't know.",
    "I'm sorry, but I cannot answer that from the context.",
    "Sorry, nothing was found.",
    "The provided context does not contain this information.",
    "The passages do not say who founded it.",
    "There is no information about this in the documents.",
    "As an AI language model, I have no access to that.",
    "Not enough information to answer.",
    "Unknown.",
    "Das kann ich leider nicht beantworten.",
    "Leider enthält der Text dazu nichts.",
    "Ich weiß es nicht.",
    "Ich habe dazu keine Informationen gefunden.",
    "Der Kontext enthält keine Angaben dazu.",
    "Je ne sais pas.",
    "Je n'ai pas trouvé de réponse.",
    "Le contexte ne contient pas cette information.",
    "Désolé, aucune information.",
    "No lo sé.",
    "Lo siento, no puedo responder.",
    "El texto no menciona ese dato.",
    "Mi dispiace, non lo so.",
    "Il contesto non contiene questa informazione.",
    "Não sei.",
    "O contexto não menciona a data.",
    "Îmi pare rău, nu știu.",
    "Nu am găsit nimic despre asta.",
    "Helaas kan ik dat niet beantwoorden.",
    "De tekst bevat hierover geen informatie.",
    "Niestety nie mogę odpowiedzieć.",
    "Nie wiem.",
    "Üzgünüm, bilmiyorum.",
    "Xin lỗi, tôi không biết.",
    "Δυστυχώς, δεν μπορώ να απαντήσω.",
    "К сожалению, я не могу ответить на этот вопрос.",
    "Контекст не содержит этой информации.",
    "Нет информации об этом.",
    "عذراً، لا أعرف.",
    "النص لا يذكر ذلك.",
    "क्षमा करें, मुझे नहीं पता।",
    "抱歉，我无法回答这个问题。",
    "上下文中没有提到这一点。",
    "申し訳ありませんが、わかりません。",
    "죄송하지만 알 수 없습니다.",
    "ขออภัย ไม่มีข้อมูล",
]
ANSWERS = [
    "Paris.",
    "42",
    "Nein.",
    "1998",
    "It raises a ValueError when the file is missing. [1]",
    "No.",
    "No information was lost in the fire, which burned for three days. [1]",
    "The error function is the integral of the Gaussian. [1]",
    "Sorry is a 2015 song by Justin Bieber? He released it in October.",
    "Unknown Pleasures is the first album of Joy Division. [1]",
    "Not all who wander are lost, Tolkien wrote. [1]",
    "Die Kapitulation wurde nicht anerkannt. [1]",
    "Der Text wurde 1848 veröffentlicht. [1]",
    "Il testo fu pubblicato nel 1848. [1]",
    "Il documento non fu firmato dal re. [1]",
    "O texto não foi publicado em vida. [1]",
    "De tekst werd niet uitgegeven. [1]",
    "Париж.",
    "Текст не был опубликован при жизни автора. [1]",
    "باريس.",
    "لم يكن في المدينة سوى منارة واحدة. [1]",
    "巴黎。",
    "这份文件未公开。[1]",
    "パリです。[1]",
    "파리입니다.",
    "ปารีส",
    "पेरिस।",
    "Le texte date de 1848. [1]",
    "El texto es de 1848. [1]",
    "Error handling is done with try and except. [1]",
    "503 people live there. [1]",
]


MISSING = [
    "They say nothing about version 3.",
    "Whether version 3 has it too is not mentioned.",
    "Ob das auch für Version 3 gilt, steht nicht in den Suchergebnissen.",
    "Das geht aus den Suchergebnissen nicht hervor.",
    "Wie lange das dauert, ist nicht angegeben.",
    "La durée n'est pas précisée.",
    "La duración no se indica.",
    "La durata non è indicata.",
    "A duração não é mencionada.",
    "De duur wordt niet vermeld.",
    "Nie podano, jak długo to trwa.",
    "Как долго это длится, не указано.",
    "没有说明持续多长时间。",
    "期間については記載されていません。",
]
CLAIMS = [
    "Everyone loves it.",
    "You should not do this.",
    "Es ist nicht möglich, das rückgängig zu machen.",
    "Ce n'est pas possible.",
    "It cannot be undone.",
]


@each_row("text", MISSING)
def test_sentence_about_what_is_not_said_is_recognised(text: str) -> None:
    assert says_missing(text)


@each_row("text", CLAIMS)
def test_claim_is_not_about_what_is_not_said(text: str) -> None:
    assert not says_missing(text)


def test_cited_sentence_that_something_is_not_so_is_no_refusal() -> None:
    assert is_refusal("The document is not saved.")
    assert not is_refusal("The document is not saved.", cited=True)
    assert is_refusal("The search results do not say.", cited=True)


@each_row("text", REFUSALS)
def test_refusal_is_recognised(text: str) -> None:
    assert is_refusal(text)


@each_row("text", ANSWERS)
def test_answer_is_not_taken_for_a_refusal(text: str) -> None:
    assert not is_refusal(text)


DECLINES = [
    "I'm sorry, but I can't help with that request.",
    "I cannot answer this question.",
    "Das kann ich leider nicht beantworten.",
    "Lo siento, no puedo responder.",
    "抱歉，我无法回答这个问题。",
]


@each_row("text", DECLINES)
def test_refusal_of_the_request_blames_no_source(text: str) -> None:
    assert declines(text)


@each_row(
    "text", [*ANSWERS, "The search results do not say.", "I'm sorry. The sources do not mention it.", "Je ne sais pas."]
)
def test_answer_and_abstention_do_not_decline(text: str) -> None:
    assert not declines(text)
