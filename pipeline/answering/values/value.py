"""Compare values of sentences: numbers, sums of money, dates and names.

1,000 and 1000, three and 3, 5 km and 5,000 m, 1970-01-01 and January 1970 are equal in another form. In doubt (a
rounded number, a year for a day) two values count as equal, so that no false contradiction is shown.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

ValueKind = Literal["number", "money", "date", "name"]


@dataclass(frozen=True, kw_only=True)
class Unit:
    """A unit; ``value · factor + offset`` converts to the base unit of its measure."""

    measures: str  #: "length", a currency; "" for a count
    factor: float = 1.0
    offset: float = 0.0

    @staticmethod
    def named(name: str) -> Unit:
        """Return the unit of a name that ``UNIT`` matched."""
        return _UNITS.get(name) or _FOLDED[name.casefold()]


#: the unit of a number without one
BARE = Unit(measures="")
SHARE = Unit(measures="share")

#: measure → names → factor; case distinguishes names of one letter
_NAMES: Mapping[str, Mapping[str, float]] = {
    "share": {"% percent prozent": 0.01, "per-cent": 0.01},
    "length": {
        "mm millimetre millimetres millimeter millimeters": 1e-3,
        "cm centimetre centimetres centimeter centimeters zentimeter": 1e-2,
        "m metre metres meter meters metern": 1.0,
        "km kilometre kilometres kilometer kilometers kilometern": 1e3,
        "in inch inches zoll": 0.0254,
        "ft foot feet fuß": 0.3048,
        "yd yard yards": 0.9144,
        "mi mile miles meile meilen": 1609.344,
    },
    "mass": {
        "mg milligram milligrams milligramm": 1e-6,
        "g gram grams gramm": 1e-3,
        "kg kilogram kilograms kilo kilos kilogramm": 1.0,
        "tonne tonnes tonnen": 1e3,
        "lb lbs": 0.45359237,
        "oz ounce ounces": 0.028349523,
    },
    "duration": {
        "ms millisecond milliseconds millisekunden": 1e-3,
        "s sec second seconds sekunde sekunden seconde secondes": 1.0,
        "min minute minutes minuten": 60.0,
        "h hr hour hours stunde stunden heure heures": 3600.0,
        "day days tag tage tagen jour jours": 86400.0,
        "week weeks woche wochen semaine semaines": 604800.0,
        "month months monat monate monaten mois": 2629746.0,
        "year years jahr jahre jahren ans année années": 31556952.0,
    },
    "area": {
        "m² m2": 1.0,
        "ha hectare hectares hektar": 1e4,
        "km² km2": 1e6,
        "acre acres": 4046.8564,
    },
    "volume": {"ml millilitres milliliters milliliter": 1e-3, "l litre litres liter liters": 1.0, "m³ m3": 1e3},
    "speed": {"km/h kph": 1 / 3.6, "mph": 0.44704, "m/s": 1.0, "knots": 0.514444},
    "power": {"W watt watts": 1.0, "kW kilowatt kilowatts": 1e3, "MW megawatt megawatts": 1e6, "GW": 1e9},
    "pressure": {"mbar millibar": 1e2, "bar": 1e5, "psi": 6894.76, "kPa": 1e3},
    "energy": {
        "Wh": 1.0,
        "kWh kilowatt-hours kilowattstunden": 1e3,
        "MWh megawatt-hours megawattstunden": 1e6,
        "GWh": 1e9,
    },
    "data": {"KB kB kilobytes": 1e3, "MB megabytes": 1e6, "GB gigabytes": 1e9, "TB terabytes": 1e12},
}
_UNITS: dict[str, Unit] = {
    name: Unit(measures=measures, factor=factor)
    for measures, names in _NAMES.items()
    for many, factor in names.items()
    for name in many.split()
} | {
    "per cent": Unit(measures="share", factor=0.01),
    "square kilometres": Unit(measures="area", factor=1e6),
    "square kilometers": Unit(measures="area", factor=1e6),
    "square miles": Unit(measures="area", factor=2589988.1),
    "square metres": Unit(measures="area", factor=1.0),
    "square feet": Unit(measures="area", factor=0.09290304),
    "kilometres per hour": Unit(measures="speed", factor=1 / 3.6),
    "miles per hour": Unit(measures="speed", factor=0.44704),
    "°c": Unit(measures="temperature", factor=1.0),
    "°f": Unit(measures="temperature", factor=5 / 9, offset=-160 / 9),
}
#: "in" is seldom inches
del _UNITS["in"]
_FOLDED = {name.casefold(): unit for name, unit in _UNITS.items()}
_CASED = sorted((name for name in _UNITS if len(name) <= 3 and name.isascii() and name.isalpha()), key=len)
_WORDS = sorted(_UNITS.keys() - set(_CASED), key=len, reverse=True)
#: the separator between a number and its unit, the unit, and its end
UNIT = re.compile(
    rf"[ \u00a0\u202f-]?((?i:{'|'.join(map(re.escape, _WORDS))})|{'|'.join(map(re.escape, reversed(_CASED)))})"
    r"(?![\w²³/])"
)


@dataclass(frozen=True, kw_only=True)
class Value:
    """A value in ``text[start:end]``; a number or date lies between ``low`` and ``high``."""

    kind: ValueKind
    start: int
    end: int
    low: float = 0.0
    high: float = 0.0
    unit: Unit = BARE
    names: frozenset[str] = frozenset()  #: the words of a name, folded


def is_comparable(one: Value, other: Value) -> bool:
    """Return whether both have the same kind and measure."""
    return one.kind == other.kind and one.unit.measures == other.unit.measures


def may_be_equal(one: Value, other: Value) -> bool:
    """Return whether both may be the same value; never for values that cannot be compared."""
    if not is_comparable(one, other):
        return False
    if one.kind == "name":
        return not one.names.isdisjoint(other.names)
    return one.low <= other.high and other.low <= one.high
