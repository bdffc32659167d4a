"""The Model Context Protocol: Wellread as tools of editors and assistants, on stdin and stdout and over HTTP."""
