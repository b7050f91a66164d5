"""Texts to features, by sentence-transformers or by any text model of Transformers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

_AT_ONCE = 32


def sentence_encoder(model: str) -> Callable[[Sequence[str]], np.ndarray]:
    """The model's own pooling and scaling, as its authors intended.  n texts -> (n, d)"""
    import transformers
    from sentence_transformers import SentenceTransformer

    logging: Any = transformers.utils.logging
    logging.disable_progress_bar()  # the one for loading weights
    network: Any = SentenceTransformer(model)

    def encode(texts: Sequence[str]) -> np.ndarray:
        rows = network.encode(list(texts), batch_size=_AT_ONCE, show_progress_bar=False, convert_to_numpy=True)
        return np.asarray(rows, dtype=np.float32)

    return encode


def mean_of_tokens(model: str) -> tuple[Callable[[Sequence[str]], np.ndarray], str]:
    """The mean of the last hidden states over the tokens of a text, and the revision of the model.

        feature = sum over tokens t of mask_t h_t / sum of mask_t

    Reimers, Gurevych (2019), Sentence-BERT, sec. 3.  n texts -> (n, d)
    """
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenise: Any = AutoTokenizer.from_pretrained(model)
    network: Any = AutoModel.from_pretrained(model).eval()
    longest = min(tokenise.model_max_length, getattr(network.config, "max_position_embeddings", 512), 512)

    def encode(texts: Sequence[str]) -> np.ndarray:
        rows: list[np.ndarray] = []
        with torch.inference_mode():
            for start in range(0, len(texts), _AT_ONCE):
                part = list(texts[start : start + _AT_ONCE])
                tokens = tokenise(part, padding=True, truncation=True, max_length=longest, return_tensors="pt")
                hidden = network(**tokens).last_hidden_state  # (b, t, d)
                mask = tokens["attention_mask"].unsqueeze(2)  # (b, t, 1)
                rows.append(((hidden * mask).sum(1) / mask.sum(1)).float().numpy())
        return np.concatenate(rows)

    return encode, f"{model}@{getattr(network.config, '_commit_hash', None) or 'folder'}"
