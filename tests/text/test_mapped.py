"""A model is opened once for all who use it, and again once nobody does."""

from __future__ import annotations

from text.mapped import give_back, kept_while_used


class Model:
    def __init__(self, name: str) -> None:
        self.name = name


def test_a_model_is_kept_as_long_as_it_is_used() -> None:
    opened: list[str] = []

    @kept_while_used
    def open_model(name: str) -> Model:
        opened.append(name)
        return Model(name)

    first = open_model("small")
    assert open_model("small") is first
    assert open_model("large") is not first  # and is not kept
    del first
    give_back()
    assert open_model("small").name == "small"
    assert opened == ["small", "large", "small"]
