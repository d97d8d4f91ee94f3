"""The training lab: small Transformers that differ in nothing but the positional encoding.

Only `model` and `trainer` need torch. `records` reads what was recorded without it, so that scenes can draw
training results on a machine that has no torch.
"""
