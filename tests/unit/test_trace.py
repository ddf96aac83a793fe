"""Stack traces found in log text: what surrounds them, what is missing from them, and what only looks like one."""

from __future__ import annotations

import pytest

from hindcast.ingest.trace import TraceLimits, parse, parse_all
from hindcast.model.trace import Language, Relation, Trace

PYTHON = """Traceback (most recent call last):
  File "/srv/app/charge.py", line 12, in charge
    pool.take()
  File "/srv/app/pool.py", line 7, in take
    raise Empty("none left")
app.Empty: none left"""

JAVA = """java.lang.IllegalStateException: closed
\tat com.acme.Pool.take(Pool.java:31)
\tat com.acme.Charge.run(Charge.java:12)"""

NODE = """Error: none left
    at take (/srv/app/pool.js:7:3)
    at charge (/srv/app/charge.js:12:1)"""

GO = """panic: none left

goroutine 7 [running]:
main.take(0x1)
\t/src/app/pool.go:7 +0x1d
main.main()
\t/src/app/main.go:12 +0x2a"""


def functions(trace: Trace | None, at: int = 0) -> list[str]:
    """The functions of one exception, innermost first."""
    assert trace is not None
    return [frame.function for frame in trace.raised[at].frames]


@pytest.mark.parametrize(
    ("text", "language", "first"),
    [
        (PYTHON, Language.PYTHON, "take"),
        (JAVA, Language.JVM, "com.acme.Pool.take"),
        (NODE, Language.JAVASCRIPT, "take"),
        (GO, Language.GO, "main.take"),
    ],
)
def test_frames_are_innermost_first(text: str, language: Language, first: str) -> None:
    """Whichever way a language prints its stack, the first frame is where it happened."""
    trace = parse(text)

    assert trace is not None
    assert trace.language is language
    assert functions(trace)[0] == first


@pytest.mark.parametrize("text", [PYTHON, JAVA, NODE, GO])
def test_a_trace_is_found_between_other_lines(text: str) -> None:
    """Log lines around a trace change nothing but its place."""
    alone = parse(text)
    among = parse(
        f"2026-03-03 02:14:09 INFO ready\n2026-03-03 02:14:10 ERROR failed\n{text}\n2026-03-03 02:14:11 INFO on"
    )

    assert alone is not None
    assert among is not None
    assert among.raised == alone.raised
    assert among.first_line == alone.first_line + 2


@pytest.mark.parametrize("text", [PYTHON, JAVA, NODE])
@pytest.mark.parametrize("prefix", ["payment-1  | ", "2026-03-03T02:14:09.123Z stderr F "])
def test_what_a_shipper_puts_before_each_line_is_seen_through(text: str, prefix: str) -> None:
    """A prefix on every line, be it a container's name or a time, does not hide a trace."""
    shipped = parse("\n".join(prefix + line for line in text.splitlines()))
    plain = parse(text)

    assert plain is not None
    assert shipped is not None
    assert functions(shipped) == functions(plain)
    assert shipped.raised[0].type == plain.raised[0].type


@pytest.mark.parametrize("text", [PYTHON, JAVA, NODE])
def test_a_trace_folded_into_one_line_is_unfolded(text: str) -> None:
    """JSON's backslash n and rsyslog's #012 are ends of lines."""
    folded = text.replace("\t", "\\t").replace("\n", "\\n")
    escaped = text.replace("\t", "#011").replace("\n", "#012")

    assert functions(parse(folded)) == functions(parse(text))
    assert functions(parse(escaped)) == functions(parse(text))


def test_colours_and_carriage_returns_do_not_matter() -> None:
    """A trace copied from a terminal or from Windows reads like any other."""
    coloured = "\r\n".join(f"\x1b[31m{line}\x1b[0m" for line in JAVA.splitlines())

    assert functions(parse(coloured)) == functions(parse(JAVA))


def test_several_traces_are_found_in_order() -> None:
    """A text with traces of several languages gives all of them, as they stand there."""
    found = parse_all(f"{PYTHON}\n\n{JAVA}\n\n{NODE}\n\n{GO}\n")

    assert [trace.language for trace in found] == [Language.PYTHON, Language.JVM, Language.JAVASCRIPT, Language.GO]


def test_the_trace_that_ended_the_program_counts_before_one_that_was_logged() -> None:
    """Of several traces the fatal one is the trace of the text."""
    later = JAVA.replace("closed", "worse").replace("take", "put")
    trace = parse(f"{JAVA}\nW/App: carried on\nFATAL EXCEPTION: main\n{later}")

    assert functions(trace)[0] == "com.acme.Pool.put"


