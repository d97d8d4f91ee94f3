"""Pictures that hold still while they fade."""

from __future__ import annotations

from typing import TypeVar

from manim import Mobject

_Picture = TypeVar("_Picture", bound=Mobject)


def held(picture: _Picture) -> _Picture:
    """Return ``picture``, its updaters stopped until the animation that it is given to has ended.

    A fade goes from one copy of the picture to another. Updaters that set opacities would undo it there.
    """
    picture.suspend_updating()
    return picture
