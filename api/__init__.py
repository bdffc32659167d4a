"""How people and programs reach Wellread: HTTP, the web page, the command line."""
