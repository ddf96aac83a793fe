"""Which frames are the application's own. Everything else is a library's, a framework's or the runtime's.

The rules look at where packages are installed and at the names that languages and big frameworks keep for themselves.
A team's own package may look like one of those; then a fingerprint falls back on all frames, and nothing is lost.
"""

from __future__ import annotations

import re

_PYTHON = re.compile(
    r"(?:^|[/\\])(?:site-packages|dist-packages|lib[/\\]python\d[\d.]*|python\d\d+[/\\]lib|\.pyenv)(?:[/\\]|$)"
    r"|^<frozen |^<(?:string|stdin|__array_function__ internals)>|[/\\]Lib[/\\](?:asyncio|threading|concurrent)",
    re.IGNORECASE,
)
_JVM = re.compile(
    r"(?:java|javax|jakarta|jdk|sun|com\.sun|kotlin|kotlinx|scala|groovy|clojure|android|androidx|dalvik|libcore"
    r"|com\.android\.internal|org\.codehaus\.groovy|org\.springframework|org\.apache|org\.hibernate|org\.eclipse"
    r"|org\.jboss|io\.undertow|io\.netty|reactor|io\.reactivex|rx|akka|play|io\.vertx|io\.micronaut|io\.quarkus"
    r"|com\.zaxxer\.hikari|com\.fasterxml|com\.google\.common|com\.google\.gson|io\.grpc|okhttp3|retrofit2|okio"
    r"|org\.postgresql|com\.mysql|oracle\.jdbc|com\.microsoft\.sqlserver|org\.junit|junit|org\.testng|org\.mockito"
    r"|org\.gradle|com\.code_intelligence\.jazzer|org\.slf4j|ch\.qos\.logback|redis\.clients|io\.lettuce|com\.mongodb"
    r"|feign|com\.netflix|org\.aspectj|net\.sf\.cglib|javassist|net\.bytebuddy)\."
)
_JAVASCRIPT = re.compile(
    r"(?:^|[/\\])(?:node_modules|bower_components|\.yarn|\.pnpm)[/\\]|^node:|^internal[/\\]|^(?:native|webpack/bootstrap)"
    r"|^\[native code\]|^(?:bootstrap_node|timers|events|module|_stream\w*|_http\w*|net|dns|fs)\.js$|^<anonymous>$"
    r"|^(?:chrome|moz|safari)(?:-web)?-extension:"
)
_GO_PATH = re.compile(r"/pkg/mod/|/vendor/|/go/src/(?:runtime|net|encoding|internal|vendor)/|/goroot/|/libexec/src/")
_RUBY = re.compile(
    r"[/\\](?:gems|bundler|rubygems)[/\\]|[/\\]lib[/\\]ruby[/\\]|^<internal:|[/\\]\.rbenv[/\\]|[/\\]\.rvm[/\\]"
    r"|^\(eval|^-e$|[/\\]bin[/\\](?:rails|rake|bundle|puma|unicorn|sidekiq|rspec)$"
)
_DOTNET = re.compile(
    r"(?:System|Microsoft|Windows|MS|Mono|Newtonsoft|Npgsql|MySqlConnector|Dapper|StackExchange|Polly|Serilog|NLog|Grpc"
    r"|MassTransit|MediatR|AutoMapper|Autofac|Castle|NUnit|Xunit|Hangfire|RabbitMQ|Confluent|Azure|Amazon|Google)\."
    r"|(?:lambda_method|InvokeStub_|DynamicClass\.)"
)
_RUST = re.compile(
    r"^<?(?:std|core|alloc|proc_macro|test|tokio|futures(?:_\w+)?|hyper|tower|axum|actix\w*|rayon(?:_core)?|serde\w*"
    r"|anyhow|eyre|color_eyre|tracing\w*|crossbeam\w*|parking_lot\w*|backtrace|panic_unwind|rustc\w*|tonic|mio|reqwest)::"
    r"|^<?(?:&?(?:mut )?)?(?:alloc|core|std)::|^(?:rust_begin_unwind|rust_panic|__rust_\w+|_?main|__libc_\w+|_start)$"
    r"|^(?:clone3?|start_thread|__GI_\w+)$"
)
_RUST_PATH = re.compile(r"/rustc/|[/\\]\.cargo[/\\](?:registry|git)[/\\]|rustlib[/\\]|[/\\]toolchains[/\\]")
_PHP = re.compile(r"[/\\]vendor[/\\]|[/\\](?:usr[/\\]share[/\\]php|pear)[/\\]|[/\\]wp-(?:includes|admin)[/\\]")
_NATIVE = re.compile(r"^(?:std::|boost::|absl::|__gnu_cxx::|__cxxabiv1::|folly::|tbb::|fmt::|void std::|bool std::)")
_NATIVE_PATH = re.compile(
    r"/include/c\+\+/|/libcxx/include/|/libc\+\+/|/usr/(?:local/)?include/|/bits/\w+\.h|/glibc-|/eglibc-|/libc/|sysdeps/"
    r"|^(?:csu|nptl|stdlib|libio|sysdeps|bionic)/|/bionic/|/musl/|\\vctools\\|\\ucrt\\|\\minkernel\\"
)
_NATIVE_MODULE = re.compile(
    r"(?:^|[/\\<])(?:lib(?:c|m|dl|rt|pthread|gcc_s|stdc\+\+|c\+\+(?:abi)?|unwind|clang_rt[\w.-]*|asan|msan|tsan|ubsan)"
    r"(?:-[\d.]+)?\.(?:so|dylib)|ld-(?:linux|musl|\d)[\w.-]*\.so|linux-(?:gate|vdso)\.so|\[?vdso\]?|\[vsyscall\]"
    r"|libsystem_[\w.]+dylib|libdyld\.dylib|dyld$|ntdll|kernel(?:32|base)|ucrtbase|msvcrt|vcruntime\w*|user32)",
    re.IGNORECASE,
)


