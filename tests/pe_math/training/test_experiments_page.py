"""The tables of ``docs/experiments.md`` say what the tracked records hold."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from pe_math.training import records

PAGE = (Path(__file__).parents[3] / "docs" / "experiments.md").read_text(encoding="utf-8")
# How many digits the page gives.
DIGITS = {"signal_sum": 4, "half_sum": 3, "weighted_sum": 3}


def spread(values: np.ndarray, digits: int = 2) -> str:
    """Return the median of ``values`` and, in brackets, the smallest and the largest."""
    text = f"{np.median(values):.{digits}f} [{values.min():.{digits}f}, {values.max():.{digits}f}]"
    return text.replace("-", "−")


def rows_of_scores(name: str) -> Iterator[str]:
    """Return the rows of a record's tables: for each encoding the score at each length."""
    record = records.load(records.path_of(name))
    for task in record.tasks:
        part = "length_loss" if record.document["tasks"][task]["metric"] == "nats" else "length_score"
        for encoding in record.encodings:
            values = record.array(task, encoding, part)
            cells = [spread(column, DIGITS.get(task, 2)) for column in values.T]
            if name == "rescaling":
                cells.append(spread(record.array(task, encoding, "validation_loss")[:, -1]))
            yield " | ".join([f"| `{encoding}`", *cells]) + " |"


def rows_of_ratios() -> Iterator[str]:
    """Return the rows of what each proposal did to the loss, in times the baseline's of the same seed."""
    record = records.load(records.path_of("ablations"))
    ends = [record.curves(task, "validation_loss")[:, :, -1] for task in ("half_sum", "copy")]
    baselines = [end[record.encodings.index("sinusoidal")] for end in ends]
    for place, encoding in enumerate(record.encodings):
        if encoding == "sinusoidal":
            cells = [f"1 (loss {np.median(baseline):.5f})" for baseline in baselines]
        else:
            cells = [spread(end[place] / baseline) for end, baseline in zip(ends, baselines, strict=True)]
        yield " | ".join([f"| `{encoding}`", *cells]) + " |"


@pytest.mark.parametrize("name", ["encoders", "decoders", "rescaling"])
def test_the_tables_of_scores_are_those_of_the_records(name: str) -> None:
    for row in rows_of_scores(name):
        assert row in PAGE


def test_the_table_of_proposals_is_that_of_the_record() -> None:
    for row in rows_of_ratios():
        assert row in PAGE
