"""The numerics of positional encodings. NumPy and SciPy; torch only below ``training``."""
