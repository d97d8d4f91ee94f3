"""Configurations of published models, held against the classes of transformers that run them."""

from __future__ import annotations

import copy
import importlib
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from transformers import AutoConfig
from transformers.models.bert.modeling_bert import BertEmbeddings
from transformers.models.bloom.modeling_bloom import build_alibi_tensor
from transformers.models.gpt2.modeling_gpt2 import GPT2Model
from transformers.models.gptj.modeling_gptj import create_sinusoidal_positions
from transformers.models.mpt.modeling_mpt import build_mpt_alibi_tensor

from pe_math import models

CLASSES = {
    "llama": "Llama",
    "qwen2": "Qwen2",
    "qwen3": "Qwen3",
    "mistral": "Mistral",
    "mixtral": "Mixtral",
    "gemma": "Gemma",
    "gemma2": "Gemma2",
    "gemma3": "Gemma3",
    "phi": "Phi",
    "phi3": "Phi3",
    "gpt_neox": "GPTNeoX",
    "qwen2_moe": "Qwen2Moe",
    "qwen3_moe": "Qwen3Moe",
}


def small(model_type: str = "llama", **values: Any) -> dict[str, Any]:
    """Return the configuration of a model with heads of 32."""
    sizes = {"hidden_size": 128, "num_attention_heads": 4, "head_dim": 32, "max_position_embeddings": 4096}
    return {"model_type": model_type, **sizes, **values}


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}
LONG = {
    "rope_type": "longrope",
    "short_factor": np.linspace(1, 1.5, 16).tolist(),
    "long_factor": np.linspace(1, 40, 16).tolist(),
}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 512,
}
CONFIGURATIONS = {
    "llama": small(),
    "llama without head_dim": {k: v for k, v in small(rope_theta=5e5).items() if k != "head_dim"},
    "linear": small(rope_theta=2e4, rope_scaling={"type": "linear", "factor": 2.5}),
    "dynamic": small(rope_scaling={"rope_type": "dynamic", "factor": 3.0}),
    "yarn": small("qwen2", rope_theta=1e6, rope_scaling=YARN),
    "yarn of qwen3": small("qwen3", rope_theta=1e6, rope_scaling=YARN),
    "yarn, mscale": small(rope_scaling={**YARN, "mscale": 0.8, "mscale_all_dim": 0.3}),
    "yarn, equal mscale": small(rope_scaling={**YARN, "mscale": 1.0, "mscale_all_dim": 1.0}),
    "yarn, one mscale": small(rope_scaling={**YARN, "mscale": 0.8}),
    "yarn, own scale": small(rope_scaling={**YARN, "attention_factor": 1.3}),
    "yarn, other ramp": small(rope_scaling={**YARN, "beta_fast": 20, "beta_slow": 2}),
    "yarn, not truncated": small(rope_scaling={**YARN, "truncate": False}),
    "llama3": small(rope_theta=5e5, rope_scaling=LLAMA3),
    "longrope": small("phi3", original_max_position_embeddings=1024, rope_scaling=LONG),
    "longrope, part of a head": small(
        "phi3",
        original_max_position_embeddings=1024,
        partial_rotary_factor=0.5,
        rope_scaling={name: value[:8] if isinstance(value, list) else value for name, value in LONG.items()},
    ),
    "phi": small("phi"),
    "phi, a share of its own": small("phi", partial_rotary_factor=0.75),
    "gpt_neox": small("gpt_neox"),
    "gpt_neox, half": small("gpt_neox", rotary_pct=0.5, rotary_emb_base=20000),
    "gemma": small("gemma"),
    "gemma2": small("gemma2", query_pre_attn_scalar=32),
    "mistral": small("mistral", rope_theta=1e6),
    "mixtral": small("mixtral", rope_theta=1e6),
    "qwen2_moe": small("qwen2_moe", rope_theta=1e6),
    "qwen3_moe": small("qwen3_moe", rope_theta=1e6),
}
GEMMA3 = small("gemma3_text", rope_theta=1e6, rope_local_base_freq=2e4, layer_types=None, num_hidden_layers=6)


def written(values: object, folder: Path) -> Path:
    """Write a configuration as a model's folder has it."""
    path = folder / "config.json"
    path.write_text(json.dumps(values))
    return path


RENAMED = {"rotary_pct": "partial_rotary_factor", "rotary_emb_base": "rope_theta"}


