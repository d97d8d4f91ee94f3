"""Colours: one `Theme` value for each look, one colour for each role.

A concept wears one colour from the first shot to the last, and its word wears it too.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

THEME_VARIABLE = "CLOCKHANDS_THEME"
# Of a heatmap: finer than bytes can tell, and an odd number, so that zero is one of them.
SHADES = 2**16 - 1


@dataclass(frozen=True)
class Theme:
    """The colours of one look, as ``#rrggbb``.

    ``roles`` holds one colour a concept. ``hands`` are anchors of the ramp from the fastest hand to the
    slowest, ``positions`` of that from the first position to the last, ``diverging`` those from the most
    negative value of a heatmap to the most positive; the middle of ``diverging`` is the background, so that
    zero is nothing. ``font`` is the file of a font for all characters that it has.
    """

    name: str
    background: str
    text: str
    roles: Mapping[str, str]
    hands: tuple[str, ...]
    positions: tuple[str, ...]
    diverging: tuple[str, str]
    font: Path | None = None

    def color(self, role: str) -> str:
        """Return the colour of ``role``; raise `ValueError` that lists the roles where there is none."""
        if role == "text":
            return self.text
        if role not in self.roles:
            raise ValueError(f"unknown colour role {role!r}; this theme has: {', '.join(sorted(self.roles))}")
        return self.roles[role]

    def hand_colors(self, count: int) -> list[str]:
        """Return ``count`` colours from the fastest hand to the slowest."""
        return _evenly(self.hands, count)

    def position_colors(self, count: int) -> list[str]:
        """Return ``count`` colours from the first position to the last."""
        return _evenly(self.positions, count)

    def diverging_rgb(self, values: npt.ArrayLike) -> npt.NDArray[np.uint8]:
        """Return RGB bytes ``(..., 3)`` for ``values`` in [-1, 1]; values beyond are cut to it."""
        low, high = self.diverging
        numbers = (np.clip(np.asarray(values, dtype=float), -1.0, 1.0) + 1.0) * (0.5 * (SHADES - 1))
        shades = _shades((low, self.background, high))
        return np.asarray(np.take(shades, np.rint(numbers).astype(np.uint16), axis=0))


def rgb_of(color: str) -> npt.NDArray[np.float64]:
    """Return ``#rrggbb`` as three floats in [0, 1]."""
    return np.array([int(color[i : i + 2], 16) / 255.0 for i in (1, 3, 5)])


def hex_color(rgb: npt.ArrayLike) -> str:
    """Return three floats in [0, 1] as ``#rrggbb``."""
    return "#" + "".join(f"{round(float(channel) * 255):02x}" for channel in np.asarray(rgb))


def ramp(anchors: tuple[str, ...], shares: npt.ArrayLike) -> npt.NDArray[np.float64]:
    """Return the colours ``(..., 3)`` at ``shares`` (0 to 1) along the straight lines between ``anchors``."""
    stops = np.linspace(0.0, 1.0, len(anchors))
    rgb = np.array([rgb_of(anchor) for anchor in anchors])
    return np.stack(
        [np.interp(np.asarray(shares, dtype=float), stops, rgb[:, channel]) for channel in range(3)], axis=-1
    )


@cache
def _shades(anchors: tuple[str, ...]) -> npt.NDArray[np.uint8]:
    """Return the colours ``(SHADES, 3)`` along the lines between ``anchors``, as bytes."""
    shades = np.rint(ramp(anchors, np.linspace(0.0, 1.0, SHADES)) * 255.0).astype(np.uint8)
    shades.setflags(write=False)  # they are shared
    return shades


def _evenly(anchors: tuple[str, ...], count: int) -> list[str]:
    """Return ``count`` colours at equal steps from the first of ``anchors`` to the last."""
    rgb = ramp(anchors, np.linspace(0.0, 1.0, count) if count > 1 else np.zeros(1))
    return [hex_color(row) for row in rgb]


DARK = Theme(
    name="dark",
    background="#11151d",
    text="#f3f2ee",
    roles=MappingProxyType(
        {
            "dim": "#9aa4b5",
            "grid": "#3b4557",
            "accent": "#ffffff",
            "sin": "#5cb8f0",
            "cos": "#f5a742",
            "query": "#ffe066",
            "key": "#d58be8",
            "score": "#6fd6a8",
            "none": "#9a9f9c",
            "sinusoidal": "#4b97dc",
            "learned": "#fd8e0a",
            "shaw": "#4fd08c",
            "t5": "#b9a0ff",
            "alibi": "#fd6d60",
            "alibi_one_sided": "#ffb8ae",
            "rope": "#ff9ad5",
            "as_trained": "#ff9ad5",
            "interpolated": "#7fd3e6",
            "ntk": "#e3bd5c",
            "yarn": "#a9db7c",
            "llama3": "#ffa58a",
            "hybrid": "#e8e06a",
            "mine": "#3fe0d0",
        }
    ),
    hands=("#ffd84d", "#ff8f5a", "#e46aa8", "#8f8bff"),
    positions=("#3d7fd6", "#35b3b8", "#8fd672", "#f6f3a0"),
    diverging=("#4aa8ff", "#ff9d45"),
)

LIGHT = Theme(
    name="light",
    background="#fcfbf8",
    text="#1b1f27",
    roles=MappingProxyType(
        {
            "dim": "#5b6472",
            "grid": "#c9ced6",
            "accent": "#000000",
            "sin": "#0069a8",
            "cos": "#b35300",
            "query": "#7a6200",
            "key": "#8a2fa3",
            "score": "#00704f",
            "none": "#727272",
            "sinusoidal": "#076aa7",
            "learned": "#734508",
            "shaw": "#0a4f4b",
            "t5": "#5b3fc0",
            "alibi": "#c8333b",
            "alibi_one_sided": "#85181f",
            "rope": "#9d0b73",
            "as_trained": "#9d0b73",
            "interpolated": "#0a6b82",
            "ntk": "#7f5a00",
            "yarn": "#3c6800",
            "llama3": "#a03a10",
            "hybrid": "#6f6500",
            "mine": "#00695f",
        }
    ),
    hands=("#9a6a00", "#c2450c", "#a8246f", "#4636c9"),
    positions=("#1d2f8f", "#0b6a8f", "#138a5e", "#8a8f00"),
    diverging=("#1466b8", "#c75300"),
)

THEMES = {theme.name: theme for theme in (DARK, LIGHT)}


def chosen_theme() -> Theme:
    """Return the theme that ``CLOCKHANDS_THEME`` names (default dark)."""
    name = os.environ.get(THEME_VARIABLE, "dark")
    if name not in THEMES:
        raise ValueError(f"{THEME_VARIABLE}={name!r} is not a theme; set it to one of: {', '.join(THEMES)}")
    return THEMES[name]
