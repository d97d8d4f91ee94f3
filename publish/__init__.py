"""From shots to what is shown: films rendered side by side, on this machine or on a cluster."""