def in_new_form(values: dict[str, Any]) -> dict[str, Any]:
    """Return a configuration with all that is said of RoPE in one part."""
    new = {RENAMED.get(name, name): value for name, value in values.items()}
    parameters = dict(new.pop("rope_scaling", {}))
    parameters |= {name: new.pop(name) for name in ("rope_theta", "partial_rotary_factor") if name in new}
    return {**new, "rope_parameters": parameters}


def theirs(values: dict[str, Any], layer: str = "") -> tuple[np.ndarray, float]:
    """Return the frequencies and the scale that transformers runs a configuration with."""
    values = copy.deepcopy(values)
    model_type = values.pop("model_type")
    config = AutoConfig.for_model(model_type, **values)
    package = model_type.removesuffix("_text")
    module = importlib.import_module(f"transformers.models.{package}.modeling_{package}")
    rotary = getattr(module, f"{CLASSES[package]}RotaryEmbedding")(config)
    prefix = f"{layer or models.FULL}_" if package == "gemma3" else ""
    return getattr(rotary, f"{prefix}inv_freq").numpy(), getattr(rotary, f"{prefix}attention_scaling")


@pytest.mark.parametrize("new", [False, True], ids=["old form", "new form"])
@pytest.mark.parametrize("values", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_rope_is_that_of_transformers(values: dict[str, Any], new: bool, tmp_path: Path) -> None:
    values = in_new_form(values) if new else values
    ours = models.from_config(written(values, tmp_path), length=1)
    frequencies, scale = theirs(values)
    assert ours.kind == "rope" and ours.context == 4096 and ours.heads == 4
    np.testing.assert_allclose(ours.frequencies, frequencies, rtol=3e-6)
    assert ours.attention_scale == pytest.approx(scale, rel=1e-9)
    assert ours.rotated_share == 2 * len(frequencies) / 32


@pytest.mark.parametrize("new", [False, True], ids=["old form", "new form"])
@pytest.mark.parametrize("layer", ["full_attention", "sliding_attention"])
def test_gemma_3_has_two_kinds_of_layers(layer: str, new: bool, tmp_path: Path) -> None:
    scaling = {"rope_type": "linear", "factor": 8.0}
    values = {**GEMMA3, "rope_scaling": scaling}
    if new:
        values = {name: value for name, value in GEMMA3.items() if not name.startswith("rope")}
        values["rope_parameters"] = {
            "full_attention": {**scaling, "rope_theta": 1e6},
            "sliding_attention": {"rope_type": "default", "rope_theta": 2e4},
        }
    nested = {"model_type": "gemma3", "text_config": values}
    for config in (values, nested):
        ours = models.from_config(written(config, tmp_path), layer=layer)
        frequencies, _ = theirs(values, layer)
        np.testing.assert_allclose(ours.frequencies, frequencies, rtol=3e-6)


@pytest.mark.parametrize(
    "given", [{}, {"hidden_size": 1024, "num_attention_heads": 16}], ids=["bare", "narrow"]
)
@pytest.mark.parametrize("model_type", models._DEFAULTS)
def test_what_is_left_out_is_as_in_transformers(
    model_type: str, given: dict[str, Any], tmp_path: Path
) -> None:
    ours = models.from_config(written({"model_type": model_type, **given}, tmp_path))
    text_type = "gemma3_text" if model_type == "gemma3" else model_type
    config = AutoConfig.for_model(text_type, **given)
    frequencies, _ = theirs({"model_type": text_type, **given})
    np.testing.assert_allclose(ours.frequencies, frequencies, rtol=3e-6)
    assert (ours.heads, ours.context) == (config.num_attention_heads, config.max_position_embeddings)


def test_gemma_3_as_google_publishes_it_leaves_most_out(tmp_path: Path) -> None:
    text = {
        "hidden_size": 2560, "intermediate_size": 10240, "model_type": "gemma3_text", "num_hidden_layers": 34,
        "rope_scaling": {"factor": 8.0, "rope_type": "linear"}, "sliding_window": 1024,
    }  # fmt: skip
    ours = models.from_config(written({"model_type": "gemma3", "text_config": text}, tmp_path))
    np.testing.assert_allclose(ours.frequencies, theirs(text)[0], rtol=3e-6)
    assert (ours.heads, len(ours.frequencies), ours.context) == (8, 128, 131072)


@pytest.mark.parametrize("length", [1, 1024, 1025, 4096, 10000, 100_000])
@pytest.mark.parametrize("name", ["dynamic", "longrope"])
def test_what_depends_on_the_length_follows_it(name: str, length: int, tmp_path: Path) -> None:
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    values = copy.deepcopy(CONFIGURATIONS[name])
    config = AutoConfig.for_model(values.pop("model_type"), **values)
    frequencies, scale = ROPE_INIT_FUNCTIONS[name](config, None, seq_len=length)
    ours = models.from_config(written(CONFIGURATIONS[name], tmp_path), length=length)
    np.testing.assert_allclose(ours.frequencies, frequencies.numpy(), rtol=3e-6)
    assert ours.attention_scale == pytest.approx(scale)


def test_gpt_j_turns_the_first_numbers_of_each_head(tmp_path: Path) -> None:
    values = {"model_type": "gptj", "n_embd": 256, "n_head": 4, "n_positions": 128, "rotary_dim": 16}
    ours = models.from_config(written(values, tmp_path))
    table = create_sinusoidal_positions(128, 16).numpy()
    np.testing.assert_allclose(np.sin(np.outer(np.arange(128), ours.frequencies)), table[:, :8], atol=2e-5)
    assert ours.pairing == "interleaved" and ours.rotated_share == 0.25


@pytest.mark.parametrize("heads", [6, 8, 12, 32])
def test_alibi_of_bloom_and_mpt(heads: int, tmp_path: Path) -> None:
    bloom = models.from_config(written({"model_type": "bloom", "n_head": heads}, tmp_path))
    expected = build_alibi_tensor(torch.ones(1, 2), heads, torch.float32)[:, 0, 1].numpy()
    np.testing.assert_allclose(bloom.slopes, expected, rtol=1e-6)
    for bias_max in (8, 10):
        attention = {"alibi": True, "alibi_bias_max": bias_max}
        values = {"model_type": "mpt", "n_heads": heads, "max_seq_len": 99, "attn_config": attention}
        mpt = models.from_config(written(values, tmp_path))
        expected = build_mpt_alibi_tensor(heads, 2, bias_max)[:, 0, 0].numpy()
        np.testing.assert_allclose(np.negative(mpt.slopes), expected, rtol=1e-6)
        assert (mpt.kind, mpt.context) == ("alibi", 99)


def test_buckets_and_tables(tmp_path: Path) -> None:
    t5 = models.from_config(written({"model_type": "t5", "num_heads": 4}, tmp_path))
    config = AutoConfig.for_model("t5")
    assert t5.kind == "t5" and t5.buckets == config.relative_attention_num_buckets
    assert t5.max_distance == config.relative_attention_max_distance
    bert = AutoConfig.for_model(
        "bert", max_position_embeddings=77, hidden_size=8, num_attention_heads=2, vocab_size=5
    )
    gpt2 = AutoConfig.for_model("gpt2", n_positions=88, n_embd=8, n_head=2, n_layer=1, vocab_size=5)
    mpt = AutoConfig.for_model("mpt", max_seq_len=99, attn_config={"alibi": False})
    sizes = (
        BertEmbeddings(bert).position_embeddings.num_embeddings,
        GPT2Model(gpt2).wpe.num_embeddings,
        mpt.max_seq_len,
    )
    for config, size in zip((bert, gpt2, mpt), sizes, strict=True):
        model = models.from_config(written(config.to_dict(), tmp_path))
        assert (model.kind, model.table_size, model.context) == ("learned", size, size)
        assert model.heads == config.num_attention_heads
        with pytest.raises(ValueError, match="kind must be 'rope' to have periods, got 'learned'"):
            _ = model.slowest_period


def test_published_configurations() -> None:
    for name in models.PUBLISHED:
        model = models.from_config(name)
        if model.kind == "rope":
            frequencies = np.array(model.frequencies)
            assert frequencies[0] <= 1 and (np.diff(frequencies) < 0).all()
            assert model.slowest_period == pytest.approx(2 * math.pi / frequencies[-1])
    assert len(models.PUBLISHED) >= 12
    # Chen et al. 2023 and Llama's configurations: 2 pi times 10000**(126/128), 500000**(126/128) times 8.
    assert models.from_config("llama-2-7b").slowest_period == pytest.approx(54_410, rel=1e-4)
    assert models.from_config("llama-3.1-8b").slowest_period == pytest.approx(
        8 * 2 * math.pi * 500_000 ** (126 / 128)
    )
    assert len(models.from_config("gpt-neox-20b").frequencies) == 12


def test_a_file_may_begin_with_a_mark_as_windows_writes_it(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(small()), encoding="utf-8-sig")
    assert models.from_config(path) == models.from_config(written(small(), tmp_path))


def test_a_folder_of_a_model_will_do(tmp_path: Path) -> None:
    written(small(), tmp_path)
    assert models.from_config(tmp_path) == models.from_config(str(tmp_path / "config.json"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"model_type": "mamba"}, "model_type must be one of bert, .*, got 'mamba'"),
        ({"model_type": None}, "model_type is missing; it must be one of"),
        ({"model_type": ["llama"]}, r"model_type must be one of bert, .*, got \['llama'\]"),
        (
            {"model_type": "bert", "num_attention_heads": None},
            "num_attention_heads is missing; it must be an",
        ),
        ({"num_attention_heads": 0}, "num_attention_heads must be an integer from 1 to 1048576, got 0"),
        ({"num_attention_heads": 10**9}, "num_attention_heads must be an integer from 1 to 1048576, got 10+"),
        ({"num_attention_heads": "4"}, "num_attention_heads must be an integer from 1 to 1048576, got '4'"),
        (
            {"max_position_embeddings": 1.5},
            "max_position_embeddings must be an integer from 1 to 9007199254740992, got 1.5",
        ),
        ({"head_dim": None, "hidden_size": 129}, "hidden_size must be a multiple of the 4 heads, got 129"),
        ({"head_dim": 31}, "partial_rotary_factor must be a share of a head's 31 numbers"),
        ({"partial_rotary_factor": 1.5}, "partial_rotary_factor must be a share"),
        ({"rope_theta": 1.0}, "rope_theta must be a number above 1, got 1.0"),
        ({"rope_theta": math.inf}, "rope_theta must be a number above 1, got inf"),
        ({"rope_scaling": {"type": "magic"}}, "rope_scaling.rope_type must be one of default, .*'magic'"),
        ({"rope_theta": 10**400}, "rope_theta must be a number above 1, got 10{59}$"),
        ({"rope_theta": 1e308}, r"rope_theta 1e\+308 and scaling 'default' must give frequencies from 7e-16"),
        ({"rope_scaling": {"type": "linear", "factor": 1e308}}, "rope_theta 10000 and scaling 'linear' must"),
        (
            {"rope_scaling": {**LONG, "short_factor": [5e-324] * 16}},
            "to 9e\\+15 radians per position, got inf",
        ),
        ({"rope_scaling": {"rope_type": ["linear"]}}, r"rope_scaling.rope_type must be .*got \['linear'\]"),
        ({"rope_scaling": {**LONG, "long_factor": [10**400] * 16}}, "long_factor.0 must be a number above 0"),
        ({"rope_scaling": {**LLAMA3, "original_max_position_embeddings": None}}, "embeddings is missing"),
        ({"rope_scaling": False}, "rope_scaling must be an object, got False"),
        ({"rope_scaling": {**YARN, "truncate": "no"}}, "truncate must be true or false, got 'no'"),
        ({"partial_rotary_factor": 1e308}, "partial_rotary_factor must be a share"),
        ({"head_dim": 0}, "head_dim must be an integer from 1 to 1048576, got 0"),
        ({"head_dim": False}, "head_dim must be an integer from 1 to 1048576, got False"),
        ({"text_config": 0}, "text_config must be an object, got 0"),
        ({"text_config": {}}, "text_config.model_type is missing"),
        ({"model_type": "bloom", "n_head": 4, "seq_length": "many"}, "seq_length must be .*, got 'many'"),
        ({"model_type": "bloom", "n_head": 4, "seq_length": -5}, "seq_length must be .*, got -5"),
        (
            {"model_type": "mpt", "n_heads": 4, "max_seq_len": 9, "attn_config": {"alibi": "false"}},
            "attn_config.alibi must be true or false, got 'false'",
        ),
        ({"rope_scaling": [1]}, r"rope_scaling must be an object, got \[1\]"),
        ({"rope_scaling": {"type": "linear"}}, "rope_scaling.factor is missing; it must be a number above 0"),
        ({"rope_scaling": {"type": "linear", "factor": 0.5}}, "rope_scaling.factor must be .*got 0.5"),
        ({"rope_scaling": {**LLAMA3, "low_freq_factor": None}}, "rope_scaling.low_freq_factor is missing"),
        ({"rope_scaling": {**LLAMA3, "low_freq_factor": 5.0}}, "rope_scaling.*low_freq_factor"),
        ({"rope_scaling": {**LONG, "long_factor": [1.0]}}, "long_factor must be 16 positive numbers"),
        ({"rope_scaling": {**LONG, "long_factor": [0.0] * 16}}, "long_factor.0 must be a number above 0"),
        ({"rope_parameters": {"sliding_attention": {}}}, "rope_parameters.full_attention is missing"),
    ],
)
def test_a_strange_configuration_is_told_by_its_key(
    change: dict[str, Any], message: str, tmp_path: Path
) -> None:
    values = {**small(), **change}
    with pytest.raises(ValueError, match=message) as error:
        models.from_config(written(values, tmp_path))
    assert str(error.value).startswith(str(tmp_path / "config.json"))
    assert "\n" not in str(error.value) and len(str(error.value)) < 500


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"3", b"\xff\xfe", b'{"text_config": 3}', b"[" * 100_000, b"9" * 5_000]
)
def test_a_damaged_file_is_named(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=str(path)):
        models.from_config(path)


