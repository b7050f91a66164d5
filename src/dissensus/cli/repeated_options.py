"""Options given twice: those that take one value are an error, as the parser would silently keep the last."""

from __future__ import annotations

from collections import Counter
from typing import Any

from typer.core import TyperCommand, TyperOption


class OneValueEach(TyperCommand):
    """A verb whose options take one value each, unless they are declared as lists; a repeated flag is harmless."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse the words of the command line, once no option of one value is repeated."""
        _, _, order = self.make_parser(ctx).parse_args(args=list(args))
        for option, times in Counter(order).items():
            if times > 1 and isinstance(option, TyperOption) and not (option.multiple or option.is_flag):
                ctx.fail(f"{max(option.opts, key=len)} was given {times} times; it takes one value")
        return super().parse_args(ctx, args)
