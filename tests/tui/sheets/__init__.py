"""Pictures of every screen, at every size and in every theme, for a person to look at."""
