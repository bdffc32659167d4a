"""Make a larger knowledge base of one that is there, in minutes: each of its passages several times, in other places.

A copy's vector points elsewhere than the first one's; its words are the same, so that every term is in as many times
more passages. What SQL knows of the pages is not multiplied.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any, Final

import click
import numpy as np
import pyarrow as pa

from benchmarks.corpus.word_vectors import WordVectors
from evals.knowledge.stored import services_on

#: raise it when the content changes
_FORMAT = 1
#: a copy's vector is that of its passage and this much noise, in length: their cosine is .7
_NOISE: Final = 1.0
_ROWS_AT_ONCE: Final = 20_000


def multiplied(folder: Path, copies: int) -> Path:
    """Return the data folder of a knowledge base with each passage of that in ``folder`` so many times."""
    if copies == 1:
        return folder
    larger = folder.with_name(f"{folder.name}-times-{copies}-v{_FORMAT}")
    if not (larger / "whole").is_file():
        shutil.rmtree(larger, ignore_errors=True)
        click.echo(f"Making {copies} times the passages of {folder} in {larger} …", err=True)
        shutil.copytree(folder, larger, ignore=shutil.ignore_patterns("whole"))
        services = services_on(larger, WordVectors())
        table = services.passages_writer._table()
        rows = table.to_arrow()
        for copy in range(1, copies):
            for batch in rows.to_batches(_ROWS_AT_ONCE):
                table.add(_elsewhere(batch, copy))
        services.passages_writer.maintain()
        services.close()
        (larger / "whole").touch()
    return larger


def _elsewhere(batch: Any, copy: int) -> Any:
    """Return the same rows as passages of other pages, with other vectors."""
    random = np.random.default_rng(copy)
    page_ids = batch["page_id"].to_numpy() + copy * 10**9
    vectors = batch["vector"].flatten().to_numpy().reshape(batch.num_rows, -1)
    noise = random.standard_normal(vectors.shape, dtype=np.float32) * (_NOISE / vectors.shape[1] ** 0.5)
    moved = vectors + noise
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    other = {
        "id": pa.array([f"{page_id}-{ord}" for page_id, ord in zip(page_ids, batch["ord"].to_pylist(), strict=True)]),
        "page_id": pa.array(page_ids),
        "content_hash": pa.array([f"{copy}-{of}" for of in batch["content_hash"].to_pylist()]),
        "vector": pa.FixedSizeListArray.from_arrays(pa.array(moved.ravel()), vectors.shape[1]),
    }
    columns = [other.get(name, batch[name]) for name in batch.schema.names]
    return pa.Table.from_arrays(columns, schema=batch.schema)
