"""From bytes on a socket to columns: one file for each format, then secrets out, templates and fingerprints in."""
