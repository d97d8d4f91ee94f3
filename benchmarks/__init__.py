"""How fast shots render, measured against the usual ways: see ``benchmarks.render``."""
