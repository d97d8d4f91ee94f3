"""Stretched contexts against what each method's authors promise, and against the published Llama 3.1."""

import numpy as np
import pytest

from pe_math.models import from_config
from pe_math.stretching import METHODS, stretched

D, BASE, LENGTH = 16, 10000.0, 64
TRAINED = BASE ** (-np.arange(0, D, 2) / D)


@pytest.mark.parametrize("method", METHODS)
def test_nothing_changes_at_the_trained_length(method):
    values, scale = stretched(method, D, BASE, 1, LENGTH)
    assert values == pytest.approx(TRAINED, rel=1e-12)
    assert scale == 1.0


@pytest.mark.parametrize("method", [method for method in METHODS if method != "as_trained"])
def test_the_slowest_hand_comes_no_farther_in_the_longer_context_than_it_did_in_training(method):
    values, _ = stretched(method, D, BASE, 8, LENGTH)
    assert values[-1] * 8 * LENGTH == pytest.approx(TRAINED[-1] * LENGTH)


@pytest.mark.parametrize("method", ["ntk", "yarn", "llama3"])
def test_the_fastest_hand_keeps_its_speed(method):
    assert stretched(method, D, BASE, 8, LENGTH)[0][0] == 1.0


def test_interpolation_slows_every_hand_alike_and_as_trained_none():
    assert stretched("interpolated", D, BASE, 8, LENGTH)[0] == pytest.approx(TRAINED / 8)
    assert stretched("as_trained", D, BASE, 8, LENGTH)[0] == pytest.approx(TRAINED)


def test_llama3_is_what_llama_3_1_publishes():
    values, _ = stretched("llama3", 128, 500000.0, 8, 8192)
    assert values == pytest.approx(from_config("llama-3.1-8b").frequencies)


def test_yarn_scales_the_scores_as_its_paper_says():
    assert stretched("yarn", D, BASE, 4, LENGTH)[1] == pytest.approx(0.1 * np.log(4) + 1)


def test_an_unknown_method_is_refused_by_name():
    with pytest.raises(ValueError, match=r"method must be one of 'as_trained'.*got 'linear'"):
        stretched("linear", D, BASE, 2, LENGTH)
