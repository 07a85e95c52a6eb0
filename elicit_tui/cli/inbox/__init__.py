"""The commands of `elicit-tui inbox`: what waits for a person, listed and answered."""
