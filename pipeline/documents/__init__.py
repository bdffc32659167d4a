"""The design documents' own rules that measured worse than the default; one setting switches each on, a profile all."""
