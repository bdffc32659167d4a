"""Bytes become the text that was meant, whatever the server says of them, or does not."""

from __future__ import annotations

import random
import unicodedata

import pytest

from crawler.extract.charset import decode
from tests.tables import each_row
from text.language import is_gibberish

KEY = {
    "ja": "ポンプ室の予備の鍵は門番小屋に掛けてあります。",
    "zh": "泵房的备用钥匙挂在门房里。",
    "zh-tw": "幫浦室的備用鑰匙掛在門房裡。",
    "ko": "펌프실의 예비 열쇠는 문지기 집에 걸려 있습니다.",
    "ru": "Запасной ключ от насосной висит в сторожке.",
    "uk": "Запасний ключ від насосної висить у сторожці.",
    "el": "Το εφεδρικό κλειδί του αντλιοστασίου κρέμεται στο φυλάκιο.",
    "he": "המפתח הרזרבי של חדר המשאבות תלוי בבית השער.",
    "ar": "المفتاح الاحتياطي لغرفة المضخات معلق في بيت البواب.",
    "th": "กุญแจสำรองของห้องปั๊มแขวนอยู่ที่ป้อมยาม",
    "de": "Die Schlüssel für das Tor hängen über der Tür des Büros. Größe: 20 Fuß.",
    "fr": "La clé de réserve de la salle des pompes est accrochée à l'entrée, près du café.",
    "pl": "Zapasowy klucz do pompowni wisi w stróżówce, obok łódki żółtej.",
    "cs": "Náhradní klíč od čerpací stanice visí ve vrátnici, přímo u dveří.",
    "hu": "A szivattyúház pótkulcsa a kapusházban lóg, az őr fölött.",
    "tr": "Pompa odasının yedek anahtarı bekçi kulübesinde asılı duruyor, şu kapıda.",
    "da": "Reservenøglen til pumperummet hænger i portnerboligen på væggen.",
    "lt": "Atsarginis siurblinės raktas kabo sargo namelyje, šalia durų, čia.",
    "vi": "Chìa khóa dự phòng của phòng bơm treo ở nhà gác cổng.",
}
LIBRARY = {
    "ja": "この図書館は毎週月曜日に休館します。",
    "zh": "图书馆每周一闭馆,请提前预约。",
    "zh-tw": "圖書館每週一休館,請事先預約。",
    "ko": "도서관은 매주 월요일에 문을 닫습니다.",
    "ru": "Библиотека закрыта по понедельникам.",
    "uk": "Бібліотека зачинена щопонеділка, крім свят.",
    "el": "Η βιβλιοθήκη είναι κλειστή κάθε Δευτέρα.",
    "he": "הספרייה סגורה בכל יום שני.",
    "ar": "المكتبة مغلقة كل يوم اثنين.",
    "th": "ห้องสมุดปิดทุกวันจันทร์",
    "de": "Die Bücherei ist montags geschlossen.",
    "fr": "La bibliothèque est fermée le lundi.",
    "pl": "Biblioteka jest nieczynna w każdy poniedziałek.",
    "cs": "Knihovna je každé pondělí zavřená.",
    "hu": "A könyvtár hétfőnként zárva tart.",
    "tr": "Kütüphane pazartesi günleri kapalıdır.",
    "da": "Biblioteket er lukket på mandage, også om sommeren.",
    "lt": "Biblioteka pirmadieniais uždaryta, ačiū.",
    "vi": "Thư viện đóng cửa vào thứ hai.",
}
WRITTEN = [
    *[("ja", charset) for charset in ("cp932", "euc_jp", "iso2022_jp")],
    *[("zh", "gb18030"), ("zh-tw", "big5"), ("ko", "cp949"), ("th", "cp874"), ("tr", "cp1254"), ("lt", "cp1257")],
    *[("ru", charset) for charset in ("cp1251", "koi8-r", "cp866", "iso8859-5")],
    *[("uk", charset) for charset in ("cp1251", "koi8-u", "iso8859-5")],
    *[("el", charset) for charset in ("cp1253", "iso8859-7")],
    *[("he", charset) for charset in ("cp1255", "iso8859-8")],
    *[("ar", charset) for charset in ("cp1256", "iso8859-6")],
    *[(lang, charset) for lang in ("de", "fr") for charset in ("cp1252", "cp850")],
    *[(lang, charset) for lang in ("pl", "cs") for charset in ("cp1250", "iso8859-2", "cp852")],
    *[("hu", "cp1250"), ("hu", "iso8859-2"), ("da", "cp1252"), ("vi", "cp1258")],
]


def written(text: str, charset: str) -> bytes:
    return (unicodedata.normalize("NFD", text) if charset == "cp1258" else text).encode(charset, "ignore")


@pytest.mark.parametrize("sentences", [KEY, LIBRARY], ids=["key", "library"])
def test_a_sentence_without_a_charset_is_read_in_the_one_that_makes_it_a_language(sentences: dict[str, str]) -> None:
    wrong = []
    for lang, charset in WRITTEN:
        body = written(sentences[lang], charset)
        for bare in (body, b"<html><body><p>" + body + b"</p></body></html>"):
            if decode(bare) != bare.decode(charset):
                wrong.append((lang, charset, decode(bare)))
    assert wrong == []


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
def test_wide_characters_need_no_mark(charset: str) -> None:
    for lang in ("de", "ru", "ko"):
        text = f"{KEY[lang]}\r\n{LIBRARY[lang]}\r\n"
        assert decode(text.encode(charset)) == text