def python(file: str) -> bool:
    """Whether a Python frame is the application's, by its file."""
    return _PYTHON.search(file) is None


def jvm(function: str) -> bool:
    """Whether a Java, Kotlin or Scala frame is the application's, by its class."""
    return _JVM.match(function) is None


def javascript(file: str) -> bool:
    """Whether a JavaScript frame is the application's, by its file."""
    return bool(file) and _JAVASCRIPT.search(file) is None


def go(function: str, file: str) -> bool:
    """Whether a Go frame is the application's: packages without a domain are the language's own, except main."""
    package = function.partition("(")[0]
    first, slash, _ = package.partition("/")
    own = first.startswith("main.") if not slash else "." in first
    if not slash and not own:
        # A single-word package is the library's or a module of one word; its file tells them apart.
        own = bool(file) and re.search(r"/go(?:root)?(?:-?[\d.]+)?/src/|/libexec/src/", file) is None and "/" in file
    return own and _GO_PATH.search(file) is None


def ruby(file: str) -> bool:
    """Whether a Ruby frame is the application's, by its file."""
    return _RUBY.search(file) is None


def dotnet(function: str) -> bool:
    """Whether a .NET frame is the application's, by its namespace."""
    return _DOTNET.match(function) is None


def rust(function: str, file: str) -> bool:
    """Whether a Rust frame is the application's, by its crate and its file."""
    return _RUST.search(function) is None and _RUST_PATH.search(file) is None


def php(file: str) -> bool:
    """Whether a PHP frame is the application's, by its file."""
    return bool(file) and _PHP.search(file) is None


def native(function: str, file: str, module: str) -> bool:
    """Whether a native frame is the application's: not the C or C++ library's by name, header or binary."""
    if _NATIVE.match(function) or _NATIVE_PATH.search(file):
        return False
    return _NATIVE_MODULE.search(module) is None
