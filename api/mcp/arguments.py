"""The arguments that several tools take, and what an assistant reads of them."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Collection = Annotated[str, Field(max_length=100, description="The collection that is meant; empty: the usual one.")]
Url = Annotated[str, Field(min_length=1, max_length=2048)]
Sites = Annotated[list[Url] | None, Field(max_length=20, description="URLs: only pages below these.")]
Excluded = Annotated[list[Url] | None, Field(max_length=100, description="URLs: no pages below these.")]
Langs = Annotated[list[str] | None, Field(max_length=20, description="ISO 639-1: only pages in these languages.")]
#: the API takes more forms, and says what it does not take
Date = Annotated[str, Field(max_length=40)]


class Budget(BaseModel):
    """What a question may use; what is left out, and the most that is allowed, is the operator's."""

    model_config = ConfigDict(extra="forbid")

    seconds: float | None = Field(None, gt=0, description="Of reading.")
    pages: int | None = Field(None, ge=1)
    bytes: int | None = Field(None, ge=1)
    depth: int | None = Field(None, ge=0, le=10, description="Links from where the reading begins.")
    cycles: int | None = Field(None, ge=0, le=20, description="Waves of reading.")
    tokens: int | None = Field(None, ge=0, description="Of a language model.")
    usd: float | None = Field(None, ge=0, description="For a language model.")
