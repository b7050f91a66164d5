"""`dissensus predict`."""

from pathlib import Path
from typing import Annotated

import typer

from dissensus.cli.features import FeatureFile, load_features
from dissensus.cli.overwriting import refuse_overwriting
from dissensus.cli.printing import AsJson, print_result
from dissensus.cli.reading import one_line_errors, say


def predict(
    model: Annotated[Path, typer.Argument(help="A model that `dissensus fit` wrote.")],
    features: FeatureFile,
    output: Annotated[Path, typer.Option("--output", "-o", help="Distributions to write: .parquet, .npz, .npy, …")],
    as_json: AsJson = False,
) -> None:
    """Predict a distribution for each item with a trained head."""
    from dissensus.files.write_labels import write
    from dissensus.train.heads.model_files import load_head

    with one_line_errors():
        refuse_overwriting({"model": model, "features": features, "output": output})
        head = load_head(model)
        table = load_features(features)
        predictions = head.predict(table)
        if not table.named:
            say(f"{features}: features have no names of items, so predictions have none: rows stay in their order")
        write(predictions, output, say=say)
    n, classes = predictions.n_items, list(predictions.classes)
    done = {"model": str(model), "items": n, "classes": classes, "output": str(output)}
    print_result(done, f"{n:,} distributions over {len(classes)} classes by {model} -> {output}", as_json)
