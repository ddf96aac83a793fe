"""Growing delays for whoever guesses passwords: by account, by address, and by both together.

The counts are kept in the store, so that neither a restart nor a second process forgives them. An attempt is counted
before the password is looked at, and the count is cleared when it was right: a hundred attempts at the same instant are
a hundred attempts.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from hashlib import sha256
from ipaddress import ip_address, ip_network

from hindcast.access.office import Office
from hindcast.model.account import Failures
from hindcast.model.errors import Busy


@dataclass(frozen=True, slots=True)
class Pace:
    """So many attempts are free; each further one waits twice as long as the one before it, up to a limit."""

    free: int
    seconds_max: int

    def wait_seconds(self, count: int) -> int:
        """How long after so many failures the next attempt has to wait."""
        beyond = count - self.free
        # The exponent is bounded first: two to the power of a million is a large number to make.
        return 0 if beyond < 0 else min(2 ** min(beyond, 20), self.seconds_max)


# One address at one account: whoever forgot a password tries a few, and then asks for a link.
PAIR = Pace(free=5, seconds_max=900)
# One address at many accounts; an office may share one.
PEER = Pace(free=20, seconds_max=900)
# Many addresses at one account. The limit is short, or a stranger could keep somebody out for as long as they like.
ACCOUNT = Pace(free=20, seconds_max=60)
FORGIVEN_AFTER = timedelta(days=1)


class Throttle:
    """Counts attempts to sign in, and makes too many of them wait."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def attempt(self, account: str, peer: str) -> None:
        """Count an attempt. Raises Busy, saying how long to wait, where there were too many."""
        now = self._office.now()
        with self._office.accounts.write() as ledger:
            kept = {
                bucket: _aged(ledger.get(Failures, bucket) or Failures(bucket, 0, now), now)
                for bucket in _buckets(account, peer)
            }
            waits = [_left(kept[bucket], pace, now) for bucket, pace in _buckets(account, peer).items()]
            if any(waits):
                raise Busy(
                    "Too many attempts to sign in have failed.",
                    remedy=f"Wait {max(waits)} s, or ask an admin for a link to choose another password.",
                    retry_after_seconds=max(waits),
                    field="password",
                )
            ledger.touch(*(replace(one, count=one.count + 1, last_at=now) for one in kept.values()))

    def succeeded(self, account: str, peer: str) -> None:
        """Forget what this person got wrong. What else came from the address still counts, without this attempt."""
        pair, address, whole = _buckets(account, peer)
        with self._office.accounts.write() as ledger:
            gone = [one for bucket in (pair, whole) if (one := ledger.get(Failures, bucket)) is not None]
            ledger.touch(*(replace(one, count=0) for one in gone))
            if (counted := ledger.get(Failures, address)) is not None:
                ledger.touch(replace(counted, count=max(0, counted.count - 1)))


def _buckets(account: str, peer: str) -> dict[str, Pace]:
    """What an attempt is counted under. Accounts are digested: what was typed may be a password in the wrong field."""
    who, where = sha256(account.encode(errors="surrogatepass")).hexdigest()[:32], _network(peer)
    return {f"pair {who} {where}": PAIR, f"peer {where}": PEER, f"account {who}": ACCOUNT}


def _network(peer: str) -> str:
    """An address, or the network that one subscriber has: IPv6 gives each more addresses than can be counted."""
    try:
        address = ip_address(peer.partition("%")[0])
    except ValueError:
        return peer[:64]
    return str(ip_network((address, 64), strict=False)) if address.version == 6 else str(address)


def _aged(kept: Failures, now: datetime) -> Failures:
    return replace(kept, count=0) if abs(now - kept.last_at) >= FORGIVEN_AFTER else kept


def _left(kept: Failures, pace: Pace, now: datetime) -> int:
    """Seconds that are left to wait. Nobody waits for a clock that was set back to catch up."""
    wait = pace.wait_seconds(kept.count)
    passed = abs((now - kept.last_at).total_seconds())
    return max(0, int(-((passed - wait) // 1)))
