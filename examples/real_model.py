"""A real model: the hands of Qwen 2.5, beside those of the first Llama models."""

from scenes.model_clocks import ModelClocks


class QwenClocks(ModelClocks):
    """Names are those of `pe_math.models.PUBLISHED`; the path of a config.json is as good."""

    models = ("llama-2-7b", "qwen-2.5-7b")
