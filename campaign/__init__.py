"""Campaigns against the command, the package and the plugins: see docs/reliability.md."""