def test_a_runtimes_own_trace_counts_before_the_abort_that_followed() -> None:
    """A panic is the reason for the signal that a sanitizer then reports."""
    abort = "==1==ERROR: AddressSanitizer: ABRT on unknown address 0x1 (pc 0x2)\n    #0 0x5c1a80 in raise raise.c:149"
    trace = parse(f"{GO}\n{abort}")

    assert trace is not None
    assert trace.language is Language.GO


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   \n\t\n",
        "connection refused at 10.0.0.7:5432",
        "GET /a at 12:30:11 took 3 ms",
        'File "a.txt", line 3 was skipped',
        "#1 in sales, #2 in support",
        "order #12 (0x1f) in state open",
        "retry 3: from cache",
        "Caused by: nobody knows",
        "panic: no goroutine follows",
        "mail to ana@example.org:25:1 bounced",
        "assertion is a word, and so is signal",
        "\x00\xff\ufffe at \ud800 (",
        "at (((((((((((",
    ],
)
def test_what_is_no_trace_is_not_found(text: str) -> None:
    """Words, numbers and places that frames have as well do not make a trace."""
    assert parse(text) is None


@pytest.mark.parametrize("text", [PYTHON, JAVA, NODE, GO])
def test_a_trace_cut_off_anywhere_gives_what_is_left(text: str) -> None:
    """Cutting a trace short never fails, and never invents a frame."""
    whole = set(functions(parse(text)))
    for end in range(len(text)):
        cut = parse(text[:end])
        if cut is not None:
            assert len(functions(cut)) <= len(whole)


def test_a_long_trace_is_bounded() -> None:
    """No more frames, exceptions or traces are kept than the limits say."""
    limits = TraceLimits(frames_max=10, raised_max=3, traces_max=2)
    deep = "Error: deep\n" + "\n".join(f"    at f{n} (/a.js:{n}:1)" for n in range(1, 500))
    caused = JAVA + "".join(f"\nCaused by: a.B{n}Exception: x\n\tat a.C.m{n}(C.java:1)" for n in range(50))

    assert len(functions(parse(deep, limits))) == 10
    cut = parse(caused, limits)
    assert cut is not None
    assert len(cut.raised) == 3
    assert len(parse_all("\n\n".join([PYTHON] * 5), limits)) == 2


def test_a_text_beyond_its_limit_is_read_up_to_there() -> None:
    """What lies beyond the limit of characters is left out."""
    filler = "x" * 900

    assert parse(f"{filler}\n{JAVA}", TraceLimits(chars_max=500)) is None
    assert parse(f"{filler}\n{JAVA}", TraceLimits(chars_max=5_000)) is not None


def test_python_chains_go_from_the_last_to_the_first() -> None:
    """The exception that reached the log comes first, and each further one says how it led there."""
    first = PYTHON.replace("app.Empty: none left", "KeyError: 'a'")
    text = f"{first}\n\nDuring handling of the above exception, another exception occurred:\n\n{PYTHON}"
    trace = parse(text)

    assert trace is not None
    assert [(one.type, one.relation) for one in trace.raised] == [
        ("app.Empty", Relation.RAISED),
        ("KeyError", Relation.DURING),
    ]


def test_an_exception_printed_above_its_traceback_names_it() -> None:
    """Some tools print the name first; it belongs to the traceback below."""
    trace = parse('ValueError: too short\nTraceback (most recent call last):\n  File "a.py", line 1, in f\nINFO: on')

    assert trace is not None
    assert trace.raised[0].type == "ValueError"


def test_java_modules_and_jars_are_no_part_of_a_name() -> None:
    """`app//`, `java.base/` and what stands in brackets behind a frame are left out."""
    trace = parse(
        "a.b.CException: x\n\tat app//a.b.C.m(C.java:1) ~[c.jar:1.2]\n"
        "\tat java.base@17.0.1/java.util.List.of(List.java:9)"
    )

    assert functions(trace) == ["a.b.C.m", "java.util.List.of"]


def test_dotnet_inner_exceptions_keep_their_own_frames() -> None:
    """Frames above an end-of-inner line belong to the inner exception, those below to the outer one."""
    trace = parse(
        "System.Exception: outer\n ---> System.IO.IOException: inner\n   at A.B.Inner() in /a.cs:line 3\n"
        "   --- End of inner exception stack trace ---\n   at A.B.Outer(String name)"
    )

    assert functions(trace, 0) == ["A.B.Outer"]
    assert functions(trace, 1) == ["A.B.Inner"]


def test_go_frames_above_the_call_of_panic_are_left_out() -> None:
    """Deferred functions ran because of the panic; the way to it begins below."""
    text = GO.replace(
        "main.take(0x1)",
        "main.recover.func1()\n\t/src/r.go:1 +0x1\npanic({0x1, 0x2})\n\t/go/p.go:2 +0x1\nmain.take(0x1)",
    )

    assert functions(parse(text)) == ["panic", "main.take", "main.main"]


