"""Brand colours and a font of one's own: Bitter, from `pip install fontpkg-bitter`."""

from dataclasses import replace
from importlib.resources import files
from pathlib import Path

from scenes.clock_hands import ClockWall
from scenes.theme import DARK

FONT = Path(str(files("fontpkg_bitter"))) / "files" / "Bitter[wght].ttf"


class BrandWall(ClockWall):
    theme = replace(DARK, name="brand", background="#06281f", hands=("#ffd84d", "#ff8f6a"), font=FONT)
