"""From a recalled fix to a diff of today's code: sources make proposals, guards hold some back, a ranking orders."""
