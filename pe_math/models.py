"""Which positional encoding a published model uses, read from its ``config.json`` without any other library.

Read are Llama 2 and 3, Qwen 2 to 3, Mistral and Mixtral, Gemma 1 to 3, Phi 1 to 4, GPT-NeoX (Pythia too) and
GPT-J with RoPE; BLOOM and MPT with ALiBi; T5 with bucketed biases; BERT and GPT-2 with learned tables. Some
configurations come with the package, by name: see `PUBLISHED`.

As in transformers, missing values are those that the model's authors left out because they were the default,
and the scaling of RoPE may stand in ``rope_scaling`` or, since 2025, in ``rope_parameters``.
"""

import json
import math
import sys
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from pe_math import _checks, alibi
from pe_math import frequencies as schedules
from pe_math.hints import hint

Kind = Literal["rope", "alibi", "t5", "learned"]
Frequencies = NDArray[np.float64]

_FOLDER = Path(__file__).with_name("published")
PUBLISHED = tuple(sorted(path.stem for path in _FOLDER.glob("*.json")))
"""Names of the configurations that come with the package, written from what their authors published."""

FULL, SLIDING = "full_attention", "sliding_attention"


@dataclass(frozen=True)
class ModelEncoding:
    """How a model tells positions apart; what its kind does not have is None or empty.

    Attributes:
        kind: `rope`, `alibi`, `t5` or `learned`.
        model_type: as the configuration names it.
        context: positions that the model is meant for; None where its encoding sets no limit.
        heads: attention heads a layer.
        frequencies: `rope`: angular, in radians per position, the fastest first; one a plane.
        base: `rope`: of the geometric series that the frequencies were made from.
        scaling: `rope`: `default`, `linear`, `dynamic`, `yarn`, `longrope` or `llama3`.
        attention_scale: `rope`: what models multiply cosines and sines by.
        rotated_share: `rope`: the part of a head's width that is rotated.
        pairing: `rope`: which dimensions make a plane, as in `pe_math.rotary.rotate`.
        slopes: `alibi`: one a head.
        buckets: `t5`: number of buckets.
        max_distance: `t5`: from where on all distances share a bucket.
        table_size: `learned`: positions in the table.
    """

    kind: Kind
    model_type: str
    context: int | None
    heads: int
    frequencies: tuple[float, ...] = ()
    base: float | None = None
    scaling: str = "default"
    attention_scale: float = 1.0
    rotated_share: float = 1.0
    pairing: Literal["interleaved", "half"] = "half"
    slopes: tuple[float, ...] = ()
    buckets: int | None = None
    max_distance: int | None = None
    table_size: int | None = None

    @property
    def slowest_period(self) -> float:
        """Positions in which the slowest hand turns once."""
        if self.kind != "rope":
            raise ValueError(f"kind must be 'rope' to have periods, got {self.kind!r}")
        return 2 * math.pi / self.frequencies[-1]


def from_config(path: str | Path, length: int | None = None, layer: str = FULL) -> ModelEncoding:
    """Return the encoding of the model whose configuration is at ``path``.

    Args:
        path: a ``config.json``, a folder that holds one, or a name in `PUBLISHED`.
        length: positions of the sequence, for scalings that depend on it (`dynamic`, `longrope`); the model's
            context unless given.
        layer: ``full_attention`` or ``sliding_attention``, where a model (Gemma 3) has two kinds of layers
            with frequencies of their own.

    Raises:
        FileNotFoundError: there is no such file and no such name.
        ValueError: the file is damaged, the model unknown, or a key missing or strange; the message says
            which.

    >>> model = from_config("llama-3.1-8b")
    >>> model.kind, model.scaling, len(model.frequencies), model.base
    ('rope', 'llama3', 64, 500000.0)
    """
    file = _find(path)
    try:
        values = json.loads(file.read_text("utf-8-sig"))  # some editors begin a file with a mark
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{file}: not a JSON file ({error})") from error
    if not isinstance(values, dict):
        raise ValueError(f"{file}: must hold an object with the model's settings, got {values!r:.60}")
    _checks.choice("layer", layer, (FULL, SLIDING))
    if length is not None:
        _checks.count("length", length, at_least=1)
    config = _Config(file, values)
    # A model that sees pictures, too, keeps the settings of its text in a part of its own.
    if config.get("text_config") is not None:
        config = config.part("text_config")
    model_type = config.choice("model_type", sorted(_READERS))
    config.defaults = _DEFAULTS.get(model_type, {})
    return _READERS[model_type](config, length, layer)


