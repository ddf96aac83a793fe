"""From a cue to the cases that come to mind: arms, fusion, a ranker, gates, and a confidence that was measured.

It reads memory through `ports.Searchable` and writes nothing. Which words and keys a case is found by is decided here
too, so that a question and what it should find are always read the same way.
"""
