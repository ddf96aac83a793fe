"""From what people and telemetry say to experience: attempts, outcomes, causes. Pure; nothing is written here."""