def file_of(path: str | Path) -> Path:
    """Return the file that ``path`` stands for: the ``config.json`` in it, where it is a folder of one."""
    file = Path(path) / "config.json"
    return file if file.is_file() else Path(path)


def _find(path: str | Path) -> Path:
    if str(path) in PUBLISHED:
        return _FOLDER / f"{path}.json"
    file = file_of(path)
    if not file.is_file():
        raise FileNotFoundError(
            f"{path}: no such file, and none of the names {', '.join(PUBLISHED)}{hint(str(path), PUBLISHED)}"
        )
    return file


class _Config:
    """A configuration that names the file and the key in what it complains of."""

    def __init__(self, file: Path, values: Mapping[str, Any], inside: str = "") -> None:
        self.file, self.values, self.inside = file, values, inside
        self.defaults: Mapping[str, Any] = {}
        if not isinstance(values, Mapping):
            raise ValueError(f"{file}: {inside.rstrip('.')} must be an object, got {values!r:.60}")

    def strange(self, key: str, value: object, right: str) -> ValueError:
        """Return the error of a key whose value cannot be."""
        if value is None:
            return ValueError(f"{self.file}: {self.inside}{key} is missing; it must be {right}")
        return ValueError(f"{self.file}: {self.inside}{key} must be {right}, got {value!r:.60}")

    def get(self, key: str, otherwise: Any = None) -> Any:
        """Return a value, or what the kind of model has where it is left out; null is as good as none."""
        value = self.values.get(key)
        return self.defaults.get(key, otherwise) if value is None else value

    def choice(self, key: str, options: Collection[str], otherwise: Any = None) -> str:
        """Return one of ``options``."""
        value = self.get(key, otherwise)
        if not isinstance(value, str) or value not in options:
            raise self.strange(key, value, "one of " + ", ".join(options))
        return value

    def flag(self, key: str, otherwise: bool) -> bool:
        """Return true or false, for which no other word will do."""
        value = self.get(key, otherwise)
        if not isinstance(value, bool):
            raise self.strange(key, value, "true or false")
        return value

    def count(self, key: str, otherwise: int | None = None, at_most: int = 2**20) -> int:
        """Return a whole number from 1. No width and no number of heads comes near the default bound."""
        value = self.get(key, otherwise)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= at_most:
            raise self.strange(key, value, f"an integer from 1 to {at_most}")
        return value

    def positions(self, key: str, otherwise: int | None = None) -> int:
        """Return a number of positions, of which there may be very many."""
        return self.count(key, otherwise, _checks.EXACT_INTEGERS)

    def number(self, key: str, otherwise: float | None = None, above: float = 0.0) -> float:
        """Return a finite number greater than ``above``."""
        value = self.get(key, otherwise)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        # Compared as it is, for an integer may be too great for a float.
        if not (is_number and above < value <= sys.float_info.max):
            raise self.strange(key, value, f"a number above {above:g}")
        return float(value)

    def numbers(self, key: str, count: int) -> Frequencies:
        """Return so many finite positive numbers."""
        value = self.get(key)
        right = f"{count} positive numbers"
        if not isinstance(value, list) or len(value) != count:
            raise self.strange(key, value, right)
        inner = _Config(self.file, dict(enumerate(value)), f"{self.inside}{key}.")  # type: ignore[arg-type]
        return np.array([inner.number(number) for number in range(count)])  # type: ignore[arg-type]

    def part(self, key: str) -> "_Config":
        """Return the object under ``key``, one that sets nothing where there is none."""
        return _Config(self.file, self.get(key, {}), f"{self.inside}{key}.")


