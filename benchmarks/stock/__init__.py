"""The pictures of the headline shots drawn the usual way: one mobject a part, ``always_redraw``, squares.

They are written as Manim's own documentation teaches it, without anything of ``scenes/``; numbers come
from `pe_math`, so that both ways draw the same.
"""
