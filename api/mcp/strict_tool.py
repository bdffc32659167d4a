"""A tool that refuses arguments it does not have, and says what is wrong with one in a sentence.

The protocol's library leaves unknown arguments out: a question whose reading was switched off under another name would
read the web.
"""

from __future__ import annotations

from typing import Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.tools import Tool
from pydantic import ValidationError

from api.schemas.wrong_field import wrong_field


class StrictTool(Tool):
    """A tool with exactly the arguments of its function."""

    def model_post_init(self, context: Any, /) -> None:
        """Tell assistants that there are no other arguments."""
        super().model_post_init(context)
        self.parameters["additionalProperties"] = False

    async def run(self, arguments: dict[str, Any], context: Context[Any, Any], convert_result: bool = False) -> Any:
        """Run the tool; raise ToolError where an argument is unknown or wrong."""
        known = self.parameters["properties"]
        if unknown := [name for name in arguments if name not in known]:
            has = ", ".join(known) or "none"
            raise ToolError(f"{unknown[0][:100]}: there is no such argument of {self.name}; it has {has}.")
        try:
            self.fn_metadata.validate_arguments(arguments)
        except ValidationError as error:
            wrong = (wrong_field(".".join(map(str, entry["loc"])), entry) for entry in error.errors()[:8])
            raise ToolError("; ".join(wrong)) from error
        return await super().run(arguments, context, convert_result)
