"""Recognise text that refuses or reports an error, in the languages of answers: it is never an answer."""

from __future__ import annotations

import re

#: statements of one's own, or of the search results, of having no answer
_OWN = (
    r"i(?:'m| am)? (?:do not|don't|cannot|can't|could not|couldn't|was unable|am unable|unable|not able|sorry)",
    r"as an? (?:ai|language model)",
    r"ich (?:kann|konnte|weiß|habe|bin)\b.{0,60}\b(?:nicht|keine?n?)\b",
    r"je (?:ne|n['’])\b.{0,40}\b(?:pas|aucune?)\b",
    r"search results (?:\w+ ){0,2}(?:do not|don't|did not|didn't|contain no|provide no|give no|are not|aren't)\b",
    r"(?:das |dies )?(?:die|den|der|aus den|in den) suchergebnisse?n?\b.{0,60}\b(?:nicht|nichts|keine?n?)\b",
    r"(?:les )?résultats(?: de (?:la )?recherche)? (?:ne|n['’]).{0,40}\b(?:pas|rien|aucune?)\b",
    r"(?:los |les )?resultados(?: de (?:la )?búsqueda)? no\b|i risultati(?: di ricerca| della ricerca)? non\b"
    r"|(?:os )?resultados(?: da pesquisa| da busca)? não\b|(?:de )?zoekresultaten\b.{0,40}\b(?:niet|niets|geen)\b"
    r"|wyniki wyszukiwania nie\b|результаты поиска\b.{0,30}\bне\b|в результатах поиска\b.{0,40}\b(?:не|нет)\b",
    r"(?:搜索|搜尋|检索)(?:结果|結果)(?:中|里|裡)?.{0,6}(?:[没沒]有?|未|并未|並未|不)(?:说|說|提|包含|说明|說明|给出|回答|涉及)",
    r"検索結果に?[はも].{0,30}(?:ありません|いません|ない)",
)
#: other statements of having no answer
_REFUSALS = (
    # English
    r"(?:sorry|apologies)(?:[,.!]| (?:but|that|for|i|we|no|there)\b)",
    r"unfortunately\b.{0,80}(?:\b(?:not|no|cannot|unable|nothing|none)\b|n['’]t\b)",
    r"(?:the|this|these|provided|given) (?:\w+ )?(?:context|documents?|passages?|sources?|texts?|information)"
    r" (?:\w+ ){0,2}(?:does not|doesn't|do not|don't|did not|contains? no|provides? no|is not|isn't|are not|aren't)",
    r"(?:there is |there's |i have |we have )?(?:no|not enough|insufficient) (?:relevant |sufficient |further )?"
    r"(?:information|context|answer|data|evidence|results?)(?: (?:was|were|is|are|could be|can be|has been))?"
    r"(?: (?:found|available|provided|given|present|about|on|regarding|to answer|in the|for|that)\b|\W*$)",
    r"(?:cannot|can't|could not) be (?:answered|determined|found)",
    r"(?:it )?is not (?:mentioned|specified|stated|possible to (?:say|tell|answer))",
    r"^(?:unknown|n/?a|none|not known|no answer)\W*$",
    # German
    r"leider\b.{0,80}\b(?:nicht|nichts|keine?n?)\b|entschuldigung|(?:es )?tut mir leid",
    r"(?:es|dazu) (?:gibt|liegen|wurden?)\b.{0,40}\bkeine\b.{0,30}(?:informationen|angaben|antwort|ergebnisse|daten)",
    r"(?:der|die|das|den|im|in den) (?:\w+ )?(?:kontext|texte?n?|quellen?|dokumente?n?|passagen?)\b.{0,40}"
    r"\b(?:nicht|keine)\b",
    r"^(?:unbekannt|keine (?:angabe|antwort|informationen)n?)\W*$",
    # French
    r"(?:désolée?|malheureusement)\b",
    r"(?:le|les|ce|ces) (?:contextes?|documents?|passages?|sources?|textes?)\b.{0,20}"
    r"\b(?:ne|n['’]).{0,30}\b(?:pas|aucune?)\b",
    r"(?:aucune|pas d['’]) ?(?:information|réponse|donnée)",
    # Spanish
    r"no (?:lo |la |te )?(?:puedo|sé|tengo|encuentro|encontré|pude|dispongo|hay (?:suficiente )?informaci[oó]n)\b"
    r"|lo siento|lamentablemente",
    r"(?:el|los|la|las) (?:contextos?|documentos?|pasajes?|fuentes?|textos?)\b.{0,10}\bno\b",
    # Italian, Portuguese, Romanian
    r"mi dispiace|purtroppo\b.{0,60}\bnon\b|non (?:lo )?(?:posso|so|riesco|ho trovato|ho informazioni)\b"
    r"|non ci sono (?:abbastanza )?(?:informazioni|dati)"
    r"|(?:il|i|le) (?:contesto|documenti|fonti|testi|testo) (?:\w+ )?non (?:conten|contien|menzion|indic|specific|dic)",
    r"desculpe|lamento,|infelizmente\b.{0,60}\bnão\b|não (?:sei|posso|consigo|encontrei|tenho|há (?:informaç|dados))"
    r"|(?:o|os|as) (?:contexto|documentos|fontes|textos?) (?:\w+ )?não (?:cont|mencion|indic|especific|diz)",
    r"îmi pare rău|din păcate\b.{0,60}\bnu\b|nu (?:știu|pot|am găsit|există informații)\b",
    # Dutch, Polish, Turkish, Vietnamese, Greek
    r"helaas\b.{0,60}\b(?:niet|geen)\b|ik (?:kan|weet|heb)\b.{0,40}\b(?:niet|geen)\b"
    r"|de (?:context|tekst|teksten|bronnen|documenten) (?:bevat|noem|vermeld|geef|geven)\w*\b.{0,30}\b(?:niet|geen)\b",
    r"przykro mi|niestety\b.{0,60}\bnie\b|nie (?:wiem|mogę|znalazł(?:em|am)|mam (?:informacji|danych))\b",
    r"maalesef\b.{0,80}(?:yok|m[ae]d|mıyor|miyor)|üzgünüm|bilmiyorum|(?:bilgi|cevap) (?:yok|bulunmuyor|bulunamadı)",
    r"xin lỗi|tôi không (?:biết|thể|tìm thấy)|không có (?:đủ )?thông tin",
    r"λυπάμαι|δυστυχώς.{0,60}δεν|δεν (?:γνωρίζω|ξέρω|μπορώ|βρήκα|υπάρχουν (?:αρκετές )?πληροφορίες)",
    # Russian, Arabic, Hindi
    r"к сожалению\b.{0,60}\b(?:не|нет|ничего)\b|(?:извините|простите)\b|я не (?:знаю|могу|наш[её]л|нашла)\b"
    r"|не удалось (?:найти|ответить|определить)|нет (?:информации|данных|ответа)"
    r"|(?:контекст|текст|источник|документ)\w* (?:\w+ )?не (?:содерж|упомин|указ|сообща|говор)",
    r"عذر[اًا]|آسف|للأسف.{0,60}(?:لا|لم|ليس)\b|لا (?:أعرف|أعلم|أستطيع|يمكنني|توجد معلومات)|لم أجد"
    r"|(?:السياق|النص|النصوص|المصادر) (?:لا|لم) (?:[يت]ذكر|[يت]حتو|[يت]ش[يِ]?ر)",
    r"क्षमा करें|माफ़ कर|मुझे (?:नहीं पता|पता नहीं|नहीं मालूम)|(?:जानकारी|उत्तर) (?:नहीं|उपलब्ध नहीं)",
    # Chinese, Japanese, Korean, Thai
    r"抱歉|对不起|對不起|[无無]法(?:回答|确定|確定|找到|提供)|我不知道|[没沒]有(?:足够|足夠|相关|相關)?的?(?:信息|資訊|资料|資料|答案)"
    r"|(?:上下文|文档|文件|资料|資料|搜索结果|搜尋結果)(?:中|里|裡)?(?:[没沒]有|未|并未|並未)(?:提到|提及|包含|说明|說明|提供|相关|相關)",
    r"申し訳(?:ありません|ございません)|すみません|(?:わか|分か)り(?:ません|かね)|情報[がは](?:ありません|見つかりません)"
    r"|(?:文脈|検索結果|資料|文書)に.{0,20}(?:ありません|いません)",
    r"죄송(?:합니다|하지만)|알 수 없|모르겠|정보[가를이] ?(?:없|찾을 수 없)",
    r"ขออภัย|ขอโทษ|ไม่ทราบ|ไม่(?:มี|พบ)ข้อมูล|ไม่สามารถ(?:ตอบ|ระบุ)",
)
#: error messages of programs; at the start of the text
_ERRORS = (
    r"traceback \(most recent call last\)",
    r"(?:\w+\.)*\w*(?:error|exception)\s*[:(\[]",
    r"(?:error|fehler|erreur|fallo|errore|erro|fout|błąd|hata|lỗi|σφάλμα|ошибка|خطأ|错误|錯誤|エラー|오류)\b\s*(?:\d{3}|code|[:：!-])",
    r"(?:http )?(?:4\d\d|5\d\d) (?:bad|unauthori[sz]ed|forbidden|not found|internal|too many|service"
    r"|gateway|client|server)",
    r"(?:an? )?(?:\w+ )?(?:internal|unexpected|server|api|network|connection|timeout|llm|model)\s(?:\w+ )?"
    r"(?:error|failure)\b",
    r"(?:an? )?(?:error|problem|exception) (?:has )?(?:occurred|happened|while)",
    r"(?:es ist )?ein (?:\w+ )?fehler (?:ist )?(?:aufgetreten|passiert)"
    r"|une erreur\b.{0,30}(?:produite|survenue)|se produjo un error",
    r"(?:failed|unable) to (?:generate|connect|fetch|load|process|get|reach|answer)",
    r"(?:request|connection|operation) (?:timed out|refused|failed|reset)"
    r"|rate limit|quota exceeded|service unavailable",
    r"(?:invalid|missing|incorrect|expired) (?:api )?(?:key|token|credentials)",
)
#: statements that something is not said, anywhere in a sentence
_LACKS = (
    r"(?:do|does|did) ?n[o'’]t (?:\w+ )?(?:say|state|mention|specify|tell|give|name|describe|explain|cover|indicate)"
    r"|(?:is|are|was|were) ?n[o'’]t (?:\w+ )?(?:stated|mentioned|specified|said|given|named|described|covered)"
    r"|\b(?:say|state|mention)s? nothing\b|\bnothing (?:is|was) (?:said|stated|mentioned)\b",
    r"\b(?:nicht|keine?n?)\b.{0,40}\b(?:angegeben|genannt|erwähnt|beschrieben|gesagt|angaben)\b|\bnicht hervor\b"
    r"|\b(?:nennen|nennt|erwähn\w+|sagen|sagt|beschreib\w+|steht|stehen)\b.{0,60}\b(?:nicht|nichts|keine?n?)\b",
    r"(?:précis|mentionn|indiqu|dis|donn|décri)\w*\b.{0,20}\b(?:pas|rien|aucune?)\b"
    r"|\bpas (?:précisé|mentionné|indiqué)",
    r"\bno (?:se )?(?:menciona|indica|especifica|dice|describe)n?\b",
    r"\bnon (?:(?:è|sono|viene|vengono) )?(?:indica|menziona|specifica|dic|dett|descri)\w+",
    r"\bnão (?:(?:é|são|está|estão) )?(?:menciona|indica|especifica|diz|dit|descre)\w*",
    r"\bniet (?:vermeld|genoemd|gezegd|aangegeven|beschreven)"
    r"|\b(?:vermeld|noem|zeg)\w*\b.{0,40}\b(?:niet|niets|geen)\b",
    r"\bnie (?:podan|podaj|wspom|określ|mówi|opis)\w*",
    r"\bне (?:указ|упомин|сказ|говор|сообща|опис)\w*",
    r"(?:[没沒]有|未|并未|並未)(?:说明|說明|提到|提及|给出|給出|指出|写明|寫明)",
    r"(?:記載|言及|説明|明記).{0,6}(?:いません|ありません|いない|ない)",
)
_REFUSAL = re.compile("|".join(f"(?:{pattern})" for pattern in (*_OWN, *_REFUSALS)), re.IGNORECASE)
_OWN_REFUSAL = re.compile("|".join(f"(?:{pattern})" for pattern in _OWN), re.IGNORECASE)
_LACKING = re.compile("|".join(f"(?:{pattern})" for pattern in (*_OWN, *_REFUSALS, *_LACKS)), re.IGNORECASE)
_ERROR = re.compile("|".join(f"(?:{pattern})" for pattern in _ERRORS), re.IGNORECASE)
_OPENING = re.compile(r".{0,240}?(?:[.!?؟](?=\s|$)|[。！？।]|\n|$)", re.DOTALL)


def is_refusal(text: str, *, cited: bool = False) -> bool:
    """Return whether the text's opening sentence says that it has no answer.

    One that is ``cited`` may state that something is not so: "Unfortunately, the document is not saved." Of the 679
    sentences of evals/model/sentences.jsonl none is taken for a refusal then, and one without a citation.
    """
    opening = _opening(text)
    # "No information was leaked, said the company": a refusal begins as one
    return any(match.start() <= 30 for match in (_OWN_REFUSAL if cited else _REFUSAL).finditer(opening))


def says_missing(text: str) -> bool:
    """Return whether a sentence says that something is not said."""
    return _LACKING.search(text) is not None


def is_error(text: str) -> bool:
    """Return whether the text is an error message."""
    return bool(_ERROR.match(_opening(text)))


def is_answer(text: str) -> bool:
    """Return whether the text can be an answer: it has a word, and is no refusal and no error. "Paris." is one."""
    return any(char.isalnum() for char in text) and not is_refusal(text) and not is_error(text)


def _opening(text: str) -> str:
    stripped = text.strip().lstrip("*_#>`\"'“„« ")
    match = _OPENING.match(stripped)
    return match.group() if match else ""
