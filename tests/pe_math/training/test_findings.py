"""What the tracked records say, held against what was to be expected from a pilot and the literature.

Each number is the one expected, with a tolerance for other seeds and shorter training; where a record
disagrees, `docs/experiments.md` says why.
"""

import numpy as np
import pytest

from pe_math.training import records


def scores(name, task):
    """Return for each encoding the scores `(seeds, lengths)`: R², accuracy, or nats on real text."""
    record = records.load(records.path_of(name))
    part = "length_loss" if record.document["tasks"][task]["metric"] == "nats" else "length_score"
    return {encoding: record.array(task, encoding, part) for encoding in record.encodings}


def medians(name, task):
    return {encoding: np.median(values, axis=0) for encoding, values in scores(name, task).items()}


def test_nobody_wins_the_sum_of_all():
    score = scores("encoders", "signal_sum")
    assert all(values[:, 0].min() > 0.997 for name, values in score.items() if name != "alibi_one_sided")
    assert score["alibi_one_sided"][:, 0].min() > 0.99  # half of its heads see half of the numbers
    # No encoding is separated from `none` on the better side.
    record = records.load(records.path_of("encoders"))
    losses = record.curves("signal_sum", "validation_loss")[:, :, -1]
    assert records.ranks(losses)[record.encodings.index("none")] == 1


def test_the_sum_of_the_first_half_needs_an_encoding():
    score = scores("encoders", "half_sum")
    assert score["none"][:, 0].min() > 0.65 and score["none"][:, 0].max() < 0.85
    assert all(score[name][:, 0].min() > 0.99 for name in ("sinusoidal", "learned"))
    median = medians("encoders", "half_sum")
    assert median["rope"][0] > 0.99
    # At twice the length the tables are lost; distances are not.
    assert max(median[name][1] for name in ("sinusoidal", "learned")) < 0.35
    assert all(0.35 < median[name][1] < 0.8 for name in ("shaw", "t5", "alibi"))


def test_a_weighted_sum_beyond_the_trained_length_is_for_those_that_see_distances():
    median = medians("encoders", "weighted_sum")
    assert median["none"][0] == pytest.approx(0.36, abs=0.1)
    assert all(median[name][0] > 0.99 for name in ("sinusoidal", "learned", "rope"))
    assert median["alibi"][0] == pytest.approx(0.91, abs=0.08)
    distances = [median[name][1] for name in ("shaw", "alibi", "alibi_one_sided")]
    assert min(distances) > max(median[name][1] for name in ("sinusoidal", "learned", "hybrid", "rope"))
    assert median["alibi"][1] == pytest.approx(0.8, abs=0.12)


def test_an_encoding_without_left_and_right_cannot_tell_what_came_first():
    score = scores("encoders", "order")
    for name in ("none", "alibi"):
        assert np.abs(score[name] - 0.5).max() < 0.12
    assert score["alibi_one_sided"].min() > 0.97
    median = medians("encoders", "order")
    assert median["rope"][2] > median["sinusoidal"][2]


@pytest.mark.parametrize(("task", "expected"), [("copy", 0.94), ("induction", 0.84)])
def test_alibi_goes_on_copying_beyond_the_trained_length_and_absolute_kinds_and_rope_do_not(task, expected):
    score = scores("decoders", task)
    assert np.median(score["alibi"][:, 2]) == pytest.approx(expected, abs=0.05)
    for name in ("none", "sinusoidal", "learned", "rope"):
        assert score[name][:, 2].max() < 0.5, name


def test_on_text_alibi_holds_and_absolute_kinds_and_rope_do_not():
    loss = scores("decoders", "wikitext")
    # Shaw's vectors are clipped at 16, within the trained 64: no distance in a longer text is new to them.
    for name in ("alibi", "shaw"):
        assert (loss[name][:, 3] < loss[name][:, 0] + 0.1).all(), name
    for name in ("sinusoidal", "learned", "t5", "rope"):
        assert (loss[name][:, 3] > loss[name][:, 0] + 0.4).all(), name
    # Within the trained length rope is better than the tables and than alibi, as in the pilot.
    assert loss["rope"][:, 0].max() < min(
        loss[name][:, 0].min() for name in ("sinusoidal", "learned", "alibi")
    )


def test_rescaled_frequencies_carry_rope_beyond_its_length():
    median = medians("rescaling", "wikitext")
    for length in (1, 2, 3):
        assert median["interpolated"][length] > median["as_trained"][length] > median["ntk"][length]
        assert median["as_trained"][length] > median["yarn"][length]
    record = records.load(records.path_of("rescaling"))
    tuned = {name: record.array("wikitext", name, "validation_loss")[:, -1] for name in record.encodings}
    # After a little training the rescaled ones are better off than the untouched.
    assert np.median(tuned["yarn"]) < np.median(tuned["as_trained"])
    assert np.median(tuned["ntk"]) < np.median(tuned["as_trained"])


def test_no_proposal_helps_in_every_run_and_a_window_that_does_not_reach_fails():
    record = records.load(records.path_of("ablations"))
    ends = {task: record.curves(task, "validation_loss")[:, :, -1] for task in record.tasks}
    for task, losses in ends.items():
        ratios = dict(
            zip(record.encodings, losses / losses[record.encodings.index("sinusoidal")], strict=True)
        )
        for name in ("hybrid", "norm_embedding", "concatenate", "mixed", "every_layer", "fast_to_slow"):
            assert ratios[name].min() < 1 < ratios[name].max(), (task, name)
    # Two layers of 8 positions each do not reach the 20 that copying looks back.
    assert ratios["window"].min() > 100
