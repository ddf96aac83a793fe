"""How truly postmortems are read: cause, fix and attempts of pages beside the record that a person made of them.

The pages of tests/golden/postmortems/heldout were written after the reader, those of the other folders with it
(`--folder`). `--wrong` shows what was read wrongly. The last line gives the shares.
"""

from __future__ import annotations

import argparse

from tests.postmortems import Page, pages, paired, says


def share(right: float, of: float) -> float:
    """A share; of nothing, everything."""
    return right / of if of else 1.0


def main() -> None:
    """Read every page, print what was wrong and the shares."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", default="heldout", help="which pages: heldout, styles, second or third")
    parser.add_argument("--wrong", action="store_true", help="show what was read wrongly")
    options = parser.parse_args()
    read = [(page, page.read()) for page in pages(options.folder)]
    cause = wrong = fix = pairs = wanted = found = people = told = 0
    with_cause = sum(bool(page.cause) for page, _ in read)
    with_fix = sum(bool(page.fix) for page, _ in read)
    for page, case in read:
        stated = case.cause.text if case.cause else ""
        right = bool(page.cause) and says(stated, page.cause)
        fixed = bool(page.fix) and says(case.resolution.text if case.resolution else "", page.fix)
        matched = len(paired(page.attempts, case.attempts))
        cause, wrong, fix = cause + right, wrong + (bool(stated) and not right), fix + fixed
        pairs, wanted, found = pairs + matched, wanted + len(page.attempts), found + len(case.attempts)
        people, told = people + len({*page.people} & {*case.responders}), told + len(page.people)
        if options.wrong:
            show(page, stated, [f"{one.action}: {one.outcome.value}" for one in case.attempts], right=right)
    f1 = share(2 * pairs, wanted + found)
    print(f"{len(read)} pages, {wanted} attempts, {found} read, {pairs} of them rightly")
    print(
        f"IMPORT: cause={share(cause, with_cause):.3f} wrong_cause={share(wrong, len(read)):.3f} "
        f"attempts_f1={f1:.3f} fix={share(fix, with_fix):.3f} people={share(people, told):.3f}"
    )


def show(page: Page, stated: str, attempts: list[str], *, right: bool) -> None:
    """What was read out of a page, where it is not what was wanted."""
    wanted = sorted(f"{one.action}: {one.outcome}" for one in page.attempts)
    if not right and (stated or page.cause):
        print(f"  {page.name}: cause {stated!r}, wanted {page.cause!r}")
    if len(paired(page.attempts, page.read().attempts)) != max(len(wanted), len(attempts)):
        print(f"  {page.name}: attempts {sorted(attempts)}, wanted {wanted}")


if __name__ == "__main__":
    main()
