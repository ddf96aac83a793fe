"""Quantiles of histograms that count since their process began: of what came between one export and the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping
from typing import Any, Final

import orjson
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.otlp.histogram import QUANTILES, quantile, quantile_suffix
from hindcast.model.columns import METRIC, RAW_METRIC

# At half a kilobyte each about 10 MB. A series that falls out begins anew.
SERIES_MAX: Final = 20_000

_Counts = dict[tuple[float, float], int]


class Windows:
    """Remembers the last buckets of each series. One thread at a time: exports are compared in their order."""

    def __init__(self) -> None:
        self._last: OrderedDict[int, tuple[int, str]] = OrderedDict()

    def values(self, space: str, raw: pa.Table) -> pa.Table:
        """The METRIC table of a RAW_METRIC one: rows of buckets are the quantiles of what was added to them."""
        is_value = pc.equal(raw["buckets"], "")
        values = raw.filter(is_value).select(METRIC.names)
        if values.num_rows == raw.num_rows:
            return values
        buckets = raw.filter(pc.invert(is_value))
        made = [
            {**row, "name": row["name"] + quantile_suffix(share), "value": found}
            for row in buckets.to_pylist()
            for share, found in self._quantiles(space, row).items()
        ]
        if not made:
            return values
        return pa.concat_tables([values, pa.Table.from_pylist(made, schema=RAW_METRIC).select(METRIC.names)])

    def _quantiles(self, space: str, row: Mapping[str, Any]) -> dict[float, float]:
        key = hash((space, row["service"], row["name"], tuple(sorted(row["attributes"]))))
        at = int(row["time"].timestamp() * 1_000_000) if row["time"] is not None else 0
        before = self._last.get(key)
        if before is not None and at <= before[0]:
            return {}
        self._last[key] = at, row["buckets"]
        self._last.move_to_end(key)
        while len(self._last) > SERIES_MAX:
            self._last.popitem(last=False)
        if before is None:
            # Since when it counts is not known, and mostly long ago.
            return {}
        added = _added(_counts(before[1]), _counts(row["buckets"]))
        pieces = [(low, high, count) for (low, high), count in sorted(added.items())]
        found = ((share, quantile(pieces, share, None, None)) for share in QUANTILES)
        return {share: value for share, value in found if value is not None}


def with_buckets(table: pa.Table | None) -> pa.Table | None:
    """A table of metrics as RAW_METRIC has them, whether or not its parser knows of buckets."""
    if table is None or "buckets" in table.column_names:
        return table
    return table.append_column(RAW_METRIC.field("buckets"), pa.repeat("", table.num_rows))


def _counts(buckets: str) -> _Counts:
    return {(low, high): count for low, high, count in orjson.loads(buckets) if count}


def _added(before: _Counts, now: _Counts) -> _Counts:
    """What was counted since; all of it where the process began anew, nothing where the buckets are other ones."""
    if sum(now.values()) < sum(before.values()):
        return now
    added = {piece: now.get(piece, 0) - before.get(piece, 0) for piece in now.keys() | before.keys()}
    return added if min(added.values(), default=0) >= 0 else {}
