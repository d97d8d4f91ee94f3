"""Real models' hands, read back from the picture, against turns counted here from base, width and context."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from manim import tempconfig

from scenes.mobjects.model_hands import ModelHands
from scenes.model_clocks import ModelClocks
from scenes.theme import DARK
from tests.scenes.harness import construct

# One radian a position, a tenth and a hundredth: periods of 6.28, 62.8 and 628 positions.
FREQUENCIES = (1.0, 0.1, 0.01)


@pytest.fixture(scope="module", autouse=True)
def media(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with tempconfig({"media_dir": str(tmp_path_factory.mktemp("media"))}):
        yield


def hands() -> ModelHands:
    return ModelHands(FREQUENCIES, DARK, hub=(1.0, -0.5), longest=2.0)


@pytest.mark.parametrize(("position", "turns"), [(0.0, 0.0), (157.0797, 0.25), (471.239, 0.75), (5e4, 1.0)])
def test_the_wedge_shows_the_slowest_hands_turns_and_never_more_than_one(
    position: float, turns: float
) -> None:
    assert hands().set_position(position).turns == pytest.approx(turns, abs=1e-4)


def test_the_slowest_hand_points_where_its_wedge_ends() -> None:
    picture = hands().set_position(157.0797)  # a quarter of a turn, clockwise from twelve
    arm = picture.hand.ends[0] - picture.swarm.hub
    assert arm[:2] == pytest.approx([2.0, 0.0], abs=1e-4)
    assert picture.wedge.vertices[-2] == pytest.approx(picture.hand.ends[0], abs=1e-9)


@pytest.mark.parametrize("position", [7.0, 60.0, 70.0, 600.0, 630.0])
def test_the_circle_holds_exactly_the_hands_that_have_gone_round(position: float) -> None:
    picture = hands().set_position(position)
    lengths = np.linalg.norm(picture.swarm.tips - picture.swarm.hub, axis=1)
    gone_round = position * np.array(FREQUENCIES) >= 2.0 * np.pi
    assert (lengths <= picture.front.radius + 1e-9).tolist() == gone_round.tolist()


def test_no_circle_before_the_fastest_has_gone_round() -> None:
    assert len(hands().set_position(6.0).front.points) == 0


class Two(ModelClocks):
    models = ("gpt-j-6b", "llama-3-8b")


def test_each_model_stops_at_the_end_of_its_own_context(tmp_path: Path) -> None:
    scene = construct(Two, tmp_path)
    assert isinstance(scene, ModelClocks)
    # GPT-J: 2,048 positions, 64 of each head's numbers turned, base 10,000; Llama 3: 8,192, 128, 500,000.
    for name, context, d, base in (("gpt-j-6b", 2048, 64, 1e4), ("llama-3-8b", 8192, 128, 5e5)):
        angles = context * base ** (-np.arange(0, d, 2) / d)
        assert scene.turns(name) == pytest.approx(angles[-1] / (2.0 * np.pi))
        assert scene.gone_round(name) == np.count_nonzero(angles >= 2.0 * np.pi)
        assert scene.columns[name].turns == pytest.approx(angles[-1] / (2.0 * np.pi), abs=1e-6)


def test_a_configuration_of_ones_own_is_shown_under_its_folders_name(tmp_path: Path) -> None:
    values = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 2}
    file = tmp_path / "mine" / "config.json"
    file.parent.mkdir()
    file.write_text(json.dumps({**values, "max_position_embeddings": 500, "rope_theta": 100.0}))

    class Mine(ModelClocks):
        models = (str(file),)

    scene = construct(Mine, tmp_path / "media")
    assert isinstance(scene, ModelClocks)
    assert scene.contexts == {"mine": 500}
    # 16 hands: the slowest turns 100**(-30/32) radians a position.
    assert scene.turns("mine") == pytest.approx(500.0 * 100.0 ** (-30.0 / 32.0) / (2.0 * np.pi))


@pytest.mark.parametrize(
    ("models", "said"),
    [
        (("gpt-2",), "'gpt-2' has no hands"),
        (("bloom-7b1", "llama-2-7b"), "'bloom-7b1' has no hands"),
        (("llama-2-7b", "llama-2-7b"), "names of their own"),
        (("lama",), "no such file"),
        ((), "must be"),
        (("phi-2", "gpt-j-6b", "qwen-3-8b", "gemma-7b"), "must be"),
    ],
)
def test_what_has_no_hands_is_refused_before_the_first_frame(
    models: tuple[str, ...], said: str, tmp_path: Path
) -> None:
    class Wrong(ModelClocks):
        pass

    Wrong.models = models
    with pytest.raises(ValueError, match=said):
        construct(Wrong, tmp_path)
