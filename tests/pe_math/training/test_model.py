import math
import re

import numpy as np
import pytest
import torch

from pe_math import alibi, frequencies, rotary, sinusoidal
from pe_math.training import encodings, tasks
from pe_math.training.configuration import MODES, WITH_FREQUENCIES, ModelOptions
from pe_math.training.model import Transformer


@pytest.mark.parametrize("norm", ["before", "after"])
def test_models_differ_in_nothing_but_the_encoding(norm, make_model):
    bare = dict(make_model(mode="none", seed=3, norm=norm).named_parameters())
    for mode in MODES:
        shared = {
            name: parameter
            for name, parameter in make_model(mode=mode, seed=3, norm=norm).named_parameters()
            if not name.startswith("encodings")
        }
        assert shared.keys() == bare.keys()
        assert all(torch.equal(shared[name], bare[name]) for name in bare), mode


def test_another_seed_starts_from_other_weights(make_model):
    weights = [make_model(mode="none", seed=seed).blocks[0].attention.project.weight for seed in (0, 1)]
    assert not torch.equal(*weights)


def test_untrained_models_all_predict_zero(sequences):
    for mode in MODES:
        model = Transformer(tasks.load("half_sum"), ModelOptions(mode), 0)
        assert torch.equal(model(sequences), torch.zeros(4, 1))


def test_without_encoding_the_order_does_not_matter(make_model, sequences):
    order = torch.randperm(32, generator=torch.Generator().manual_seed(0))
    model = make_model(mode="none")
    assert torch.allclose(model(sequences), model(sequences[:, order]), atol=1e-5)


@pytest.mark.parametrize("mode", [mode for mode in MODES if mode != "none"])
def test_with_an_encoding_the_order_matters(mode, make_model, sequences):
    order = torch.randperm(32, generator=torch.Generator().manual_seed(0))
    model = make_model(mode=mode)
    for parameter in model.encodings.parameters():
        torch.nn.init.normal_(parameter, generator=torch.Generator().manual_seed(2))
    assert (model(sequences) - model(sequences[:, order])).abs().max() > 1e-2


def test_symmetric_alibi_cannot_tell_left_from_right(make_model, sequences):
    mirrored = sequences.flip(1)
    symmetric, one_sided = (make_model(mode="alibi", alibi_form=form) for form in ("symmetric", "one_sided"))
    assert torch.allclose(symmetric(sequences), symmetric(mirrored), atol=1e-5)
    assert not torch.allclose(one_sided(sequences), one_sided(mirrored), atol=1e-2)