@dataclass(frozen=True)
class _Rope:
    """RoPE as a configuration has it, before its scaling: ``parameters`` are those of the scaling."""

    config: _Config
    parameters: _Config
    d: int
    base: float
    context: int
    length: int

    @property
    def geometric(self) -> Frequencies:
        """The frequencies that are scaled."""
        return schedules.geometric(self.d, self.base)

    def original(self, otherwise: int | None) -> int:
        """Return the positions that the model was trained on before its context was extended."""
        key = "original_max_position_embeddings"
        holder = self.config if self.config.get(key) is not None else self.parameters
        return holder.positions(key, otherwise)

    @property
    def factor(self) -> float:
        """How many times longer the context became."""
        if self.parameters.get("factor") is None:
            return self.context / self.original(self.context)
        return self.parameters.number("factor")


Scaled = tuple[Frequencies, float]
"""Frequencies, and what models multiply cosines and sines by."""


def _default(rope: _Rope) -> Scaled:
    return rope.geometric, 1.0


def _linear(rope: _Rope) -> Scaled:
    return schedules.interpolate(rope.geometric, rope.parameters.number("factor")), 1.0


def _dynamic(rope: _Rope) -> Scaled:
    factor = rope.parameters.number("factor")
    return schedules.dynamic_ntk(rope.d, rope.base, factor, rope.length, rope.context), 1.0


def _yarn(rope: _Rope) -> Scaled:
    parameters = rope.parameters
    truncate, original = parameters.flag("truncate", True), rope.original(rope.context)
    fast, slow = parameters.number("beta_fast", 32.0), parameters.number("beta_slow", 1.0)
    values, scale = schedules.yarn(rope.d, rope.base, rope.factor, original, fast, slow, truncate)
    return values, parameters.number("attention_factor", _mscale(parameters, rope.factor) or scale)


def _mscale(parameters: _Config, factor: float) -> float | None:
    """Return the ratio of two scales that DeepSeek's models set instead of YaRN's own, if they are set."""
    if not (parameters.get("mscale") and parameters.get("mscale_all_dim")):
        return None
    ours, all_dimensions = (
        0.1 * parameters.number(key) * math.log(factor) + 1 for key in ("mscale", "mscale_all_dim")
    )
    return ours / all_dimensions