def test_the_other_goroutines_are_threads() -> None:
    """Only the goroutine that panicked is the stack of the failure."""
    trace = parse(f"{GO}\n\ngoroutine 9 [select, 2 minutes]:\nmain.wait()\n\t/src/app/wait.go:3 +0x1\n")

    assert trace is not None
    assert [thread.name for thread in trace.threads] == ["goroutine 9 [select, 2 minutes]"]


def test_where_memory_was_freed_is_not_where_it_was_misused() -> None:
    """The stack of a use after free is the use; where it was freed stays beside it."""
    trace = parse(
        "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x60f0 at pc 0x7e\n"
        "    #0 0x7efd4a2a3e02 in use() a.cc:1:1\nfreed by thread T0 here:\n"
        "    #0 0x7efd42e32fdb in free_it() b.cc:1:1\n"
    )

    assert functions(trace) == ["use"]
    assert trace is not None
    assert [frame.function for frame in trace.threads[0].frames] == ["free_it"]


@pytest.mark.parametrize(
    ("line", "function"),
    [
        (
            "    #1 0x4f6b78 in a::(anonymous namespace)::B<int, c::D>::run(int) const src/b.cc:76:7",
            "a::B<int, c::D>::run",
        ),
        ("    #1 0x4f6b78 in operator new(unsigned long) new.cc:3", "operator new"),
        ("    #1 0x4f6b78 in a::F::operator()(int) a.cc:3", "a::F::operator()"),
        ("    #1 0x4f6b78 in non-virtual thunk to a::F::run() a.cc:3", "a::F::run"),
        ("#1  0x00005581d0a01b2e in parse (buffer=0x0, n=4096) at src/parse.c:118", "parse"),
        ("#1  parse (buffer=0x0) at src/parse.c:118", "parse"),
        ("    #01 pc 000012f4  /system/lib/libfoo.so (foo::bar(int)+12)", "foo::bar"),
        ("[   71.2] [<c00911c4>] (worker_thread+0x1a0/0x3bc) from [<c0095e60>] (kthread+0x84/0x94)", "worker_thread"),
        ("0915b084 6eefc617 shop!Cart::Total<int>+0x46", "Cart::Total<int>"),
        ("./server(parse_header+0x1b) [0x400b2e]", "parse_header"),
        ("==12==    by 0x400B2E: main (server.c:12)", "main"),
        ("1   Shop  0x0000000105f3c2a0 _ZN4shop4Cart5totalEv + 288", "shop::Cart::total"),
    ],
)
def test_every_way_of_writing_a_native_frame_gives_its_function(line: str, function: str) -> None:
    """Sanitizers, debuggers, kernels and crash reporters write frames each in their way; the function comes out."""
    trace = parse(f"Program received signal SIGSEGV, Segmentation fault.\n{line}\n")

    assert functions(trace) == [function]


def test_a_failed_check_keeps_its_condition_without_the_values() -> None:
    """What did not hold is code; the values it failed with are data."""
    trace = parse("[0303/021409:FATAL:src/ledger.cc(130)] Check failed: balance >= 0 (-12 vs. 0)")

    assert trace is not None
    assert (trace.raised[0].asserted, trace.raised[0].asserted_in) == ("balance >= 0", "ledger.cc")


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        ("0x000000422710: note: vtable is of type 'Cash'", "Bad-cast to Card from Cash"),
        ("0x000000422710: note: invalid vtable", "Bad-cast to Card from invalid vptr"),
        ("nothing more", "Bad-cast to Card"),
    ],
)
def test_the_types_of_a_bad_cast_are_kept(note: str, expected: str) -> None:
    """What a value was taken for and what it is are names in the code."""
    said = "src/pay.cc:10:4: runtime error: control flow integrity check for type 'Card' failed during virtual call"
    trace = parse(f"{said} (vtable address 0x000000422710)\n{note}\n    #0 0x4f6b00 in pay src/pay.cc:10:4")

    assert trace is not None
    assert trace.raised[0].asserted == expected


def test_library_frames_are_told_from_the_applications_own() -> None:
    """Installed packages, the language's own library and the runtime are not the application."""
    python = parse(PYTHON.replace("/srv/app/charge.py", "/venv/lib/python3.12/site-packages/celery/app.py"))
    java = parse(JAVA + "\n\tat org.springframework.web.Filter.run(Filter.java:1)")
    node = parse(NODE + "\n    at run (/srv/app/node_modules/express/index.js:1:1)\n    at go (node:internal/x:1:1)")

    for trace, expected in ((python, [True, False]), (java, [True, True, False]), (node, [True, True, False, False])):
        assert trace is not None
        assert [frame.in_app for frame in trace.raised[0].frames] == expected
