// Written by `make docs` from domain/flow.py and crawler/file_kinds.py: do not edit.

export const PHASES = {
  "ASKED": "Look it up",
  "RETRYING": "Try other wordings",
  "SEEKING": "Find pages",
  "READING": "Read them",
  "EMBEDDING": "Note what they say",
  "REQUERYING": "Look again",
  "WRITING": "Write the answer"
};
export const DOING = {
  "ASKED": "looking in the knowledge base",
  "RETRYING": "looking again in other words",
  "SEEKING": "choosing pages to read",
  "READING": "reading",
  "EMBEDDING": "adding what was read to the knowledge base",
  "REQUERYING": "looking again with what was read",
  "WRITING": "writing the answer"
};
export const STATUS_OF_STEP = {
  "retrieve": "ASKED",
  "retry": "RETRYING",
  "seek": "SEEKING",
  "requery": "REQUERYING",
  "write": "WRITING"
};
export const FILE_KINDS = "PDF, DOCX, PPTX, XLSX, OpenDocument, EPUB, HTML, Markdown, reStructuredText, AsciiDoc, Org and LaTeX, plain text, CSV, JSON, Jupyter notebook, mail and saved pages";
export const FILE_SUFFIXES = ".pdf,.docx,.docm,.pptx,.pptm,.ppsx,.ppsm,.xlsx,.xlsm,.xlsb,.xls,.odt,.odp,.ods,.epub,.html,.htm,.xhtml,.md,.markdown,.mdx,.rst,.adoc,.asciidoc,.org,.tex,.txt,.text,.log,.yaml,.yml,.csv,.tsv,.json,.jsonl,.ipynb,.eml,.mhtml,.mht";
