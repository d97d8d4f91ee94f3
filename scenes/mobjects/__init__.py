"""Shared pictures. Each is set from plain values by one method, so a frame depends on nothing else."""
