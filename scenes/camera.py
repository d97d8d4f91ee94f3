"""A camera that draws what Manim's does, faster."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from math import inf
from typing import Any, Self
from weakref import WeakKeyDictionary

import cairo
import numpy as np
from manim import Camera, Mobject, VMobject
from manim.mobject.types.image_mobject import AbstractImageMobject

from scenes.layer import Layer


class LectureCamera(Camera):
    """Manim's Cairo camera, with the same pictures in less time."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        # Antialiasing blurs an edge by less than a pixel.
        self._layer = Layer(margin=2.0 * self.frame_height / self.pixel_height)
        self._paths: WeakKeyDictionary[VMobject, tuple[bytes, cairo.Path | None]] = WeakKeyDictionary()

    def paint(self, mobjects: Iterable[Mobject]) -> None:
        """Draw a new picture of ``mobjects`` on the background.

        What rests, and lies over nothing that does not, is copied from a layer. Manim knows what rests only
        for a whole play, and only what lies below all groups that anything is done to.
        """
        parts = [
            part
            for part in self.get_mobjects_to_display(mobjects)
            if self.type_or_raise(part) is not Mobject  # a tracker, which nobody sees
        ]
        resting, others = self._layer.look_at(parts, np.asarray(self.background))
        self.set_pixel_array(self._layer.pixels)
        if resting:
            self._display(resting)
            self._layer.keep(self.pixel_array)
        self._display(others)

    def _display(self, parts: Iterable[Mobject]) -> None:
        """Draw ``parts`` in their order."""
        for kind, run in groupby(parts, self.type_or_raise):
            self.display_funcs[kind](list(run), self.pixel_array)

    def get_mobjects_to_display(
        self,
        mobjects: Iterable[Mobject],
        include_submobjects: bool = True,
        excluded_mobjects: list[Mobject] | None = None,
    ) -> list[Mobject]:
        """Return all parts of ``mobjects`` that have points, in the order in which Manim draws them.

        Manim hands over moving groups and their parts, and walks each group's family for itself and once
        more for each group above it. Here each is walked once.
        """
        if excluded_mobjects or not include_submobjects:
            return super().get_mobjects_to_display(mobjects, include_submobjects, excluded_mobjects)
        last_first: dict[Mobject, None] = {}
        for mobject in reversed(list(mobjects)):
            _append_family(mobject, last_first)
        parts = [part for part in reversed(last_first) if len(part.points)]
        return sorted(parts, key=lambda part: part.z_index)

    def display_vectorized(self, vmobject: VMobject, ctx: cairo.Context[Any]) -> Self:
        """Fill and stroke a path, unless nothing of it would be seen."""
        strokes = {
            background: vmobject.get_stroke_width(background) > 0.0
            and _is_seen(vmobject.get_stroke_rgbas(background))
            for background in (True, False)
        }
        fill = _is_seen(vmobject.get_fill_rgbas())
        if not fill and not any(strokes.values()):
            return self
        self.set_cairo_context_path(ctx, vmobject)
        if strokes[True]:
            self.apply_stroke(ctx, vmobject, background=True)
        if fill:
            self.apply_fill(ctx, vmobject)
        if strokes[False]:
            self.apply_stroke(ctx, vmobject)
        return self

    def set_cairo_context_path(self, ctx: cairo.Context[Any], vmobject: VMobject) -> Self:
        """Give Cairo the curves of a path; it keeps those that are asked for again, as of what only fades."""
        ctx.new_path()
        points = vmobject.points.tobytes()
        last, path = self._paths.get(vmobject, (b"", None))
        if points != last:
            self._paths[vmobject] = points, None
            self._add_curves(ctx, vmobject)
        elif path is None:
            self._add_curves(ctx, vmobject)
            self._paths[vmobject] = points, ctx.copy_path()
        else:
            ctx.append_path(path)
        return self

    def _add_curves(self, ctx: cairo.Context[Any], vmobject: VMobject) -> None:
        points = self.transform_points_pre_display(vmobject, vmobject.points)[:, :2]
        # As a list: Cairo takes NumPy's numbers one by one, at several times the price.
        numbers = iter(points[: len(points) // 4 * 4].ravel().tolist())
        tolerance = vmobject.tolerance_for_point_equality
        curve_to = ctx.curve_to
        first: tuple[float, float] | None = None
        last_x = last_y = inf
        for x, y, x_1, y_1, x_2, y_2, end_x, end_y in zip(*[numbers] * 8, strict=True):
            # `_meet` written out: to call it for every curve would take as long as all the rest.
            if abs(last_x - x) > tolerance + 1e-5 * abs(x) or abs(last_y - y) > tolerance + 1e-5 * abs(y):
                if first and _meet(first, (last_x, last_y), tolerance):
                    ctx.close_path()
                ctx.move_to(x, y)
                first = x, y
            curve_to(x_1, y_1, x_2, y_2, end_x, end_y)
            last_x, last_y = end_x, end_y
        if first and _meet(first, (last_x, last_y), tolerance):
            ctx.close_path()

    def display_image_mobject(
        self, image_mobject: AbstractImageMobject, pixel_array: np.ndarray[Any, Any]
    ) -> None:
        """Paint an image whose corners ``points`` are upper left, upper right and lower left."""
        pixels = _premultiplied(image_mobject.get_pixel_array())
        height, width = pixels.shape[:2]
        corner, right, down = (np.asarray(point[:2]) for point in image_mobject.points[:3])
        (xx, yx), (xy, yy) = (right - corner) / width, (down - corner) / height
        context = self.get_cairo_context(pixel_array)
        context.save()
        context.transform(cairo.Matrix(xx, yx, xy, yy, *corner))
        # Manim's surfaces hold RGBA bytes under Cairo's BGRA name, and so does this one: they agree.
        context.set_source_surface(
            cairo.ImageSurface.create_for_data(pixels.data, cairo.FORMAT_ARGB32, width, height)
        )
        context.get_source().set_filter(cairo.FILTER_NEAREST)
        context.get_source().set_extend(cairo.EXTEND_PAD)
        # The path of what was drawn last is still there, and would be painted along.
        context.new_path()
        context.rectangle(0, 0, width, height)
        context.fill()
        context.restore()


def _meet(end: tuple[float, float], start: tuple[float, float], tolerance: float) -> bool:
    """Tell whether one curve goes on where the last one ended, as near as Manim asks for."""
    (x, y), (to_x, to_y) = end, start
    return abs(x - to_x) <= tolerance + 1e-5 * abs(to_x) and abs(y - to_y) <= tolerance + 1e-5 * abs(to_y)


def _append_family(mobject: Mobject, found: dict[Mobject, None]) -> None:
    """Add ``mobject`` and its parts to ``found``, last part first."""
    # What has been found has brought its parts along.
    if mobject not in found:
        for part in reversed(mobject.submobjects):
            _append_family(part, found)
        found[mobject] = None


def _is_seen(rgbas: np.ndarray[Any, Any]) -> bool:
    return any(color[3] for color in rgbas.tolist())


def _premultiplied(pixels: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return ``pixels`` as Cairo wants them: colours already multiplied by their alpha."""
    alpha = pixels[..., 3:]
    if alpha.min() == 255:
        return np.ascontiguousarray(pixels)
    colors = (pixels[..., :3].astype(np.uint16) * alpha + 127) // 255
    return np.ascontiguousarray(np.concatenate([colors.astype(np.uint8), alpha], axis=-1))
