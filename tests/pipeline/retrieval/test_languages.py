"""Questions and pages in several languages, with the real models and the real store."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from domain import Hit, Scope
from pipeline.retrieval.retrieve import retrieve
from store.embedders import Embedder, open_embedder
from store.passages.table import Passages
from store.passages.writer import PassagesWriter
from tests.fakes import passage
from tests.tables import each_row
from text.language import detect_language

#: language → for each of the same six subjects (title, text, question); the words are ours
TEXTS: dict[str, tuple[tuple[str, str, str], ...]] = {
    "en": (
        ("Honey bees", "A bee colony survives the winter on its stored honey.", "What do bees live on in winter?"),
        ("Tides", "The moon's gravity pulls the oceans and causes high and low tide.", "What causes the tides?"),
        ("Bread", "Yeast turns sugar into gas, and the gas makes the dough rise.", "Why does bread dough rise?"),
        ("Printing", "Gutenberg printed the Bible with movable type in Mainz around 1455.", "Who printed the Bible?"),
        ("Volcanoes", "A volcano erupts when molten rock rises from below.", "When does a volcano erupt?"),
        ("Bridges", "The longest suspension bridge hangs from steel cables.", "What does the bridge hang from?"),
    ),
    "de": (
        ("Honigbienen", "Ein Bienenvolk überlebt den Winter vom gelagerten Honig.", "Wovon leben Bienen im Winter?"),
        ("Gezeiten", "Die Schwerkraft des Mondes bewirkt Ebbe und Flut der Meere.", "Was bewirkt Ebbe und Flut?"),
        ("Brot", "Hefe macht aus Zucker ein Gas, und das Gas lässt den Teig aufgehen.", "Warum geht der Brotteig auf?"),
        ("Buchdruck", "Gutenberg druckte die Bibel um 1455 in Mainz.", "Wer druckte die Bibel?"),
        ("Vulkane", "Ein Vulkan bricht aus, wenn geschmolzenes Gestein aufsteigt.", "Wann bricht ein Vulkan aus?"),
        ("Brücken", "Die längste Hängebrücke hängt an Stahlseilen.", "Woran hängt die Brücke?"),
    ),
    "es": (
        ("Abejas", "La colonia de abejas sobrevive al invierno con su miel.", "¿De qué viven las abejas en invierno?"),
        ("Mareas", "La gravedad de la luna causa las mareas de los océanos.", "¿Qué causa las mareas?"),
        ("Pan", "La levadura convierte el azúcar en gas y la masa sube.", "¿Por qué sube la masa del pan?"),
        ("Imprenta", "Gutenberg imprimió la Biblia en Maguncia hacia 1455.", "¿Quién imprimió la Biblia?"),
        ("Volcanes", "Un volcán entra en erupción al subir la roca fundida.", "¿Cuándo entra en erupción un volcán?"),
        ("Puentes", "El puente colgante más largo cuelga de cables de acero.", "¿De qué cuelga el puente?"),
    ),
    "ru": (
        ("Пчёлы", "Пчелиная семья переживает зиму на запасах мёда.", "Чем питаются пчёлы зимой?"),
        ("Приливы", "Притяжение Луны вызывает приливы и отливы в океане.", "Что вызывает приливы?"),
        ("Хлеб", "Дрожжи превращают сахар в газ, и тесто поднимается.", "Почему поднимается тесто для хлеба?"),
        ("Книгопечатание", "Гутенберг напечатал Библию в Майнце около 1455 года.", "Кто напечатал Библию?"),
        ("Вулканы", "Вулкан извергается, когда поднимается расплавленная порода.", "Когда извергается вулкан?"),
        ("Мосты", "Самый длинный висячий мост держится на стальных тросах.", "На чём держится мост?"),
    ),
    "zh": (
        ("蜜蜂", "蜂群靠储存的蜂蜜度过冬天。", "蜜蜂冬天靠什么生活？"),
        ("潮汐", "月球的引力引起海洋的涨潮和退潮。", "什么引起潮汐？"),
        ("面包", "酵母把糖变成气体，使面团发起来。", "面包的面团为什么会发起来？"),
        ("印刷术", "古腾堡于1455年左右在美因茨印刷了圣经。", "谁印刷了圣经？"),
        ("火山", "当熔化的岩石上升时，火山就会喷发。", "火山什么时候喷发？"),
        ("桥梁", "最长的悬索桥悬挂在钢缆上。", "桥悬挂在什么上面？"),
    ),
    "ar": (
        ("النحل", "تعيش خلية النحل في الشتاء على العسل المخزون.", "على ماذا يعيش النحل في الشتاء؟"),
        ("المد والجزر", "تسبب جاذبية القمر المد والجزر في المحيطات.", "ما الذي يسبب المد والجزر؟"),
        ("الخبز", "تحول الخميرة السكر إلى غاز فيرتفع العجين.", "لماذا يرتفع عجين الخبز؟"),
        ("الطباعة", "طبع غوتنبرغ الإنجيل في ماينتس حوالي عام 1455.", "من طبع الإنجيل؟"),
        ("البراكين", "يثور البركان عندما ترتفع الصخور المنصهرة.", "متى يثور البركان؟"),
        ("الجسور", "يتدلى أطول جسر معلق من كابلات فولاذية.", "من ماذا يتدلى الجسر؟"),
    ),
}  # fmt: skip
OTHERS = [lang for lang in TEXTS if lang != "en"]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return open_embedder("minilm+multilingual")


@pytest.fixture(scope="module")
def knowledge(embedder: Embedder, tmp_path_factory: pytest.TempPathFactory) -> Passages:
    """Every language's pages; page 10 · language + subject."""
    folder = str(tmp_path_factory.mktemp("passages"))
    table = PassagesWriter.open(folder, embedder_id=embedder.id, dimension=embedder.dimension)
    pages = {
        10 * at + subject: [passage(text, page_id=10 * at + subject, title=title, lang=lang)]
        for at, (lang, texts) in enumerate(TEXTS.items())
        for subject, (title, text, _) in enumerate(texts)
    }
    table.write_pages(pages, embedder)
    return table