def _longrope(rope: _Rope) -> Scaled:
    """One factor a plane, found by search, for sequences within the trained length and for longer ones (Ding
    et al. 2024)."""
    short, long = (rope.parameters.numbers(key, rope.d // 2) for key in ("short_factor", "long_factor"))
    original = rope.original(rope.context)
    if original < 2:  # the scale divides by its logarithm
        raise rope.config.strange("original_max_position_embeddings", original, "at least 2 for longrope")
    factors = long if rope.length > original else short
    scale = math.sqrt(1 + math.log(rope.factor) / math.log(original)) if rope.factor > 1 else 1.0
    return rope.geometric / factors, rope.parameters.number("attention_factor", scale)


def _llama3(rope: _Rope) -> Scaled:
    low, high = (rope.parameters.number(key) for key in ("low_freq_factor", "high_freq_factor"))
    # The context is no stand-in for the length that is missing: in these models it is the extended one.
    factor, original = rope.parameters.number("factor"), rope.original(None)
    return schedules.llama3(rope.geometric, factor, low, high, original), 1.0


_SCALINGS: dict[str, Callable[[_Rope], Scaled]] = {
    "default": _default,
    "linear": _linear,
    "dynamic": _dynamic,
    "yarn": _yarn,
    "longrope": _longrope,
    "su": _longrope,  # its first name, in early Phi-3 models
    "llama3": _llama3,
}


def _parameters(config: _Config, layer: str) -> _Config:
    """Return RoPE's parameters, which newer configurations have in one part and older ones spread out."""
    spread = config.get("rope_scaling") not in (None, {})
    parameters = config.part("rope_scaling" if spread else "rope_parameters")
    nested = any(kind in parameters.values for kind in (FULL, SLIDING))
    if not nested:
        return parameters
    if parameters.get(layer) is None:
        raise parameters.strange(layer, None, "the parameters of RoPE in those layers")
    return parameters.part(layer)


def _read_rope(config: _Config, length: int | None, layer: str) -> ModelEncoding:
    """Read RoPE as Llama's configuration and its many heirs have it."""
    return _rope(config, _parameters(config, layer), length, share=config.get("partial_rotary_factor", 1.0))


def _rope(
    config: _Config, parameters: _Config, length: int | None, share: float, base: float = 10000.0
) -> ModelEncoding:
    heads, context = config.count("num_attention_heads"), config.positions("max_position_embeddings")
    own = config.get("head_dim") is not None
    head = config.count("head_dim") if own else _head_width(config, "hidden_size", heads)
    share = parameters.number("partial_rotary_factor", share)
    d = int(head * share) if share <= 1 else 0
    if d < 2 or d % 2:
        right = f"a share of a head's {head} numbers that makes an even number of them"
        raise config.strange("partial_rotary_factor", share, right)
    base = parameters.number("rope_theta", config.number("rope_theta", base, above=1.0), above=1.0)
    scaling = parameters.choice("rope_type", _SCALINGS, parameters.get("type", "default"))
    values, scale = _scaled(scaling, _Rope(config, parameters, d, base, context, length or context))
    return ModelEncoding(
        kind="rope",
        model_type=config.get("model_type"),
        context=context,
        heads=heads,
        frequencies=tuple(values.tolist()),
        base=base,
        scaling="longrope" if scaling == "su" else scaling,
        attention_scale=scale,
        rotated_share=d / head,
    )


def _scaled(scaling: str, rope: _Rope) -> Scaled:
    file = rope.config.file
    try:
        with np.errstate(over="ignore"):  # what is too fast is refused below
            values, scale = _SCALINGS[scaling](rope)
    except ValueError as error:
        if str(error).startswith(str(file)):
            raise
        raise ValueError(f"{file}: {rope.parameters.inside}{error}") from error
    slowest, fastest = 2 * math.pi / _checks.EXACT_INTEGERS, float(_checks.EXACT_INTEGERS)
    if not (values.min() >= slowest and values.max() <= fastest):
        strange = next(value for value in values if not slowest <= value <= fastest)
        raise ValueError(
            f"{file}: rope_theta {rope.base:g} and scaling {scaling!r} must give frequencies "
            f"from {slowest:.2g} to {fastest:.2g} radians per position, got {strange:.3g} in them"
        )
    return values, scale


def _head_width(config: _Config, key: str, heads: int) -> int:
    width = config.count(key)
    if width % heads:
        raise config.strange(key, width, f"a multiple of the {heads} heads")
    return width // heads


def _read_gemma3(config: _Config, length: int | None, layer: str) -> ModelEncoding:
    """Read Gemma 3, whose many local layers have a base of their own and no scaling."""
    parameters = _parameters(config, layer)
    local = layer == SLIDING
    if local and not parameters.inside.endswith(f"{SLIDING}."):  # the older form
        base = config.number("rope_local_base_freq", 10000.0, above=1.0)
        parameters = _Config(config.file, {"rope_theta": base})
    return _rope(config, parameters, length, 1.0, base=10000.0 if local else 1e6)


def _read_gpt_neox(config: _Config, length: int | None, layer: str) -> ModelEncoding:
    """Read GPT-NeoX and Pythia, which rotate a quarter of each head unless told otherwise."""
    base = config.number("rotary_emb_base", 10000.0, above=1.0)
    return _rope(config, _parameters(config, layer), length, config.get("rotary_pct", 0.25), base)


def _read_gptj(config: _Config, length: int | None, layer: str) -> ModelEncoding:
    """Read GPT-J, which rotates the first `rotary_dim` numbers of each head, neighbours paired."""
    heads, context, d = (
        config.count("n_head"),
        config.positions("n_positions"),
        config.count("rotary_dim", 64),
    )
    head = _head_width(config, "n_embd", heads)
    if d > head or d % 2:
        raise config.strange("rotary_dim", d, f"even and at most a head's width, {head}")
    values = schedules.geometric(d)
    return ModelEncoding(
        kind="rope",
        model_type="gptj",
        context=context,
        heads=heads,
        frequencies=tuple(values.tolist()),
        base=10000.0,
        rotated_share=d / head,
        pairing="interleaved",
    )


def _read_bloom(config: _Config, length: int | None, layer: str) -> ModelEncoding:
    heads = config.count("n_head", config.get("num_attention_heads"))
    context = None if config.get("seq_length") is None else config.positions("seq_length")
    return ModelEncoding("alibi", "bloom", context, heads, slopes=tuple(alibi.slopes(heads).tolist()))


def _read_mpt(config: _Config, length: int | None, layer: str) -> ModelEncoding:
    """Read MPT, which has a learned table where it is told to go without ALiBi."""
    heads, context = config.count("n_heads"), config.positions("max_seq_len")
    attention = config.part("attn_config")
    if not attention.flag("alibi", True):
        return ModelEncoding("learned", "mpt", context, heads, table_size=context)
    # The series ends at 2**-8 in the paper; another end is another exponent of the same slopes.
    slopes = alibi.slopes(heads) ** (attention.number("alibi_bias_max", 8.0) / 8.0)
    return ModelEncoding("alibi", "mpt", context, heads, slopes=tuple(slopes.tolist()))


def _read_t5(config: _Config, length: int | None, layer: str) -> ModelEncoding:
    buckets = config.count("relative_attention_num_buckets", 32)
    distance = config.positions("relative_attention_max_distance", 128)
    heads = config.count("num_heads")
    return ModelEncoding("t5", "t5", None, heads, buckets=buckets, max_distance=distance)


def _read_bert(config: _Config, length: int | None, layer: str) -> ModelEncoding:
    kind = config.get("position_embedding_type", "absolute")
    if kind != "absolute":
        raise config.strange("position_embedding_type", kind, "'absolute', a learned table")
    size = config.positions("max_position_embeddings")
    return ModelEncoding("learned", "bert", size, config.count("num_attention_heads"), table_size=size)


def _read_gpt2(config: _Config, length: int | None, layer: str) -> ModelEncoding:
    size = config.positions("n_positions")
    return ModelEncoding("learned", "gpt2", size, config.count("n_head"), table_size=size)


_READERS: dict[str, Callable[[_Config, int | None, str], ModelEncoding]] = {
    **dict.fromkeys(("llama", "mistral", "mixtral", "gemma", "gemma2", "phi", "phi3"), _read_rope),
    **dict.fromkeys(("qwen2", "qwen2_moe", "qwen3", "qwen3_moe"), _read_rope),
    **dict.fromkeys(("gemma3", "gemma3_text"), _read_gemma3),
    "gpt_neox": _read_gpt_neox,
    "gptj": _read_gptj,
    "bloom": _read_bloom,
    "mpt": _read_mpt,
    "t5": _read_t5,
    "bert": _read_bert,
    "gpt2": _read_gpt2,
}


def _sizes(width: int, heads: int, context: int, **others: float) -> Mapping[str, float]:
    return {
        "hidden_size": width, "num_attention_heads": heads, "max_position_embeddings": context, **others
    }  # fmt: skip


# What transformers takes for RoPE's keys that are left out, as they are in models that see pictures.
_DEFAULTS: dict[str, Mapping[str, float]] = {
    "llama": _sizes(4096, 32, 2048),
    "mistral": _sizes(4096, 32, 131072),
    "mixtral": _sizes(4096, 32, 131072, rope_theta=1e6),
    "gemma": _sizes(3072, 16, 8192, head_dim=256),
    "gemma2": _sizes(2304, 8, 8192, head_dim=256),
    **dict.fromkeys(("gemma3", "gemma3_text"), _sizes(2304, 8, 131072, head_dim=256)),
    "phi": _sizes(2048, 32, 2048, partial_rotary_factor=0.5),
    "phi3": _sizes(3072, 32, 4096, original_max_position_embeddings=4096),
    "qwen2": _sizes(4096, 32, 32768),
    "qwen2_moe": _sizes(2048, 16, 32768),
    "qwen3": _sizes(4096, 32, 32768, head_dim=128),
    "qwen3_moe": _sizes(2048, 32, 32768),
    "gpt_neox": _sizes(6144, 64, 2048),
}
