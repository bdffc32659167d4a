"""Answer yes/no questions: "Yes" or "No" when a sentence states the question's own words, in order, or negates them.

"The lighthouse was built in 1874 by Robert Tallis." answers "Was the lighthouse built in 1874?"; a sentence that needs
a conclusion does not. In doubt the answer is neither: none is better than a wrong one.
"""

from __future__ import annotations

from pipeline.question.yes_no.answer import add_yes_no, answers_yes_no, is_yes_no
from pipeline.question.yes_no.words import YesNo, leading_yes_no, yes_no_word

__all__ = ["YesNo", "add_yes_no", "answers_yes_no", "is_yes_no", "leading_yes_no", "yes_no_word"]
