"""One trace in each of the many ways that tools print it: its type and its functions come out."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from hindcast.ingest.trace import parse
from hindcast.model.trace import Language


@dataclass(frozen=True)
class Case:
    """A text, and what is found in it."""

    language: Language
    type: str
    functions: tuple[str, ...]
    text: str


CASES = {
    "faulthandler": Case(
        Language.PYTHON,
        "Fatal Python error",
        ("parse", "<module>"),
        """\
Fatal Python error: Segmentation fault

Current thread 0x00007f3c2d7fe740 (most recent call first):
  File "/srv/a.py", line 3 in parse
  File "/srv/b.py", line 9 in <module>
""",
    ),
    "lldb": Case(
        Language.NATIVE,
        "SIGSEGV",
        ("parse", "main"),
        """\
* thread #1, stop reason = signal SIGSEGV
Program received signal SIGSEGV
    frame #0: 0x0000000100000f50 server`parse(buffer=0x0) at parse.c:3:5
    frame #1: 0x0000000100000f90 server`main at main.c:9:5
""",
    ),
    "glog": Case(
        Language.NATIVE,
        "check failed",
        ("ledger::Book::post", "ledger::replay"),
        """\
F0303 02:14:09.775753  384244 ledger.cc:130] Check failed: balance >= 0
    @     0x560e73b80fe2  ledger::Book::post()
    @     0x560e73b80111         48  ledger::replay()
""",
    ),
    "systemd-coredump": Case(
        Language.NATIVE,
        "Segmentation fault",
        ("", "parse_header"),
        """\
Process 411 (server) of user 0 dumped core: Segmentation fault
Segmentation fault
#0  0x00007f2c8c1a2e80 n/a (libc.so.6 + 0x2e80)
#1  0x00005581d0a01b2e parse_header (server + 0x1b2e)
""",
    ),
    "minidump": Case(
        Language.NATIVE,
        "SIGSEGV",
        ("shop::Cart::total", "main"),
        """\
Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
 0  server!shop::Cart::total(int) [cart.cc : 87 + 0x5]
 1  server!main + 0x12
""",
    ),
    "leak": Case(
        Language.NATIVE,
        "detected memory leaks",
        ("malloc", "shop::Cart::add"),
        """\
==9==ERROR: LeakSanitizer: detected memory leaks

Direct leak of 4 byte(s) in 1 object(s) allocated from:
    #0 0x4c1a30 in malloc (/srv/server+0x4c1a30)
    #1 0x4f6b00 in shop::Cart::add(int) /src/cart.cc:31:5
""",
    ),
    "race": Case(
        Language.NATIVE,
        "data race",
        ("shop::count",),
        """\
WARNING: ThreadSanitizer: data race (pid=411)
  Write of size 4 at 0x7b0400000800 by thread T1:
    #0 shop::count(int) /src/count.cc:3:5 (server+0x4f6b00)
  Previous read of size 4 at 0x7b0400000800 by main thread:
    #0 main /src/main.cc:9:5 (server+0x4f6c00)
""",
    ),
    "uninitialised": Case(
        Language.NATIVE,
        "use-of-uninitialized-value",
        ("parse",),
        """\
==9==WARNING: MemorySanitizer: use-of-uninitialized-value
    #0 0x4f6b00 in parse /src/parse.c:31:5

  Uninitialized value was created by a heap allocation
    #0 0x4c1a30 in malloc msan.cc:3:5
""",
    ),
    "undefined": Case(
        Language.NATIVE,
        "signed integer overflow: + cannot be represented in type",
        ("money::add",),
        """\
src/money.cc:12:9: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'
    #0 0x4f6b00 in money::add(int, int) src/money.cc:12:9
""",
    ),
    "thrown": Case(
        Language.NATIVE,
        "std::out_of_range",
        ("raise", "parse"),
        """\
terminate called after throwing an instance of 'std::out_of_range'
  what():  vector::_M_range_check
#0  0x00007f2c8c1a2e80 in raise () from /lib64/libc.so.6
#1  0x00005581d0a01b2e in parse (n=3) at parse.cc:3
""",
    ),
    "rails": Case(
        Language.RUBY,
        "ActiveRecord::RecordNotFound",
        ("locate", "show"),
        """\
