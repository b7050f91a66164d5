"""Files that a verb writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dissensus.cli.reading import say
from dissensus.cli.refusals import word_settings

if TYPE_CHECKING:
    from dissensus.files.notices import Say
    from dissensus.labels.shares import Labels


def write_labels(labels: Labels, path: Path, say: Say = say) -> None:
    """Write labels to a file in the format of its ending; reading options of the verb have no effect on it."""
    from dissensus.files.write_labels import write

    with word_settings((), None):
        write(labels, path, say=say)
