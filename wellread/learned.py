"""What was learned from feedback, for operators."""

from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field


class LearnedOut(BaseModel):
    """How readers' feedback corrects the judge's confidence in some answers."""

    model_config = ConfigDict(from_attributes=True)

    embedder: str
    lang: str = Field(description="Of the questions, ISO 639-1.")
    calibration: str = Field(description="The shipped calibration that is corrected, by how the hits were read.")
    intercept: float = Field(description="Added to the log odds; 0: nothing is.")
    slope: float = Field(description="What the log odds are multiplied by; 1: they stay.")
    said: str = Field(description="That it is in use, or why there is no correction.")
    right: int = Field(description="How many answers were called right.")
    wrong: int = Field(description="How many were called wrong.")
    held_out: int = Field(description="How many of both were not fitted to, and show whether the correction helps.")
    loss_before: float | None = Field(description="Log loss on those by the shipped judge.")
    loss_after: float | None = Field(description="And by the fitted one.")
    since: datetime | None = Field(description="When it was reset: feedback before no longer counts.")
    learned_at: datetime
