"""Files of settings in many formats, and what a past fix makes of each: read by the tests of settings."""

from __future__ import annotations

from typing import NamedTuple


class SettingCase(NamedTuple):
    """A file, what was set once, and the one stretch of the file that changes."""

    path: str
    text: str
    config: str
    old: str
    new: str

    @property
    def after(self) -> str:
        """The file as it has to be."""
        assert self.text.count(self.old) == 1, self.old
        return self.text.replace(self.old, self.new)


ENV = """# Redis
export REDIS_URL="redis://cache:6379/0"
REDIS_MAX_CONNECTIONS=50   # per process
REDIS_TIMEOUT_MS='30000'
WORKER_FLAGS="--workers=4 --timeout=30"
FEATURE_NEW_CHECKOUT=on
LOG_LEVEL=info
"""
UNIT = """[Unit]
Description=Checkout

[Service]
Environment="POOL_SIZE=50" "LOG=info"
Environment=RETRIES=5
LimitNOFILE=1024
ExecStart=/srv/checkout --workers=4
"""
COMPOSE_MAP = """x-shared: &shared
  restart: always
services:
  web:
    <<: *shared
    image: shop/web:1.4   # pinned
    environment:
      POOL_SIZE: "50"
      TIMEOUT: 30s
      CACHE: ${CACHE:-on}
      QUEUE_MAX: ${QUEUE_MAX:-100}
    deploy:
      resources:
        limits: { cpus: "0.5", memory: 256M }
"""
COMPOSE_LIST = """services:
  worker:
    command: ["celery", "--concurrency=8"]
    environment:
      - POOL_SIZE=50
      - "RETRIES=5"  # quoted
      - 'MODE=fast'
    healthcheck:
      interval: 30s
"""
DOCKERFILE = """FROM python:3.11
# ENV POOL_SIZE=10
ENV POOL_SIZE=50 LOG="info"
ENV WORKERS 4
CMD ["gunicorn", "--timeout=30", "app"]
"""
DEPLOYMENT = """apiVersion: apps/v1
kind: Deployment
metadata:
  name: checkout
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: checkout
        image: shop/checkout:7
        args: ["--pool=50", "-v"]
        env:
        - name: POOL_SIZE
          value: "50"  # per pod
        - name: JAVA_OPTS
          value: "-Xms256m -Xmx512m -XX:MaxMetaspaceSize=128m"
        - name: SECRET
          valueFrom:
            secretKeyRef: {name: s, key: k}
        resources:
          requests:
            cpu: 250m
            memory: 256Mi
          limits:
            memory: 512Mi
        livenessProbe:
          httpGet: { path: /alive, port: 8443 }
          timeoutSeconds: 1
          periodSeconds: 5
"""
CONFIG_MAP = """apiVersion: v1
kind: ConfigMap
metadata: {name: checkout}
data:
  POOL_SIZE: "50"
  application.properties: |
    # the pool
    spring.datasource.hikari.maximum-pool-size=10
    server.shutdown=immediate
  app.yaml: |
    http:
      timeout: 5s
"""
HELM = """# values for the chart
replicaCount: 2
{{- if .Values.extra }}
extra: {{ .Values.extra }}
{{- end }}
resources:
  limits:
    memory: 512Mi   # was 256
redis:
  pool: {max_connections: 50, min_idle: 5}
"""
SPRING = """spring:
  datasource:
    hikari:
      maximum-pool-size: 10
      connection-timeout: 30000
server:
  shutdown: 'immediate'
"""
TOML = """title = "shop"

[database]
pool_size = 50          # per process
timeout = "30s"
url = 'postgres://db/shop'
limits = { connections = 20, idle = 5 }

[database.replica]
pool_size = 10

[[worker]]
name = "mail"
retries = 3
"""
JSON = """{
  "server": {
    "port": 8080,
    "timeoutMs": 30000,
    "tls": false
  },
  "database": {"pool": {"max": 50, "min": 5}},
  "environment": [{"name": "POOL_SIZE", "value": "50"}]
}
"""
JSONC = """{
  // the pool
  "pool": {
    "max": 50, /* per process */
    "idle": "30s" // seconds
  }
}
"""
INI = """; pgbouncer
[databases]
shop = host=db dbname=shop

[pgbouncer]
pool_mode = session
default_pool_size = 20   ; per user and database
max_client_conn = 100
"""
PROPERTIES = """# generated
spring.datasource.hikari.maximum-pool-size=10
server.shutdown=immediate
spring.ssl.bundle.jks.web.reload-on-update: false
"""
POSTGRES = """max_connections = 200			# (change requires restart)
#lock_timeout = 0
lock_timeout = '10s'
idle_in_transaction_session_timeout = 0
shared_buffers = 128MB
"""
PYTHON = """import os

POOL_SIZE = 50  # per process
TIMEOUT: float = 30.0
RETRIES = int(os.environ.get("RETRIES", "5"))
pool = ConnectionPool(max_connections=50, decode=True)
CACHES = {"timeout_s": 300, 'prefix': 'shop'}
"""
SCRIPT = """export const poolSize = 50; // per process
export const retries = process.env.RETRIES || 5;
module.exports = {
  pool: { max: 50, idleTimeoutMillis: 30000 },
  verbose: false,
};
"""

