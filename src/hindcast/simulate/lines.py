"""What the seven services write on an ordinary day, by level. Errors of an ordinary day are in `failures`."""

from __future__ import annotations

from collections.abc import Mapping

from hindcast.model.signal import Level

Lines = Mapping[Level, tuple[str, ...]]

GATEWAY: Lines = {
    Level.INFO: (
        '{ip} - "{verb} {path} HTTP/1.1" {status} {bytes} {ms}ms request_id={uuid}',
        '{ip} - "{verb} {path} HTTP/2.0" {status} {bytes} {ms}ms request_id={uuid}',
        "proxied {verb} {path} to user in {ms}ms status={status} bytes={bytes}",
        "proxied POST /api/v1/payments to payment in {ms}ms status=201 bytes={bytes}",
        "rate limit for {user}: {count} of 400 requests in this minute",
        "upgraded connection from {ip}:{port} to HTTP/2",
    ),
    Level.DEBUG: (
        "route matched path={path} upstream=user-{worker} weight={few}",
        "request headers request_id={uuid} authorization=Bearer {token}",
        "upstream auth-{worker} connection reused age={seconds}s idle={few}",
        "response compressed from {bytes} to {count} bytes encoding=gzip",
    ),
    Level.WARN: (
        "slow upstream: {verb} {path} took {long_ms}ms request_id={uuid}",
        "client {ip}:{port} closed the connection before the response was sent",
        "retrying {verb} {path} on another upstream, attempt {few}",
    ),
}

AUTH: Lines = {
    Level.INFO: (
        "Token issued for user {user} jti={jti} expires_in=3600s",
        "Token verified sub={user} jti={jti} in {ms}ms",
        "Login succeeded for {user} from {ip} mfa=totp",
        "Session {uuid} refreshed for {user}",
        "Permission check {user} resource={path} action={verb} allowed=true",
    ),
    Level.DEBUG: (
        "JWKS cache hit kid={jti} age={seconds}s",
        "Password hash verified for {user} in {ms}ms rounds=12",
        "Loaded {few} roles for {user} from database in {ms}ms",
        "HikariPool-1 - Pool stats (total=20, active={few}, idle=14, waiting=0)",
    ),
    Level.WARN: (
        "Login failed for {user} from {ip}: wrong password, attempt {few}",
        "Clock skew of {seconds}s in token jti={jti}, accepted",
        "Signing key {jti} expires in {few} days",
    ),
}

DATABASE: Lines = {
    Level.INFO: (
        "duration: {ms}.{count} ms  statement: {sql}",
        "connection authorized: user=payment database=shop application_name=hikari host={ip} port={port}",
        "connection received: host={ip} port={port}",
        "checkpoint complete: wrote {count} buffers; {few} WAL files added; write={seconds}.1 s, sync=0.0{few} s",
        "disconnection: session time: 0:{seconds}:01.{count} user=user database=shop host={ip} port={port}",
        'automatic vacuum of table "shop.public.{table}": removed {rows} tuples, {many} remain',
    ),
    Level.DEBUG: (
        "parse <unnamed>: {sql}",
        "bind S_{count} to S_{count}: $1 = '{user}'",
        "autovacuum: processing database shop, worker {worker}",
        "index scan on {table}_pkey: {rows} rows in {ms} ms",
    ),
    Level.WARN: (
        "there is no transaction in progress",
        "temporary file: path base/pgsql_tmp/pgsql_tmp{pid}.{few}, size {many}",
        "checkpoints are occurring too frequently ({seconds} seconds apart)",
    ),
}

PAYMENT: Lines = {
    Level.INFO: (
        "Charge {charge} authorised order={order} amount={amount} {currency} in {ms}ms",
        "Payment captured order={order} charge={charge} card={card}",
        "Order {order} created by {user} total={amount} {currency} items={few}",
        "Refund of {amount} {currency} for order {order} settled",
        "Receipt for order {order} handed to notification, message {uuid}",
        "Ledger balanced: {count} entries, difference 0.00 {currency}",
    ),
    Level.DEBUG: (
        "Idempotency key {uuid} not seen before, order={order}",
        "Fraud score for {user}: 0.{count} in {ms}ms",
        "HikariPool-1 - Pool stats (total=40, active={worker}, idle=28, waiting=0)",
        "Acquirer request {uuid} serialised, {bytes} bytes",
    ),
    Level.WARN: (
        "Acquirer answered slowly: {long_ms}ms for charge {charge}",
        "Charge {charge} declined by issuer: insufficient_funds",
        "Order {order} retried, attempt {few}",
    ),
}

NOTIFICATION: Lines = {
    Level.INFO: (
        "sent {channel} to {email} template=receipt message={uuid} in {ms}ms",
        "delivered {channel} message={uuid} provider=relay-{few}",
        "consumed batch of {few} from queue receipts lag={ms}ms",
        "{user} opened message {uuid}",
        "digest for {user} scheduled in {seconds} minutes",
    ),
    Level.DEBUG: (
        "rendered template receipt for {user} in {ms}ms ({bytes} bytes)",
        "ack queue=receipts delivery={count}",
        "looked up address of {user} in {ms}ms",
        "heap {count} MB of 512 MB, event loop lag {few}ms",
    ),
    Level.WARN: (
        "relay-{few} deferred message {uuid}: greylisted",
        "{email} bounced once, kept",
        "template receipt has no translation for locale of {user}",
    ),
}

USER: Lines = {
    Level.INFO: (
        "GET /internal/users/{user} 200 {ms}ms",
        "profile of {user} loaded in {ms}ms fields={few}",
        "profile of {user} updated: address, phone",
        "{user} registered with {email}",
        "cache hit ratio 0.{percent} over the last {count} lookups",
    ),
    Level.DEBUG: (
        "cache miss user={user}, asking database",
        "sqlalchemy.engine {sql}",
        "validated payload of {bytes} bytes for {user}",
        "token of {user} checked by auth in {ms}ms",
    ),
    Level.WARN: (
        "profile of {user} has no phone number",
        "cache write took {long_ms}ms",
        "{user} changed address {few} times today",
    ),
}

ANALYTICS: Lines = {
    Level.INFO: (
        "job {job} shard={shard} finished in {seconds}s rows={many}",
        "ingested {count} events from topic clicks partition={shard} offset={many}",
        "report daily for {user} built in {long_ms}ms",
        "wrote partition {shard} of table {table} rows={many}",
        "job {job} scheduled on worker-{worker}",
    ),
    Level.DEBUG: (
        "aggregating {table} by country: {rows} groups",
        "checkpoint of {job} at offset {many}",
        "spilled {count} MB of {job} to disk",
        "planned {sql} in {ms}ms",
    ),
    Level.WARN: (
        "job {job} is late by {seconds}s",
        "skipped {few} events without a user",
        "worker-{worker} uses {percent} percent of its memory",
    ),
}

LINES: Mapping[str, Lines] = {
    "api-gateway": GATEWAY,
    "auth": AUTH,
    "database": DATABASE,
    "payment": PAYMENT,
    "notification": NOTIFICATION,
    "user": USER,
    "analytics": ANALYTICS,
}