def test_an_unknown_name_is_told_the_known_ones() -> None:
    with pytest.raises(
        FileNotFoundError, match=r"llama-9: no such file, and none of the names .*llama-3\.1-8b"
    ):
        models.from_config("llama-9")
    for misspelt, right in (("llama-3.1-8", "llama-3.1-8b"), ("Qwen3-8B", "qwen-3-8b")):
        with pytest.raises(FileNotFoundError, match=f"did you mean {right}"):
            models.from_config(misspelt)


EXTREMES = st.sampled_from([10**400, -(10**400), 10**16, 1e308, 5e-324, 0, 1, False])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | EXTREMES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
KEYS = st.sampled_from(
    [*small(), "rope_theta", "rope_scaling", "rope_parameters", "partial_rotary_factor", "rotary_pct",
     "rotary_dim", "n_embd", "n_head", "n_heads", "n_positions", "attn_config", "text_config", "num_heads",
     "original_max_position_embeddings", "relative_attention_num_buckets", "max_seq_len", "seq_length"]
)  # fmt: skip
SCALINGS = st.fixed_dictionaries(
    {"rope_type": st.sampled_from(["linear", "dynamic", "yarn", "longrope", "llama3", "su"]) | JSON},
    optional={
        name: st.floats() | st.integers() | EXTREMES | JSON
        for name in (*YARN, *LLAMA3, "long_factor", "short_factor", "beta_fast", "beta_slow", "truncate",
                     "mscale", "mscale_all_dim", "attention_factor")
        if name != "rope_type"
    },
)  # fmt: skip


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    model_type=st.sampled_from(sorted(models._READERS)),
    change=st.dictionaries(KEYS, JSON | st.integers(1, 300), max_size=3),
    scaling=st.none() | SCALINGS,
    length=st.none() | st.integers(1, 10**7),
)
@example(model_type="phi3", change={"original_max_position_embeddings": 1}, scaling=LONG, length=None)
def test_whatever_stands_in_a_file_gives_a_model_or_a_clear_error(
    model_type: str, change: dict[str, Any], scaling: Any, length: int | None, tmp_path: Path
) -> None:
    others = {"n_embd": 128, "n_head": 4, "n_heads": 4, "num_heads": 4, "n_positions": 9, "max_seq_len": 9}
    values = {**small(), **others, "rotary_dim": 8, "rope_scaling": scaling, **change}
    values["model_type"] = model_type
    path = written(values, tmp_path)
    try:
        model = models.from_config(path, length)
    except ValueError as error:
        assert str(error).startswith(str(path))
    else:
        numbers = [*model.frequencies, *model.slopes, model.attention_scale]
        assert np.isfinite(numbers).all()
        assert model.kind != "rope" or model.slowest_period <= 2**53
        assert model.context is None or model.context >= 1


def test_reading_a_configuration_needs_no_transformers_and_no_torch() -> None:
    code = "import sys; from pe_math import models; models.from_config('gemma-3-4b'); "
    code += "sys.exit(bool({'torch', 'transformers'} & set(sys.modules)))"
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", code], check=True, cwd=root)
