"""Render pages whose text is made by JavaScript: in Chromium, behind the same guard."""
