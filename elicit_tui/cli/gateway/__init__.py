"""The commands of `elicit-tui gateway`: serve, install, uninstall, snippet, doctor, token."""