def random(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_rope_scores_depend_on_the_offset_alone():
    layer = encodings.build(ModelOptions("rope", width=16, heads=2), positions=40, causal=False)[0]
    query, key = random(8), random(8, seed=1)
    scores = layer.turn(query.expand(1, 1, 40, 8))[0, 0] @ layer.turn(key.expand(1, 1, 40, 8))[0, 0].T
    offsets = np.arange(40)[:, None] - np.arange(40)
    expected = rotary.score(query.numpy(), key.numpy(), offsets.ravel(), frequencies.geometric(8), "half")
    assert scores.numpy().ravel() == pytest.approx(expected, abs=1e-5)


def test_rope_scale_multiplies_queries_and_keys():
    plain, scaled = (
        encodings.build(ModelOptions("rope", rotary_scale=scale), 10, causal=False)[0] for scale in (1.0, 1.5)
    )
    x = random(1, 4, 10, 16)
    assert torch.allclose(scaled.turn(x), 1.5 * plain.turn(x), atol=1e-6)


def test_shaw_is_equation_4_of_the_paper(make_model):
    model = make_model(mode="shaw", layers=1, max_distance=3)
    vectors = random(7, 8, seed=2)
    model.encodings[0].vectors.data = vectors
    queries, keys = random(2, 2, 12, 8), random(2, 2, 12, 8, seed=1)
    scores = torch.empty(2, 2, 12, 12)
    for i in range(12):
        for j in range(12):
            relative = vectors[max(-3, min(3, j - i)) + 3]
            scores[:, :, i, j] = (queries[:, :, i] * (keys[:, :, j] + relative)).sum(-1) / math.sqrt(8)
    weights = model.blocks[0].attention.weights(queries, keys, model.encodings[0], None)
    assert torch.allclose(weights, scores.softmax(-1), atol=1e-6)


def test_t5_adds_one_number_for_each_head_and_bucket_and_shares_it_between_layers():
    layers = encodings.build(ModelOptions("t5", heads=2, buckets=8), positions=40, causal=True)
    assert layers[0] is layers[1]
    layers[0].bias.data = torch.arange(16.0).view(2, 8)
    bias = layers[0].adjust(torch.zeros(1, 2, 40, 40), torch.zeros(1, 2, 40, 4))[0]
    # Causal, 8 buckets, up to 128: distances 0 to 3 have their own; the key after the query shares bucket 0.
    assert bias[0, 10, 7:12].tolist() == [3, 2, 1, 0, 0]
    assert torch.equal(bias[1], bias[0] + 8)
    assert bias[0, 39, 0] < 7 and bias[0, 39].max() == bias[0, 39, 0]


def test_alibi_adds_the_bias_of_pe_math(make_model):
    layer = encodings.build(ModelOptions("alibi", heads=4), positions=10, causal=False)[0]
    bias = layer.adjust(torch.zeros(1, 4, 6, 6), torch.zeros(1, 4, 6, 8))[0]
    distance = np.abs(np.arange(6)[:, None] - np.arange(6))
    assert bias.numpy() == pytest.approx(-alibi.slopes(4)[:, None, None] * distance, abs=1e-7)


def test_absolute_encodings_are_added_or_concatenated():
    tokens = random(3, 10, 16)
    table = torch.from_numpy(sinusoidal.table(np.arange(10), frequencies.geometric(16)).astype(np.float32))
    added = encodings.build(ModelOptions("sinusoidal", width=16), 20, causal=False)[0].join(tokens)
    assert torch.equal(added, tokens + table)
    concatenated = encodings.build(ModelOptions("sinusoidal", width=32, concatenate=16), 20, causal=False)[0]
    assert torch.equal(concatenated.join(tokens), torch.cat([tokens, table.expand(3, 10, 16)], dim=2))


@pytest.mark.parametrize("share", [None, 0.0, 0.25, 1.0])
def test_hybrid_is_a_weighted_sum_of_two_tables(share):
    layer = encodings.build(ModelOptions("hybrid", width=16, hybrid_weight=share), 20, causal=False)[0]
    layer.learned.table.data = random(20, 16)
    weight = 0.5 if share is None else share
    expected = weight * layer.fixed.table[:9] + (1 - weight) * layer.learned.table[:9]
    assert torch.allclose(layer.vectors(9), expected, atol=1e-6)
    assert (len(list(layer.parameters())) == 2) == (share is None)


def test_frequencies_may_be_a_function_or_numbers_or_one_schedule_a_layer():
    numbers = tuple(frequencies.linear(16).tolist())
    by_name, by_function, by_numbers = (
        ModelOptions("sinusoidal", width=16, frequencies=schedule)
        for schedule in (frequencies.linear, lambda d: frequencies.linear(d), numbers)
    )
    assert by_name.schedules() == by_function.schedules() == by_numbers.schedules() == (numbers,)
    fast, slow = (1.0,) * 4, (0.01,) * 4
    rope = ModelOptions("rope", width=16, heads=2, layer_frequencies=(fast, slow))
    first, second = encodings.build(rope, 10, causal=False)
    assert torch.allclose(first.cos[1], torch.full((4,), math.cos(1))) and second.cos[1].min() > 0.999


def test_a_schedule_for_each_layer_adds_a_table_in_each_layer(make_model, sequences):
    schedules = (frequencies.geometric, frequencies.linear)
    model = make_model(mode="sinusoidal", layer_frequencies=schedules)
    tables = [encoding.table for encoding in model.encodings]
    assert len(tables) == 2 and not torch.equal(*tables)
    before = model(sequences)
    model.encodings[1].table.zero_()
    assert not torch.allclose(model(sequences), before, atol=1e-3)


def test_window_hides_what_is_further_away(make_model, sequences):
    weights = make_model(mode="none", window=2).attention(sequences)
    far = (torch.arange(32)[:, None] - torch.arange(32)).abs() > 2
    assert weights[..., far].max() == 0 and weights[..., ~far].min() > 0


@pytest.mark.parametrize("mode", MODES)
def test_attention_weights_of_a_query_add_up_to_one(mode, make_model, sequences):
    weights = make_model(mode=mode, layers=3).attention(sequences)
    assert weights.shape == (3, 4, 2, 32, 32)
    assert torch.allclose(weights.sum(-1), torch.ones(3, 4, 2, 32), atol=1e-5)


@pytest.mark.parametrize("norm", ["before", "after"])
def test_norm_position_is_where_the_residual_is_normalised(norm, make_model, sequences):
    # After: what leaves a block has mean 0 and variance 1 over its width. Before: it does not.
    leaving = make_model(mode="none", norm=norm, width=64)._states(sequences)[-1]
    normalised = torch.allclose(leaving.var(-1, correction=0), torch.ones(4, 32), atol=1e-2)
    assert normalised == (norm == "after")


def test_norm_embedding_normalises_what_the_first_block_sees(make_model, sequences):
    entering = make_model(mode="sinusoidal", norm_embedding=True, width=64)._states(sequences)[0]
    assert torch.allclose(entering.var(-1, correction=0), torch.ones(4, 32), atol=1e-2)


@pytest.mark.parametrize("mode", MODES)
def test_a_decoder_never_looks_ahead(mode, make_model):
    model = make_model(task_name="copy", mode=mode)
    tokens = torch.from_numpy(tasks.load("copy").draw(np.random.default_rng(0), 2, 40)[0])
    changed = tokens.clone()
    changed[:, 25] = (tokens[:, 25] + 1) % 16
    before, after = model(tokens), model(changed)
    assert before.shape == (2, 40, 17)
    assert torch.equal(before[:, :25], after[:, :25])
    assert ((before - after)[:, 25:].abs().amax(dim=(0, 2)) > 0).all()


def test_an_encoder_looks_both_ways(make_model):
    weights = make_model(task_name="order", mode="rope").attention(torch.zeros(1, 20, dtype=torch.int64))
    assert weights.min() > 0


def test_longer_sequences_than_the_tables_are_refused(make_model):
    with pytest.raises(ValueError, match="at most 128 positions, but have 129"):
        make_model(mode="rope")(torch.zeros(1, 129, 1))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mode": "rotary"}, "mode must be one of 'none'.* got 'rotary'"),
        ({"heads": 3}, "heads must be a divisor of width, 64, got 3"),
        ({"layers": 0}, "layers must be an integer from 1.* got 0"),
        ({"dropout": 1.0}, "dropout must be at least 0 and below 1, got 1.0"),
        ({"norm": "middle"}, "norm must be one of 'before', 'after', got 'middle'"),
        ({"window": -1}, r"window must be an integer from 0 to .* got -1"),
        ({"window": 1.5}, r"window must be an integer from 0 to .* got 1.5"),
        ({"mode": "hybrid", "hybrid_weight": 1.5}, "hybrid_weight must be from 0 to 1, or None, got 1.5"),
        ({"mode": "alibi", "alibi_form": "both"}, "alibi_form must be one of 'causal'.* got 'both'"),
        ({"mode": "learned", "concatenate": 1.5}, r"concatenate must be an integer from 0 to .* got 1.5"),
        ({"mode": "sinusoidal", "concatenate": 64}, "concatenate must be at least 0 and below width, 64"),
        ({"mode": "rope", "frequencies": (1.0, 2.0)}, "frequencies must be 8 finite numbers"),
        ({"mode": "rope", "frequencies": (math.nan,) * 8}, "frequencies must be 8 finite numbers"),
        ({"mode": "rope", "layer_frequencies": (frequencies.linear,)}, "layer_frequencies"),
    ],
)
def test_options_refuse_what_cannot_be(change, message):
    with pytest.raises(ValueError, match=message):
        ModelOptions(**{"mode": "none", **change})


