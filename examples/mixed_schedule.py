"""The mixed schedule: half of each speed evenly spaced, half of it geometric."""

from scenes.schedule_lab import ScheduleLab


class MixedLab(ScheduleLab):
    """The mixed schedule beside the geometric one."""

    schedules = ("geometric", "mixed")
