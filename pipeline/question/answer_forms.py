"""The forms in which a sentence gives a time, a sum, a number, a place, a reason or a way, by language.

English and German are read alike, and so are languages without forms of their own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, kw_only=True)
class Forms:
    """The patterns of what a sentence gives."""

    number: re.Pattern[str]  #: in words
    time: re.Pattern[str]  #: its one group holds the digits, too
    money: re.Pattern[str]
    free: re.Pattern[str]  #: an amount without a number
    place: re.Pattern[str]
    reason: re.Pattern[str]
    way: re.Pattern[str]


#: the months of those languages in which they are written small
MONTHS: Final = {
    "fr": "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre",
    "es": "enero|febrero|marzo|abril|mayo|junio|julio|agosto|sep?tiembre|octubre|noviembre|diciembre",
    "it": "gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre",
    "pt": "janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro",
    "nl": "januari|februari|maart|april|mei|juni|juli|augustus|september|oktober|november|december",
}


def forms_of(lang: str) -> Forms:
    """Return the forms of a sentence in the language (ISO 639-1); those of English and German where it has none."""
    return _FORMS.get(lang, _ENGLISH_AND_GERMAN)


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{pattern})(?!\w)", re.IGNORECASE)


def _forms(
    lang: str, *, number: str, time: str, units: str, money: str, free: str, place: str, reason: str, way: str
) -> Forms:
    """Return the forms of a language from the words for each; ``units`` follow a number in a time."""
    return Forms(
        number=_words(number),
        time=re.compile(
            rf"\b({MONTHS[lang]}|{time}|\d{{3,4}}|\d{{1,2}}[:h]\d\d|\d+(?:[.,]\d+)? ?(?:{units}))(?!\w)", re.IGNORECASE
        ),
        money=re.compile(rf"[£$€¥]|\b(?:{money}|{free})(?!\w)", re.IGNORECASE),
        free=_words(free),
        place=_words(place),
        reason=_words(reason),
        way=re.compile(rf"\w\(|\w\.\w+|>>>|\b(?:{way})(?!\w)", re.IGNORECASE),
    )


_ENGLISH_AND_GERMAN: Final = Forms(
    number=re.compile(
        r"\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:thir|four|fif|six|seven|eigh|nine)teen"
        r"|dozen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety|half|hundreds?|thousands?|millions?|billions?"
        r"|twice|once|single|zero|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|\w+zehn|\w+zig|hundert"
        r"|tausend|million(?:en)?|milliarden?|ein(?:e[rmns]?)? (?:drittel|viertel|halb\w*))\b",
        re.IGNORECASE,
    ),
    # "may" and "march" are other words when they are not capitalised
    time=re.compile(
        r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter"
        r"|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
        r"|(?i:noon|midnight|centur(?:y|ies)|decades?|spring|summer|autumn|winter)"
        r"|Januar|Februar|März|Mai|Juni|Juli|Oktober|Dezember|(?:Mon|Diens|Donners|Frei|Sams|Sonn)tags?|Mittwochs?"
        r"|Jahrhunderts?|Frühling|Herbst|Sommer|Winter|\d{3,4}s?|\d{1,2}:\d\d|age \d+"
        r"|\d+(?:[.:]\d\d)? ?(?:(?i:uhr|[ap]m|o['’]clock|years?|months?|weeks?|days?|hours?|minutes?"
        r"|jahren?|monaten?|wochen?|tagen?"
        r"|stunden?|minuten?|ans|mois|semaines?|jours?|heures?|h)))\b"
    ),
    # what a thing costs is said in any unit: "It costs 20 pieces of gold."
    money=re.compile(
        r"[£$€¥]|\b(?:pounds?|dollars?|euros?|cents?|pence|francs?|marks?|pfund|mark|franken|free|kostenlos|million"
        r"|billion)\b"
        r"|\b(?:cost\w*|pric\w+|pay|pays|paid|charg\w+|fees?|fares?|gold|kost\w+|preis\w*|gebühr\w*|co[uû]te\w*|prix"
        r"|cuesta\w*|precio\w*|prezz\w+|custa\w*|preço\w*)\b",
        re.IGNORECASE,
    ),
    free=re.compile("free"),
    place=re.compile(
        r"\b(?:in|at|near|on|from|to|off|under|beside|between|along|into|inside|behind|above|below|of|im|am|aus|bei"
        r"|nach|auf|unter|zwischen|neben|vom|zum)\b",
        re.IGNORECASE,
    ),
    reason=re.compile(
        r"\b(?:because|since|so that|so as|due to|owing to|as a result|in order|for fear|reasons?|caus\w+|therefore"
        r"|thus|hence|led to|result\w*|would|could|so|to \w+|for \w+ing|by \w+ing|if|otherwise|avoid\w*|prevent\w*"
        r"|danger\w*|weil|damit|deshalb|daher|wegen|aufgrund|um|denn|dadurch|grund|ursache)\b",
        re.IGNORECASE,
    ),
    way=re.compile(
        r"\w\(|\w\.\w+|>>>|\b(?:use|uses|using|call|by|with|can|must|should|to|kann|muss|mit|durch)\b", re.IGNORECASE
    ),
)

_FORMS: Final = {
    "fr": _forms(
        "fr",
        number=r"deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|treize|quatorze|quinze|seize|vingts?|trente"
        r"|quarante|cinquante|soixante|septante|huitante|nonante|cents?|mille|millions?|milliards?|demie?s?|moitié"
        r"|tiers|quart|(?:di|dou|quin|ving|tren|cin|cen)\w*aines?|zéro",
        # "été" is "been", too
        time=r"(?:lun|mar|mercre|jeu|vendre|same)dis?|dimanches?|midi|minuit|siècles?|décennies?|printemps|automne|hiver"
        r"|(?:en |cet |l['’]|d['’])été|noël|pâques",
        units=r"ans?|années?|mois|semaines?|jours?|heures?|minutes?|h",
        money=r"euros?|dollars?|livres? sterling|francs?|centimes?|co[uû]t\w*|prix|tarifs?|payer|payante?s?|paient?"
        r"|frais|vaut",
        free=r"gratuit\w*",
        # "de" is in nearly every sentence: it tells a place before a name
        place=r"à|aux?|dans|en|sur|sous|près|chez|vers|entre|devant|derrière|ici"
        r"|d(?:e |u |es |['’])(?-i:[A-ZÀ-Ý])\w*",
        reason=r"parce que?|car|puisque?|afin|pour \w+(?:er|ir|re)|pour que?|grâce|à cause|en raison|raisons?"
        r"|causes?|caus(?:é\w*|er|ent)|donc|ainsi|c['’]est pourquoi|sinon|si|comme|en \w+ant|évit\w+|empêch\w+|dues?|dû"
        r"|résult\w+|faute de|de peur",
        way=r"utilis\w+|emplo\w+|appel\w+|avec|par|en \w+ant|pour \w+(?:er|ir|re)|peut|peuvent|doit|doivent|faut|\w+ez"
        r"|cliqu\w+",
    ),
    "es": _forms(
        "es",
        number=r"dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince|dieci\w+"
        r"|veint(?:e|i\w+)|treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa|cien(?:to)?|\w*cient[oa]s"
        r"|quinient[oa]s|mil|miles|millón|millones|media|mitad|docenas?|decenas?|cero",
        time=r"lunes|martes|miércoles|jueves|viernes|sábados?|domingos?|mediodía|medianoche|siglos?|décadas?|primavera"
        r"|verano|otoño|invierno|navidad(?:es)?|pascua|semana santa",
        units=r"años?|mes(?:es)?|semanas?|días?|horas?|minutos?|h",
        money=r"euros?|dólar(?:es)?|pesos?|pesetas?|libras?|céntimos?|centavos?|cuesta\w*|costó|costaba\w*|costará"
        r"|vale|valen|precios?|tarifas?|pag(?:ar|a|an|ó|o)|cobr\w+",
        free=r"gratis|gratuit\w*",
        place=r"en|al?|desde|hacia|hasta|sobre|bajo|cerca|junto|entre|dentro|detrás|delante|encima|debajo|fuera|frente"
        r"|aquí|del? (?-i:[A-ZÁ-Ú])\w*",
        reason=r"porque|ya que|puesto que|dado que|debid[oa]s? a|para (?:que|\w+[aei]r)|por (?:eso|ello|lo que|tanto"
        r"|miedo|falta|culpa)|a causa|causas?|caus(?:ó|a|an|ar|ado|ada)|raz(?:ón|ones)|motivos?|pues|gracias a|si|así"
        r"|de lo contrario|evit\w+|impid\w+",
        way=r"us(?:ar?|e|en|an|ando)|utili[zc]\w+|con|mediante|puede[ns]?|debe[ns]?|hay que|haga|haz|para \w+[aei]r"
        r"|\w{2,}(?:ando|iendo)|pulse|haga clic",
    ),
    "it": _forms(
        "it",
        number=r"due|tre|quattro|cinque|sei|sette|otto|nove|dieci|undici|dodici|tredici|quattordici|quindici|sedici"
        r"|diciassette|diciotto|diciannove"
        r"|(?:vent|trent|quarant|cinquant|sessant|settant|ottant|novant)[ia]?(?:uno?|due|tr[eé]|quattro|cinque|sei|sette"
        r"|otto|nove)?|(?:due|tre|quattro|cinque|sei|sette|otto|nove)?cento|mille|\w*mila|milion[ei]|miliard[oi]|mezza"
        r"|metà|dozzin[ae]|decin[ae]|centinai[ao]|zero",
        time=r"(?:lune|marte|mercole|giove|vener)dì|sabat[oi]|domenic(?:a|he)|mezzogiorno|mezzanotte|secol[oi]|decenni[oi]?"
        r"|primavera|estate|autunno|inverno|natale|pasqua",
        units=r"ann[oi]|mes[ei]|settiman[ae]|giorn[oi]|or[ae]|minut[oi]|h",
        money=r"euro|dollar[oi]|lir[ae]|sterlin[ae]|franch?[oi]|centesim[oi]|cost[aoòi]|costan?o|costava\w*|prezz[oi]"
        r"|tariff[ae]|pag(?:are|a|ano|ò|ato|amento)",
        free=r"gratis|gratuit\w*",
        place=r"in|a|ad|al|all[oae]|all['’]\w+|ai|agli|nel|nell[oae]|nell['’]\w+|nei|negli|sul?|sull[oae]|sull['’]\w+|sui"
        r"|sugli|sotto|sopra|vicino|presso|accanto|tra|fra|dentro|dietro|davanti|lungo|verso|qui"
        r"|d(?:i|a|al|el) (?-i:[A-ZÀ-Ú])\w*",
        reason=r"perché|poiché|giacché|siccome|dato che|visto che|a causa|caus[ae]|caus(?:ò|ato|ata|ano|are)"
        r"|per \w+(?:are|ere|ire|rre)|affinché|in modo|quindi|perciò|motiv[oi]|ragion[ei]|grazie a\w*|dovut[oaie]|se"
        r"|altrimenti|evit\w+|imped\w+",
        way=r"us(?:a|i|ate|are|ando|ano)|utilizz\w+|con|tramite|mediante|può|possono|puoi|potete|dev[eio]\w*|bisogna"
        r"|per \w+(?:are|ere|ire|rre)|\w{2,}(?:ando|endo)|clicca\w*|premi|premere",
    ),
    "pt": _forms(
        "pt",
        number=r"dois|duas|três|quatro|cinco|seis|sete|oito|nove|dez|onze|doze|treze|(?:ca|qua)torze|quinze"
        r"|dez[ae]ss?(?:eis|ete)|dez(?:oito|[ae]nove)|vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa"
        r"|cem|cento|(?:du|tre)zent[oa]s|quinhent[oa]s|\w+cent[oa]s|mil|milhares|milh(?:ão|ões)|bilh(?:ão|ões)|meia"
        r"|metade|dúzias?|dezenas?|centenas?|zero",
        time=r"(?:segunda|terça|quarta|quinta|sexta)s?-feiras?|sábados?|domingos?|meio-dia|meia-noite|séculos?|décadas?"
        r"|primavera|verão|outono|inverno|natal|páscoa",
        units=r"anos?|mês|meses|semanas?|dias?|horas?|minutos?|h",
        money=r"euros?|dólar(?:es)?|reais|escudos?|libras?|cêntimos?|centavos?|cust(?:a|am|ou|ava|ará|os?)|preços?"
        r"|tarifas?|pag(?:ar|a|am|ou|o)|cobr\w+",
        free=r"grátis|gratuit\w*",
        place=r"em|n[oa]s?|nums?|numas?|aos?|às?|sobre|sob|perto|junto|entre|dentro|atrás|diante|desde|até|aqui"
        r"|d[eoa] (?-i:[A-ZÀ-Ú])\w*",
        reason=r"porque|pois|já que|visto que|uma vez que|dado que|devido|para (?:que|\w+[aei]r)|por (?:isso|causa"
        r"|falta|medo)|causas?|caus(?:ou|am|ar|ado|ada)|raz(?:ão|ões)|motivos?|assim|portanto|graças|senão"
        r"|caso contrário|evit\w+|imped\w+",
        way=r"us(?:ar?|e|em|am|ando)|utiliz\w+|com|através|pode[ms]?|deve[ms]?|é preciso|para \w+[aei]r"
        r"|\w{2,}(?:ando|endo|indo)|clique|faça",
    ),
    "nl": _forms(
        "nl",
        number=r"twee|drie|vier|vijf|zes|zeven|acht|negen|tien|elf|twaalf|(?:der|veer|vijf|zes|zeven|acht|negen)tien"
        r"|\w*(?:twin|der|veer|vijf|zes|zeven|tach|negen)tig|\w*honderd\w*|\w*duizend\w*|miljoen(?:en)?|miljard(?:en)?"
        r"|half|halve|helft|kwart|dozijn|tientallen|nul",
        time=r"(?:maan|dins|woens|donder|vrij|zater|zon)dag(?:en)?|middag|middernacht|eeuw(?:en)?|decenni(?:um|a)|lente"
        r"|voorjaar|zomer|herfst|najaar|winter|kerst(?:mis)?|pasen",
        units=r"jaar|jaren|maand(?:en)?|week|weken|dag(?:en)?|uur|uren|minuut|minuten|u",
        money=r"euro|dollar|gulden|pond|cent|kost\w*|prij[sz]\w*|tarie[fv]\w*|betaal\w*|betalen",
        free=r"gratis|kosteloos",
        place=r"in|op|aan|bij|naar|uit|onder|boven|naast|tussen|achter|langs|binnen|buiten|rond|nabij|hier"
        r"|van (?-i:[A-Z])\w*",
        reason=r"omdat|want|doordat|zodat|opdat|daarom|daardoor|dus|wegens|vanwege|dankzij|om|door|redenen?|oorza\w+|als"
        r"|anders|voorkom\w+|vermijd\w+",
        way=r"gebruik\w*|met|door|via|kan|kunt?|kunnen|moet\w*|om|klik\w*",
    ),
}
