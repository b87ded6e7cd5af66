"""The functions behind commands: what they do, and how a command runs them and ends."""