REDIS = """# memory
maxmemory 512mb
maxmemory-policy allkeys-lru   # evicts
timeout 300
save 900 1
"""
NGINX = """events {
    worker_connections 1024;  # per worker
}
http {
    keepalive_timeout 65s;
}
"""

CASES: tuple[SettingCase, ...] = tuple(
    SettingCase(*row)
    for row in (
        (".env", ENV, "REDIS_MAX_CONNECTIONS=20", "CONNECTIONS=50", "CONNECTIONS=20"),
        (".env", ENV, 'export REDIS_MAX_CONNECTIONS="20"', "CONNECTIONS=50", "CONNECTIONS=20"),
        (".env.production", ENV, "redis.max_connections = 20", "CONNECTIONS=50", "CONNECTIONS=20"),
        (".env", ENV, "redis:\n  maxConnections: 20\n", "CONNECTIONS=50", "CONNECTIONS=20"),
        (".env", ENV, "REDIS_TIMEOUT_MS=5000", "'30000'", "'5000'"),
        (".env", ENV, "REDIS_TIMEOUT_MS=5s", "'30000'", "'5000'"),
        (".env", ENV, "REDIS_URL=redis://cache-b:6379/0", "redis://cache:6379/0", "redis://cache-b:6379/0"),
        (".env", ENV, "--workers=8", "--workers=4", "--workers=8"),
        (".env", ENV, "FEATURE_NEW_CHECKOUT=false", "CHECKOUT=on", "CHECKOUT=off"),
        (".env", ENV, "LOG_LEVEL='a b'", "=info", '="a b"'),
        (".env", ENV, "-REDIS_MAX_CONNECTIONS=50\n+REDIS_MAX_CONNECTIONS=20", "=50 ", "=20 "),
        (".env", ENV, "set REDIS_MAX_CONNECTIONS to 20", "CONNECTIONS=50", "CONNECTIONS=20"),
        ("deploy/checkout.service", UNIT, "POOL_SIZE=20", "POOL_SIZE=50", "POOL_SIZE=20"),
        ("deploy/checkout.service", UNIT, "RETRIES=2", "RETRIES=5", "RETRIES=2"),
        ("deploy/checkout.service", UNIT, "[Service]\nLimitNOFILE=65536", "NOFILE=1024", "NOFILE=65536"),
        ("deploy/checkout.service", UNIT, "--workers=2", "--workers=4", "--workers=2"),
        ("compose.yaml", COMPOSE_MAP, "POOL_SIZE=20", '"50"', '"20"'),
        ("compose.yaml", COMPOSE_MAP, "environment:\n  TIMEOUT: 60s", "30s", "60s"),
        ("compose.yaml", COMPOSE_MAP, "environment:\n  TIMEOUT: 1500ms", "30s", "1500ms"),
        ("compose.yaml", COMPOSE_MAP, "environment:\n  CACHE: off", ":-on}", ":-off}"),
        ("compose.yaml", COMPOSE_MAP, "QUEUE_MAX=40", ":-100}", ":-40}"),
        ("compose.yaml", COMPOSE_MAP, "limits: { memory: 512M }", "256M", "512M"),
        ("compose.yaml", COMPOSE_MAP, "limits:\n  cpus: '2'", '"0.5"', '"2"'),
        ("docker-compose.yml", COMPOSE_LIST, "POOL_SIZE=20", "POOL_SIZE=50", "POOL_SIZE=20"),
        ("docker-compose.yml", COMPOSE_LIST, "RETRIES=2", "RETRIES=5", "RETRIES=2"),
        ("docker-compose.yml", COMPOSE_LIST, "environment:\n  - MODE=safe", "MODE=fast", "MODE=safe"),
        ("docker-compose.yml", COMPOSE_LIST, "healthcheck: {interval: 10s}", "30s", "10s"),
        ("docker-compose.yml", COMPOSE_LIST, "--concurrency=2", "--concurrency=8", "--concurrency=2"),
        ("Dockerfile", DOCKERFILE, "ENV POOL_SIZE=20", "ENV POOL_SIZE=50", "ENV POOL_SIZE=20"),
        ("docker/web.dockerfile", DOCKERFILE, "WORKERS=2", "WORKERS 4", "WORKERS 2"),
        ("Dockerfile", DOCKERFILE, "--timeout=60", "--timeout=30", "--timeout=60"),
        ("k8s/checkout.yaml", DEPLOYMENT, "POOL_SIZE=20", '"50"', '"20"'),
        ("k8s/checkout.yaml", DEPLOYMENT, 'env:\n- name: POOL_SIZE\n  value: "20"', '"50"', '"20"'),
        ("k8s/checkout.yaml", DEPLOYMENT, "-Xmx1g", "-Xmx512m", "-Xmx1g"),
        ("k8s/checkout.yaml", DEPLOYMENT, "-XX:MaxMetaspaceSize=256m", "Size=128m", "Size=256m"),
        ("k8s/checkout.yaml", DEPLOYMENT, "--pool=20", "--pool=50", "--pool=20"),
        ("k8s/checkout.yaml", DEPLOYMENT, "resources: {limits: {memory: 1Gi}}", "512Mi", "1Gi"),
        ("k8s/checkout.yaml", DEPLOYMENT, "resources:\n  requests:\n    cpu: 1", "250m", "1000m"),
        ("k8s/checkout.yaml", DEPLOYMENT, "spec:\n  replicas: 6", "replicas: 3", "replicas: 6"),
        (
            "k8s/checkout.yaml",
            DEPLOYMENT,
            "livenessProbe: { timeoutSeconds: 5 }",
            "timeoutSeconds: 1",
            "timeoutSeconds: 5",
        ),
        (
            "k8s/checkout.yaml",
            DEPLOYMENT,
            "kind: Deployment\nmetadata: {name: checkout}\nspec: {replicas: 6}",
            "replicas: 3",
            "replicas: 6",
        ),
        ("k8s/config.yaml", CONFIG_MAP, "POOL_SIZE: '20'", '"50"', '"20"'),
        (
            "k8s/config.yaml",
            CONFIG_MAP,
            "spring.datasource.hikari.maximum-pool-size=30",
            "pool-size=10",
            "pool-size=30",
        ),
        ("k8s/config.yaml", CONFIG_MAP, "server.shutdown=graceful", "=immediate", "=graceful"),
        ("k8s/config.yaml", CONFIG_MAP, "http: { timeout: 9s }", "timeout: 5s", "timeout: 9s"),
        ("chart/values.yaml", HELM, "resources:\n  limits:\n    memory: 1024Mi", "512Mi", "1024Mi"),
        ("chart/values.yaml", HELM, "redis.pool.max_connections=20", "max_connections: 50", "max_connections: 20"),
        ("chart/values.yaml", HELM, "replicaCount: 4", "replicaCount: 2", "replicaCount: 4"),
        (
            "chart/values.yaml",
            HELM,
            "spec: {template: {spec: {containers: [{name: a, resources: {limits: {memory: 1Gi}}}]}}}",
            "512Mi",
            "1Gi",
        ),
        (
            "src/main/resources/application.yml",
            SPRING,
            "spring.datasource.hikari.maximum-pool-size=30",
            "size: 10",
            "size: 30",
        ),
        ("application.yml", SPRING, "SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE=30", "size: 10", "size: 30"),
        ("application.yml", SPRING, "server.shutdown=graceful", "'immediate'", "'graceful'"),
        ("config.toml", TOML, "[database]\npool_size = 20", "pool_size = 50", "pool_size = 20"),
        ("config.toml", TOML, "[database]\ntimeout = '10s'", '"30s"', '"10s"'),
        ("config.toml", TOML, "database.limits.connections = 40", "connections = 20", "connections = 40"),
        ("config.toml", TOML, "[database.replica]\npool_size = 30", "pool_size = 10", "pool_size = 30"),
        ("config.toml", TOML, "worker.mail.retries = 1", "retries = 3", "retries = 1"),
        ("appsettings.json", JSON, '{"server": {"timeoutMs": 5000}}', "30000", "5000"),
        ("appsettings.json", JSON, '"server": {"timeoutMs": "5s"}', "30000", "5000"),
        ("appsettings.json", JSON, "server.tls = true", "false", "true"),
        ("appsettings.json", JSON, "database.pool.max=20", '"max": 50', '"max": 20'),
        ("task.json", JSON, "POOL_SIZE=20", '"50"', '"20"'),
        ("settings.jsonc", JSONC, '{"pool": {"max": 20}}', "50", "20"),
        ("settings.jsonc", JSONC, "pool: {idle: 10s}", '"30s"', '"10s"'),
        ("pgbouncer.ini", INI, "[pgbouncer]\npool_mode = transaction", "= session", "= transaction"),
        ("pgbouncer.ini", INI, "default_pool_size = 60", "= 20 ", "= 60 "),
        ("app.properties", PROPERTIES, "spring.datasource.hikari.maximum-pool-size=30", "size=10", "size=30"),
        ("app.properties", PROPERTIES, "spring.ssl.bundle.jks.web.reload-on-update=true", ": false", ": true"),
        ("app.properties", PROPERTIES, "server:\n  shutdown: graceful", "=immediate", "=graceful"),
        ("db/postgresql.conf", POSTGRES, "SET lock_timeout = '2s';", "'10s'", "'2s'"),
        ("db/postgresql.conf", POSTGRES, "ALTER SYSTEM SET max_connections TO 400", "= 200", "= 400"),
        ("db/postgresql.conf", POSTGRES, "shared_buffers = 256MB", "128MB", "256MB"),
        ("redis/redis.conf", REDIS, "maxmemory-policy noeviction", "allkeys-lru", "noeviction"),
        ("redis/redis.conf", REDIS, "timeout 0\n", "timeout 300", "timeout 0"),
        ("redis/redis.conf", REDIS, "maxmemory 1gb", "512mb", "1gb"),
        ("nginx/nginx.conf", NGINX, "worker_connections 4096;", "1024;", "4096;"),
        (".env", ENV, "WORKER_FLAGS=--workers=8", "--workers=4", "--workers=8"),
        ("shop/settings.py", PYTHON, "POOL_SIZE=20", "POOL_SIZE = 50", "POOL_SIZE = 20"),
        ("shop/settings.py", PYTHON, "RETRIES=2", '"5"', '"2"'),
        ("shop/settings.py", PYTHON, "max_connections=20", "max_connections=50", "max_connections=20"),
        ("shop/settings.py", PYTHON, "timeout_s: 60s", "300", "60"),
        ("web/config.ts", SCRIPT, "poolSize: 20", "poolSize = 50", "poolSize = 20"),
        ("web/config.js", SCRIPT, "RETRIES=2", "|| 5", "|| 2"),
        ("web/config.js", SCRIPT, "idleTimeoutMillis: 10s", "30000", "10000"),
    )
)
