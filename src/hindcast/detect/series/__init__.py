"""Series of numbers, each judged by its own past."""
