// Written by `make docs` from domain/flow.py: do not edit.

export const PHASES = {
  "ASKED": "Look it up",
  "RETRYING": "Try other wordings",
  "SEEKING": "Find pages",
  "READING": "Read them",
  "EMBEDDING": "Note what they say",
  "REQUERYING": "Look again",
  "WRITING": "Write the answer"
};
export const STATUS_OF_STEP = {
  "retrieve": "ASKED",
  "retry": "RETRYING",
  "seek": "SEEKING",
  "requery": "REQUERYING",
  "write": "WRITING"
};
