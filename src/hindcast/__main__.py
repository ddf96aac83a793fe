"""`python -m hindcast` is `hindcast`."""

from __future__ import annotations

from hindcast.cli import main

if __name__ == "__main__":
    main()
