"""From what was remembered to what somebody should do: causes, fixes, what to avoid. Computed, never guessed."""
