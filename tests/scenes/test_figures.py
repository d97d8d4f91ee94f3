"""The article's pictures, drawn tiny: each appears whole, under its name, and shows something."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from manim import tempconfig
from PIL import Image

from scenes.figures import FIGURES, draw
from tests.scenes.harness import DRAFT


@pytest.mark.parametrize("name", FIGURES)
def test_a_figure_is_the_last_frame_of_its_shot(name: str, tmp_path: Path) -> None:
    with tempconfig({"media_dir": str(tmp_path / "media"), "progress_bar": "none"}):
        draw(FIGURES[name], tmp_path / "figures" / name, **DRAFT)
    (picture,) = (tmp_path / "figures").iterdir()  # nothing temporary is left
    assert picture.name == name
    pixels = np.asarray(Image.open(picture).convert("RGB")).astype(int)
    assert pixels.shape == (240, 426, 3)
    drawn = np.abs(pixels - pixels[0, 0]).max(axis=-1) > 40
    assert drawn.mean() > 0.02
    # It fills the frame: something stands left and right, above and below the middle.
    assert drawn[:, :213].any() and drawn[:, 213:].any() and drawn[:120].any() and drawn[120:].any()


def test_the_article_has_four_pictures() -> None:
    assert set(FIGURES) == {"loss_vs_epoch.png", "pe_pca.png", "attn_vs_pos.png", "rope_rotation.png"}
