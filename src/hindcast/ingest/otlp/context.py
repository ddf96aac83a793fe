"""What all records of one resource and scope have in common: the service, and the attributes that say where it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hindcast.ingest.rows import SERVICE_CUT, VALUE_CUT, Attributes, check_spread, cut
from hindcast.model.ingest_limits import IngestLimits

# Where the service's name is looked for, in this order. What the SDK calls `unknown_service` is its word for none.
SERVICE_KEYS: Final = (
    "service.name",
    "k8s.deployment.name",
    "k8s.statefulset.name",
    "k8s.daemonset.name",
    "k8s.cronjob.name",
    "k8s.job.name",
    "k8s.container.name",
    "container.name",
    "faas.name",
    "service.instance.id",
    "process.executable.name",
)
_UNKNOWN: Final = "unknown_service"

# Which of a resource's attributes are kept with each record: those that tell one instance from another.
IDENTIFYING_KEYS: Final = frozenset(
    {
        "service.namespace",
        "service.version",
        "service.instance.id",
        "deployment.environment",
        "deployment.environment.name",
        "host.name",
        "container.name",
        "k8s.cluster.name",
        "k8s.namespace.name",
        "k8s.node.name",
        "k8s.pod.name",
        "k8s.container.name",
        "cloud.region",
        "cloud.availability_zone",
        "faas.name",
    }
)
SCOPE_KEY: Final = "otel.scope.name"


@dataclass(frozen=True, slots=True)
class Context:
    """One scope of one resource."""

    service: str
    shared: Mapping[str, str]


def context(resource: Mapping[str, str], scope: str) -> Context:
    """The context that a resource's attributes and a scope's name make."""
    named = [resource[key] for key in SERVICE_KEYS if resource.get(key)]
    service = next((name for name in named if not name.startswith(_UNKNOWN)), named[0] if named else "")
    shared = {key: value for key, value in resource.items() if key in IDENTIFYING_KEYS}
    if scope:
        shared[SCOPE_KEY] = scope
    return Context(service, shared)


def services(
    contexts: Sequence[Context], index: npt.NDArray[np.int64], limits: IngestLimits, counts: Counter[str]
) -> pa.Array:
    """The service of each row."""
    names = pa.array([one.service for one in contexts], pa.string())
    return cut(names, limits.service_bytes_max, counts, SERVICE_CUT).take(pa.array(index))


def with_shared(
    own: Attributes,
    contexts: Sequence[Context],
    index: npt.NDArray[np.int64],
    limits: IngestLimits,
    counts: Counter[str],
) -> Attributes:
    """Each row's attributes, with those of its context before them. They are cut before they are repeated."""
    values = pa.array([value for one in contexts for value in one.shared.values()], pa.string())
    shared = Attributes(
        pa.array([key for one in contexts for key in one.shared], pa.string()),
        cut(values, limits.attribute_value_bytes_max, counts, VALUE_CUT),
        np.array([len(one.shared) for one in contexts], dtype=np.int64),
    )
    check_spread(int(shared.sizes[index].sum()))
    return own.after(shared, index)