F, [2026-03-03] FATAL -- : ActiveRecord::RecordNotFound (Couldn't find Order with 'id'=7):

app/models/order.rb:12:in `locate'
app/controllers/orders_controller.rb:9:in `show'
""",
    ),
    "ruby 3.4": Case(
        Language.RUBY,
        "NoMethodError",
        ("Cart#total", "<main>"),
        """\
app/cart.rb:7:in 'Cart#total': undefined method 'price' for nil (NoMethodError)
\tfrom app/run.rb:3:in '<main>'
""",
    ),
    "laravel": Case(
        Language.PHP,
        "ErrorException",
        ("App\\\\Cart->total", "{main}"),
        """\
[2026-03-03 02:14:09] app.ERROR: x {"exception":"[object] (ErrorException(code: 0): Undefined at /app/Cart.php:12)
[stacktrace]
#0 /app/Http.php(30): App\\\\Cart->total()
#1 {main}
""",
    ),
    "node uncaught": Case(
        Language.JAVASCRIPT,
        "Error",
        ("Object.<anonymous>", "Module._compile"),
        """\
/srv/app.js:10
        throw new Error('x')
        ^

Error: x
    at Object.<anonymous> (/srv/app.js:10:9)
    at Module._compile (node:internal/modules/cjs/loader:1256:14)
""",
    ),
    "deadlock": Case(
        Language.GO,
        "fatal error: all goroutines are asleep - deadlock!",
        ("main.wait", "main.main"),
        """\
fatal error: all goroutines are asleep - deadlock!

goroutine 1 [chan receive]:
main.wait(...)
\t/src/main.go:7
main.main()
\t/src/main.go:12 +0x2a
""",
    ),
    "served": Case(
        Language.GO,
        "panic",
        ("main.serve",),
        """\
2026/03/03 02:14:09 http: panic serving 10.0.0.7:51234: boom
goroutine 34 [running]:
main.serve()
\t/src/main.go:7 +0x1
""",
    ),
    "old rust": Case(
        Language.RUST,
        "assertion failed",
        ("shop::cart::total", "shop::main"),
        """\
thread 'main' panicked at 'assertion failed: total > 0', src/cart.rs:31:14
stack backtrace:
   0: shop::cart::total
             at ./src/cart.rs:31
   1: shop::main
             at ./src/main.rs:3
""",
    ),
    "logcat": Case(
        Language.JVM,
        "java.lang.NullPointerException",
        ("com.acme.Cart.total",),
        """\
03-03 02:14:09.123  4711  4711 E AndroidRuntime: FATAL EXCEPTION: main
03-03 02:14:09.123  4711  4711 E AndroidRuntime: java.lang.NullPointerException: on a null object
03-03 02:14:09.123  4711  4711 E AndroidRuntime: \tat com.acme.Cart.total(Cart.java:12)
""",
    ),
    "tombstone": Case(
        Language.NATIVE,
        "SIGSEGV",
        ("shop::total", "main"),
        """\
signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0
backtrace:
      #00 pc 00000000000012f4  /system/lib64/libshop.so (shop::total(int)+12) (BuildId: 0a1b)
      #01 pc 0000000000001300  /system/lib64/libshop.so (main+40)
""",
    ),
    "azure": Case(
        Language.DOTNET,
        "System.NullReferenceException",
        ("Shop.Cart.get_Total", "Shop.Program.<Main>$"),
        """\
Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.
   at Shop.Cart.get_Total() in C:\\src\\Cart.cs:line 12
   at Shop.Program.<Main>$(String[] args)
""",
    ),
    "dotnet without a head": Case(
        Language.DOTNET,
        "",
        ("Shop.Cart.Total", "Shop.Program.Main"),
        """\
   at Shop.Cart.Total(Int32 id) in /src/Cart.cs:line 12
   at Shop.Program.Main()
""",
    ),
    "logged stack": Case(
        Language.PYTHON,
        "",
        ("charge", "<module>"),
        """\
WARNING:root:slow
Stack (most recent call last):
  File "/srv/run.py", line 3, in <module>
    charge()
  File "/srv/charge.py", line 9, in charge
    log.warning("slow", stack_info=True)
""",
    ),
    "assert on macOS": Case(
        Language.NATIVE,
        "assertion failed",
        ("take",),
        """\
Assertion failed: (n > 0), function take, file pool.c, line 12.
    #0 0x4f6b00 in take pool.c:12:3
""",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_tools_way_of_printing_is_understood(name: str) -> None:
    """The language, the type and the functions are found, innermost first."""
    case = CASES[name]
    trace = parse(case.text)

    assert trace is not None
    assert (trace.language, trace.raised[0].type) == (case.language, case.type)
    assert tuple(frame.function for frame in trace.raised[0].frames) == case.functions