CHANGES = {
    "concatenate": 8,
    "frequencies": "linear",
    "layer_frequencies": (frequencies.linear, frequencies.mixed),
    "max_distance": 1,
    "buckets": 8,
    "bucket_distance": 40,
    "alibi_form": "one_sided",
    "hybrid_weight": 0.25,
    "rotary_scale": 2.0,
    "window": 1,
    "norm_embedding": True,
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", CHANGES)
def test_an_option_makes_another_model_or_is_refused(name, mode, make_model, sequences):
    def output(**options):
        model = make_model(mode=mode, **options)
        for number, parameter in enumerate(model.encodings.parameters()):
            parameter.data = 5 * random(*parameter.shape, seed=number)
        return model(sequences)

    try:
        changed = output(**{name: CHANGES[name]})
    except ValueError as error:
        assert re.match(rf"{name} must be .* for mode '{mode}', which does not use it, got ", str(error))
    else:
        assert not torch.allclose(changed, output(), atol=1e-4)


def test_numbers_are_refused_as_a_schedule_is_where_none_is_used():
    with pytest.raises(ValueError, match="frequencies must be 'geometric' for mode 'learned'"):
        ModelOptions("learned", frequencies=frequencies.linear(64))


DESCRIBED = [
    *((mode, ()) for mode in MODES),
    *((mode, (frequencies.linear, lambda d: frequencies.mixed(d))) for mode in WITH_FREQUENCIES),
]


@pytest.mark.parametrize(("mode", "layer_frequencies"), DESCRIBED)
def test_a_description_makes_the_same_model(mode, layer_frequencies, make_model):
    options = ModelOptions(mode, layer_frequencies=layer_frequencies)
    again = ModelOptions.from_description(options.describe())
    assert again.describe() == options.describe() and again.schedules() == options.schedules()
