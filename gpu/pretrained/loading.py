"""Load a pretrained model by the name it has on the hub, or from a folder, at a revision."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file

from gpu.boundary import usable_device
from gpu.pretrained.attention_only import POSITIONS, AttentionOnlyModel
from gpu.pretrained.families import family_of
from gpu.pretrained.token_model import TokenModel
from reference.errors import InputError, reason

CONFIG = "config.json"
# Under these names TransformerLens's configurations say where positions enter.
POSITIONS_KEY, SHORTFORMER_KEY = "positional_embedding_type", "shortformer_pos"
NEEDS = "pip install 'leadterms[gpu,hub]'"


def load_model(place: str, revision: str | None, device: str) -> TokenModel:
    """Return a model in float32, in the state in which it is used and not trained.

    Args:
        place: a folder, or a name on the Hugging Face hub. A folder with a configuration of TransformerLens
            holds an attention-only model (`gpu.pretrained.attention_only`): attn_only true, and
            positional_embedding_type; its bos_token_id begins sequences.
        revision: on the hub a branch or tag, such as step512; of a folder the subfolder.
        device: "cpu", "cuda" or "cuda:NUMBER".

    Raises:
        InputError: there is no such model, it is of a type that is not known here, or transformers is not
            installed.
    """
    where = usable_device(device)
    folder = model_folder(place, revision)
    told = place if revision is None else f"{place} at {revision}"
    config = _config(folder) if folder is not None else {}
    if POSITIONS_KEY in config or SHORTFORMER_KEY in config:
        assert folder is not None
        return _attention_only(folder, config, where)
    if "model_type" in config:
        family_of(str(config["model_type"]), told)  # before gigabytes are read
    from gpu.pretrained.hugging_face import HuggingFaceModel

    with quiet_transformers() as transformers:
        try:
            model = transformers.AutoModelForCausalLM.from_pretrained(
                place if folder is None else str(folder),
                revision="main" if folder is not None or revision is None else revision,
                dtype=torch.float32,
                attn_implementation="eager",
            )
        except (OSError, ValueError, KeyError, RuntimeError, SafetensorError) as error:
            raise _not_loaded(told, folder, error) from None
    return HuggingFaceModel(model.to(where), told)


def model_folder(place: str, revision: str | None) -> Path | None:
    """Return the folder in which a model lies, None if `place` is a name on the hub.

    Raises:
        InputError: the folder has no such revision, or `place` is a file.
    """
    path = Path(place)
    if path.is_file():
        raise InputError(f"{place} is a file; give the folder with the model's {CONFIG}, or a hub name.")
    if not path.is_dir():
        if path.is_absolute() or place.startswith(".") or place.count("/") > 1:
            raise InputError(f"There is no folder {place}; check the path, or give a hub name, OWNER/MODEL.")
        return None
    if revision is None:
        return path
    if not (path / revision).is_dir():
        has = sorted(one.name for one in path.iterdir() if (one / CONFIG).is_file())
        raise InputError(
            f"{place} has no revision '{revision}': of a folder, revisions are its subfolders with a "
            f"{CONFIG} ({', '.join(has) or 'it has none'})."
        )
    return path / revision


@contextmanager
def quiet_transformers() -> Iterator[Any]:
    """Yield the library with its progress bars and advice switched off.

    Raises:
        InputError: it is not installed.
    """
    try:
        transformers: Any = import_module("transformers")
    except ImportError:
        raise InputError(f"A model of the hub's kind needs transformers; run: {NEEDS}.") from None
    logging = transformers.utils.logging
    before, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield transformers
    finally:
        logging.set_verbosity(before)
        if bars:
            logging.enable_progress_bar()


def _config(folder: Path) -> dict[str, Any]:
    path = folder / CONFIG
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"The folder {folder} has no {CONFIG}; give the folder of a saved model.") from None
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} cannot be read as JSON: {reason(error)}.") from None
    if not isinstance(config, dict):
        raise InputError(f"{path} holds no JSON object; give the configuration of a model.")
    return config


def _attention_only(folder: Path, config: dict[str, Any], device: torch.device) -> AttentionOnlyModel:
    """Return the attention-only model in a folder."""
    path = folder / CONFIG
    if not config.get("attn_only", False):
        raise InputError(
            f"{path} describes a model with MLPs; of TransformerLens's, give one with attn_only."
        )
    norm = config.get("normalization_type", config.get("normalization"))
    if norm not in (None, "none"):
        raise InputError(f"{path} names the norm '{norm}'; attention-only models are examined without one.")
    shortformer = config.get(SHORTFORMER_KEY, False)
    positions = config.get(POSITIONS_KEY, "shortformer" if shortformer else "standard")
    if positions not in POSITIONS:
        raise InputError(f"{path} has {POSITIONS_KEY} '{positions}'; it must be {' or '.join(POSITIONS)}.")
    files = sorted([*folder.glob("*.safetensors"), *folder.glob("*.pth"), *folder.glob("*.pt")])
    if len(files) != 1:
        raise InputError(
            f"The folder {folder} has {len(files)} files of weights (.safetensors, .pth, .pt); leave one."
        )
    try:
        if files[0].suffix == ".safetensors":
            parameters = load_file(files[0])
        else:  # tensors only: nothing else is unpickled
            parameters = torch.load(files[0], map_location="cpu", weights_only=True)
        parameters = {str(name): value.to(device, torch.float32) for name, value in parameters.items()}
    except Exception as error:  # torch wraps what it finds in a pickle in errors of many kinds
        raise InputError(f"{files[0]} holds no weights by name: {_line(error)}.") from None
    return AttentionOnlyModel(parameters, positions, config.get("bos_token_id"), str(folder))


def _not_loaded(told: str, folder: Path | None, error: Exception) -> InputError:
    if folder is not None:
        return InputError(f"The model in {folder} cannot be loaded: {_line(error)}.")
    return InputError(
        f"{told} is no folder, and cannot be loaded from the hub: {_line(error)}; check the name, the "
        "revision and the connection, or give a folder."
    )


def _line(error: Exception) -> str:
    """Return the first sentence of an error, without its full stop."""
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0].rstrip(".")