@pytest.mark.parametrize(
    "text",
    [
        "The café is closed on Mondays.",
        "It costs £5 – “cheap”, they say.",
        "Zoë’s naïve résumé is long.",
        "Keep it below 20°C at night.",
        "© 2020 The Harbour Office. All rights reserved.",
        "1½ cups of flour",
        "naïve",
        "• One • Two • Three",
    ],
)
def test_few_signs_in_english_are_those_of_windows(text: str) -> None:
    assert decode(text.encode("cp1252")) == decode(text.encode()) == text


# labels of the WHATWG's table that Python does not have, or knows as others
LABELS = [
    ("x-gbk", "gb18030", "zh"),
    ("gb_2312-80", "gb18030", "zh"),
    ("x-euc-jp", "euc_jp", "ja"),
    ("windows-31j", "cp932", "ja"),
    ("x-x-big5", "big5hkscs", "zh-tw"),
    ("windows-874", "cp874", "th"),
    ("dos-874", "cp874", "th"),
    ("iso-8859-11", "cp874", "th"),
    ("iso-8859-8-i", "iso8859-8", "he"),
    ("logical", "iso8859-8", "he"),
    ("x-cp1251", "cp1251", "ru"),
    ("koi", "koi8-r", "ru"),
    ("x-mac-cyrillic", "mac-cyrillic", "ru"),
    ("ks_c_5601-1987", "cp949", "ko"),
    ("x-cp1250", "cp1250", "pl"),
    ("x-mac-roman", "mac-roman", "de"),
    ("unicode-1-1-utf-8", "utf-8", "ko"),
    ("iso-8859-1", "cp1252", "fr"),
]


@each_row(("label", "charset", "lang"), LABELS)
def test_a_label_means_what_browsers_take_it_for(label: str, charset: str, lang: str) -> None:
    body = KEY[lang].encode(charset)
    page = f'<meta charset="{label}"><p>'.encode() + body
    assert decode(body, f"text/html; charset={label}") == KEY[lang]
    assert decode(page).endswith(KEY[lang])


@pytest.mark.parametrize(
    "label", ["zip", "idna", "replacement", "x-user-defined", "utf-7", "unicode_escape", "nonsense"]
)
def test_a_label_that_is_no_charset_has_no_effect(label: str) -> None:
    assert decode(KEY["ru"].encode("koi8-r"), f"text/html; charset={label}") == KEY["ru"]


# a server's default, a page that was saved anew, a page that was never declared
DISAGREEING = [
    ("ru", "cp1251", "iso-8859-1", "windows-1251"),
    ("ru", "utf-8", "windows-1251", ""),
    ("de", "utf-8", "iso-8859-1", ""),
    ("zh", "utf-8", "gb2312", ""),
    ("pl", "iso8859-2", "windows-1252", "iso-8859-2"),
    ("ja", "cp932", "utf-8", "shift_jis"),
    ("ko", "cp949", "utf-8", ""),
]


@each_row(("lang", "charset", "header", "meta"), DISAGREEING)
def test_of_two_charsets_the_one_counts_that_makes_a_language(lang: str, charset: str, header: str, meta: str) -> None:
    head = f'<meta charset="{meta}">' if meta else ""
    page = head.encode() + f"<p>{KEY[lang]}</p>".encode(charset)
    assert decode(page, f"text/html; charset={header}") == f"{head}<p>{KEY[lang]}</p>"


def test_letters_of_no_language_are_told_from_a_text() -> None:
    long = " ".join([KEY["ru"], LIBRARY["ru"]])
    noise = random.Random(1).randbytes(3_000)
    assert is_gibberish((KEY["zh"] + LIBRARY["zh"]).encode("gb18030").decode("cp1251", "replace"))
    assert is_gibberish(long.encode().decode("cp1251", "replace"))
    assert is_gibberish(KEY["ko"].encode("cp949").decode("cp850"))
    assert is_gibberish(noise.decode("latin-1"))
    assert is_gibberish(noise.decode("utf-8", "replace"))
    assert is_gibberish("\ue012\ue034\ue056 \ue078" * 20)


@pytest.mark.parametrize(
    "text",
    [
        *(f"{KEY[lang]} {LIBRARY[lang]}" for lang in KEY),
        "∀x∈ℝ ∃y: x²+y²=1 ⇒ |x|≤1 ∧ ∑ᵢ aᵢ ≤ ∞ ∫₀¹ f(x)dx = π⁄4",
        "⍳10 ⋄ ⌽⍉⊖ +/⍵÷⍴⍵ → ⍺∇⍵ and so on, in APL",
        "├── src\n│   ├── main.py\n│   └── util.py\n└── README",
        "★★★★☆ 4.5 ✓ yes ✗ no → click ▸ Menu ▾ 😀🎉🇩🇪👍🏽",
        "Size² m² m³ 10⁶ H₂O CO₂ ΔT = 5 K, λ/4, σ², μF, Ω, kΩ",
        "Привет hello мир world Wi‑Fi роутер IP‑адрес TCP/IP‑стек",
        "\ue012 Open \ue034 Save the file as usual, then close the window",
    ],
)
def test_signs_and_mixed_scripts_are_no_gibberish(text: str) -> None:
    assert not is_gibberish(text)
