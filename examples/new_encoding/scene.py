"""A new encoding: its hands and its kernel beside the usual ones, and its race."""

from golden import golden

from scenes.loss_race import LossRace
from scenes.schedule_lab import ScheduleLab


class GoldenLab(ScheduleLab):
    schedules = ("geometric", golden)


class GoldenRace(LossRace):
    record, tasks = "examples/new_encoding/golden.safetensors", ("half_sum",)
    modes = ("sinusoidal", "mine")
