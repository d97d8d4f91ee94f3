"""Safetensors files that hold arrays and one JSON document, written whole or not at all.

The JSON stands under a single metadata key: with more than one key safetensors writes them in an order that
changes from run to run, and with one the same content gives the same bytes.
"""

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

_KEY = "pe_math.training"


def write(path: Path, arrays: Mapping[str, NDArray[Any]], document: Mapping[str, Any]) -> None:
    """Write `arrays` and `document` to `path` through a temporary file beside it.

    Whoever reads it, even after this process was killed, sees the old file or the new one and never a part.
    """
    # safetensors stores the buffer of a strided view as if it were contiguous, and NumPy makes a single
    # number an array of one.
    contiguous = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()}
    content = save(contiguous, {_KEY: json.dumps(document)})
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with temporary.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


def read(path: Path, kind: str, schema: int, remedy: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the document of `path`, whose document must say `kind` and `schema`.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: the file is damaged, was written by something else, or has another schema version.

    Both messages name the file and end with `remedy`.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such file; {remedy}")
    try:
        with safe_open(path, framework="np") as file:
            metadata = file.metadata() or {}
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 (not a mapping)
        document = json.loads(metadata.get(_KEY, "null"))
    except (SafetensorError, json.JSONDecodeError) as error:
        raise ValueError(f"{path}: damaged or not a safetensors file ({error}); {remedy}") from error
    if not isinstance(document, dict) or document.get("kind") != kind:
        raise ValueError(f"{path}: not a {kind} of pe_math.training; {remedy}")
    if document.get("schema") != schema:
        found = document.get("schema")
        raise ValueError(
            f"{path}: {kind} of schema version {found}, not {schema} as this program reads; {remedy}"
        )
    return arrays, document