def found(question: str, embedder: Embedder, knowledge: Passages, scope: Scope) -> list[Hit]:
    vectors: np.ndarray[tuple[int, ...], np.dtype[np.float32]] = embedder.embed([question])
    with ThreadPoolExecutor(1) as pool:
        hits, _ = retrieve(
            [question],
            vectors,
            search=knowledge,
            pool=pool,
            k=5,
            scope=scope,
            lang=detect_language(question),
            embedder_id=embedder.id,
        )
    return hits


@each_row("lang", TEXTS)
def test_question_finds_the_page_in_its_own_language_first(lang: str, embedder: Embedder, knowledge: Passages) -> None:
    firsts = [found(question, embedder, knowledge, Scope())[0].passage for _, _, question in TEXTS[lang]]
    assert [(item.lang, item.text) for item in firsts] == [(lang, text) for _, text, _ in TEXTS[lang]]


@pytest.mark.parametrize("lang", OTHERS)
def test_question_finds_the_english_page_where_there_is_no_other(
    lang: str, embedder: Embedder, knowledge: Passages
) -> None:
    firsts = [
        found(question, embedder, knowledge, Scope(langs=("en",)))[0].passage.page_id for _, _, question in TEXTS[lang]
    ]
    assert sum(at == page_id for at, page_id in enumerate(firsts)) >= 5


@pytest.mark.parametrize("lang", OTHERS)
def test_english_question_finds_the_page_in_another_language(
    lang: str, embedder: Embedder, knowledge: Passages
) -> None:
    offset = 10 * list(TEXTS).index(lang)
    firsts = [
        found(question, embedder, knowledge, Scope(langs=(lang,)))[0].passage.page_id - offset
        for _, _, question in TEXTS["en"]
    ]
    assert sum(at == page_id for at, page_id in enumerate(firsts)) >= 5
