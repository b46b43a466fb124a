"""Any encoder that transformers knows, from a folder on this computer; the extra ``torch``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from personae.embedding.base import Floats
from personae.embedding.packages import need
from personae.errors import BadInput
from personae.trusted import check_trusted


class TorchModel:
    """A model loaded by transformers. Nothing is fetched, and transformers is told to run no code out of the folder.

    What it loads can still be a pickle, and its configuration names parts of other packages, so a user must name it.

    Raises
    ------
    BadInput
        When nobody trusts it, the extra is missing, or transformers cannot load what the folder holds.
    """

    def __init__(self, folder: Path, name: str) -> None:
        check_trusted("encoder", name, "weights that only transformers loads can run code")
        transformers = need("transformers", name, "torch")
        self._torch = need("torch", name, "torch")
        transformers.utils.logging.disable_progress_bar()
        try:
            given = {"local_files_only": True, "trust_remote_code": False}
            self._model = transformers.AutoModel.from_pretrained(folder, **given).eval()
            fast = transformers.AutoTokenizer.from_pretrained(folder, **given)
        except (OSError, ValueError, KeyError) as problem:
            said = " ".join(str(problem).split())
            raise BadInput("encoder", name, f"a folder that transformers can load, and it says: {said}") from problem
        self.tokenizer = getattr(fast, "backend_tokenizer", None)
        if self.tokenizer is None:
            raise BadInput("encoder", name, "a folder with a fast tokenizer: one that tells where each token stands")
        config = self._model.config
        self.dim: int = config.hidden_size
        places: int = config.max_position_embeddings
        # The RoBERTa family counts positions from the padding token on, which itself has one.
        spent = config.pad_token_id + 1 if "roberta" in config.model_type else 0
        self.max_tokens = places - spent

    def states(self, ids: np.ndarray[Any, Any]) -> Floats:
        """States of the last layer, shape (texts, tokens, dim), of equally long texts: ids (texts, tokens)."""
        with self._torch.inference_mode():
            tokens = self._torch.from_numpy(np.ascontiguousarray(ids))
            out = self._model(input_ids=tokens, attention_mask=self._torch.ones_like(tokens))
            states: Floats = out.last_hidden_state.float().cpu().numpy()
        return states
