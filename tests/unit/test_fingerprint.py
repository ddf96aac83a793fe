"""What counts in a fingerprint and what does not, one reason after the other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hindcast.clues import clues_of
from hindcast.ingest.fingerprint import Part, Variant, fingerprint, of_message, of_template, of_trace
from hindcast.ingest.fingerprint.machinery import is_machinery
from hindcast.ingest.fingerprint.names import key_of, name_of
from hindcast.ingest.fingerprint.parameters import parameterised
from hindcast.ingest.trace import parse
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

APP = Frame("com.acme.Pool.take")
LIBRARY = Frame("org.springframework.web.Filter.run", in_app=False)


def trace(*frames: Frame, kind: str = "com.acme.PoolException", message: str = "none left") -> Trace:
    """A Java trace of one exception."""
    return Trace(Language.JVM, (Raised(kind, message, frames),))


def part(made: tuple[Part, ...], value: str) -> Part:
    """The part with a value."""
    return next(one for one in made if one.value == value)


def test_the_type_counts() -> None:
    """The same stack with another exception is another failure."""
    assert of_trace(trace(APP)).id != of_trace(trace(APP, kind="com.acme.OtherException")).id


def test_the_message_counts_only_without_a_stack() -> None:
    """Words are data as long as there are frames, and all there is when there are none."""
    assert of_trace(trace(APP, message="a")).id == of_trace(trace(APP, message="b")).id
    assert of_trace(trace(message="a")).id != of_trace(trace(message="b")).id


DRIVER = Frame("connect", file="/usr/lib/python3/site-packages/psycopg2/__init__.py", in_app=False)


def test_the_message_counts_where_every_frame_is_a_librarys() -> None:
    """A library's function fails in many ways: refused is not too many clients, from whatever address."""
    refused, full = "connection to <ip> refused", "FATAL: sorry, too many clients already"

    assert of_trace(trace(DRIVER, message=refused)).id != of_trace(trace(DRIVER, message=full)).id
    assert of_trace(trace(DRIVER, message=f"{full} 7")).id == of_trace(trace(DRIVER, message=f"{full} 8")).id


@pytest.mark.parametrize(
    "kind",
    [
        "psycopg2.OperationalError",
        "django.db.utils.OperationalError",
        "org.postgresql.util.PSQLException",
        "PDOException",
    ],
)
def test_the_message_counts_where_the_type_passes_on_what_a_server_said(kind: str) -> None:
    """In both keys, so that neither takes a refused connection for one too many."""
    refused, full = (of_trace(trace(APP, DRIVER, kind=kind, message=text)) for text in ("refused", "too many clients"))

    assert {refused.app, refused.system}.isdisjoint({full.app, full.system})


def test_a_failure_in_code_of_ones_own_has_the_number_it_always_had() -> None:
    """What was recorded before words of libraries counted is still found."""
    assert f"{of_trace(trace(APP, LIBRARY)).id:016x}" == "d0d17b691f4bff4a"


def test_a_failure_whose_words_count_keeps_its_earlier_numbers() -> None:
    """A question finds records of when its words did not count; what is recorded now has the new number alone."""
    stack = (
        'Traceback (most recent call last):\n  File "/app/shop.py", line 3, in pay\n    connect()\n'
        "psycopg2.OperationalError: "
    )
    refused, full = (of_trace(found) for words in ("refused", "too many clients") if (found := parse(stack + words)))
    asked, kept = (set(clues_of(f"{stack}refused", earlier=earlier).fingerprints) for earlier in (True, False))

    assert refused.earlier == full.earlier
    assert asked == {refused.id, *refused.earlier}
    assert kept == {refused.id}


def test_a_new_framework_version_changes_the_system_key_alone() -> None:
    """Library frames are left to the second key, so that an upgrade opens no new groups."""
    before = of_trace(trace(APP, LIBRARY))
    after = of_trace(trace(APP, replace(LIBRARY, function="org.springframework.web.NewFilter.run")))

    assert before.id == after.id == before.app
    assert before.system != after.system


def test_without_frames_of_its_own_the_system_key_is_the_fingerprint() -> None:
    """A failure deep in a library is grouped by the library's frames."""
    made = of_trace(trace(LIBRARY))

    assert made.app == 0
    assert made.id == made.system


def test_both_keys_are_explained() -> None:
    """Each part says in which keys it counted, and why."""
    made = of_trace(trace(APP, LIBRARY))

    assert part(made.parts, APP.function).counts == (Variant.APP, Variant.SYSTEM)
    assert part(made.parts, LIBRARY.function).counts == (Variant.SYSTEM,)
    assert "library" in part(made.parts, LIBRARY.function).why
    assert part(made.parts, "none left").counts == ()


def test_suppressed_exceptions_do_not_count() -> None:
    """What went wrong while cleaning up does not make another failure."""
    one = trace(APP)
    two = replace(one, raised=(*one.raised, Raised("java.io.IOException", "x", (APP,), Relation.SUPPRESSED)))

    assert of_trace(one).id == of_trace(two).id


def test_causes_count() -> None:
    """The same wrapper around another cause is another failure."""

    def caused_by(kind: str) -> int:
        chain = (*trace(APP).raised, Raised(kind, "", (APP,), Relation.CAUSE))
        return of_trace(Trace(Language.JVM, chain)).id

    assert caused_by("java.io.IOException") != caused_by("java.sql.SQLException")


def test_how_many_members_a_group_had_does_not_count() -> None:
    """Two tasks failing alike, or twenty, are one failure; the wrapper says nothing."""

    def group(times: int) -> int:
        members = (Raised("TimeoutError", "x", (Frame("fetch", file="f.py"),), Relation.GROUP),) * times
        return of_trace(Trace(Language.PYTHON, (Raised("ExceptionGroup", f"({times} sub-exceptions)"), *members))).id

    assert group(2) == group(20)


def test_a_stack_that_ran_out_is_its_recursion() -> None:
    """Where the stack overflowed is chance: the calls that went round are the failure, wherever it stopped."""

    def overflow(*names: str) -> int:
        frames = tuple(Frame(f"com.acme.Tree.{name}") for name in names)
        return of_trace(trace(*frames, kind="java.lang.StackOverflowError")).id

    ring = ["walk", "visit"] * 20

    assert overflow("log", *ring, "main") == overflow("hash", "equals", "visit", *ring, "start")


def test_an_assertion_counts() -> None:
    """Two checks that fail in one function are two failures."""

    def check(condition: str) -> int:
        raised = Raised("check failed", "x", (Frame("shop::post"),), asserted=condition, asserted_in="ledger.cc")
        return of_trace(Trace(Language.NATIVE, (raised,))).id

    assert check("balance >= 0") != check("entry != nullptr")


def test_a_template_stands_for_its_words() -> None:
    """All lines of a template have one fingerprint, whatever words came first."""
    assert of_template(7, "user ana not found").id == of_template(7, "user bo not found").id
    assert of_template(7, "x").id != of_template(8, "x").id


def test_a_stack_in_its_own_field_counts_before_one_in_the_text() -> None:
    """The field that a sender keeps for the stack is the stack."""
    stack = "a.BException: x\n\tat com.acme.A.b(A.java:1)"
    text = "a.CException: x\n\tat com.acme.C.d(C.java:1)"

    assert fingerprint(text, stack=stack).id == fingerprint("whatever", stack=stack).id
    assert fingerprint(text).id == fingerprint(text, stack="no trace").id


def test_the_empty_message_has_a_fingerprint_too() -> None:
    """Nothing said is a group of its own, with a title."""
    assert of_message("").id == of_message("  \n").id
    assert of_message("").title == "(no message)"


@pytest.mark.parametrize(
    ("language", "one", "two"),
    [
        (Language.JVM, "a.B$$Lambda$14/0x0000000800c8.run", "a.B$$Lambda$99/0x0000000801ff.run"),
        (Language.JVM, "a.B.lambda$go$3", "a.B.lambda$go$11"),
        (Language.JVM, "a.B$1.run", "a.B$2.run"),
        (Language.JVM, "a.B$$EnhancerBySpringCGLIB$$8f1a3c2e.go", "a.B$$EnhancerBySpringCGLIB$$11aa22bb.go"),
        (Language.JVM, "sun.reflect.GeneratedMethodAccessor1.invoke", "sun.reflect.GeneratedMethodAccessor77.invoke"),
        (Language.JVM, "com.sun.proxy.$Proxy12.find", "jdk.proxy2.$Proxy45.find"),
        (Language.GO, "github.com/acme/shop/cart.(*Cart).Total.func1", "cart.(*Cart).Total.func2.1"),
        (Language.GO, "shop.Map[...]", "shop.Map[go.shape.int]"),
        (Language.RUST, "shop::cart::total::h0123456789abcdef", "shop::cart::total::{{closure}}"),
        (Language.RUST, "shop::load::<u8>", "shop::load::<alloc::vec::Vec<u8>>"),
        (Language.DOTNET, "A.B.<PlaceAsync>d__12.MoveNext", "A.B.<PlaceAsync>d__4`1.MoveNext"),
        (Language.DOTNET, "A.B.<>c__DisplayClass4_0.<Place>b__0", "A.B.<>c.<Place>b__9_1"),
        (Language.PHP, "class@anonymous/srv/a.php:12$0->run", "class@anonymous/opt/a.php:99$3->run"),
        (Language.PHP, "Shop\\{closure:/srv/a.php:12}", "Shop\\{closure}"),
        (Language.RUBY, "block (2 levels) in total", "rescue in total"),
        (Language.RUBY, "_app_views_show_html_erb___123456_7890", "_app_views_show_html_erb___999999_1"),
        (Language.JAVASCRIPT, "Object.load [as loader]", "async load"),
        (Language.NATIVE, "shop::run.part.3", "shop::run.constprop.0"),
        (Language.NATIVE, "shop::run[abi:cxx11]", "shop::run [clone .cold]"),
        (Language.NATIVE, "shop::go::$_10::operator()", "shop::go::$_3::operator()"),
    ],
)  # fmt: skip
def test_generated_names_are_one_name(language: Language, one: str, two: str) -> None:
    """What a compiler or a runtime numbers anew each time is the same name."""
    assert name_of(Frame(one), language) == name_of(Frame(two), language)


@pytest.mark.parametrize(
    ("one", "two"),
    [
        ("https://x.example/static/app.91cc02ab.js", "https://y.example/v2/app.0f12ee9a.js"),
        ("/srv/a/main-4F8A1C2B.js?v=3", "/srv/b/main-99AA11BB.js"),
        ("/srv/a/chunk.17.js", "/srv/a/chunk.4.js"),
    ],
)
def test_a_bundle_keeps_its_name_from_build_to_build(one: str, two: str) -> None:
    """The hash in a bundle's name, its host and its folder do not count."""
    assert key_of(Frame("render", file=one), Language.JAVASCRIPT) == key_of(
        Frame("render", file=two), Language.JAVASCRIPT
    )


@pytest.mark.parametrize(
    "function",
    [
        "__asan_memcpy", "__interceptor_free", "fuzzer::Fuzzer::ExecuteCallback", "abort", "gsignal", "__GI_raise",
        "raise", "V8_Fatal",
        "__libc_start_main", "malloc", "operator new", "std::terminate", "logging::LogMessage::~LogMessage",
        "base::debug::BreakDebugger", "shop::PrintStackTraceAndDie", "kasan_report", "dump_stack", "strlen", "memcpy",
        "__memmove_avx_unaligned_erms", "_Unwind_RaiseException", "BaseThreadInitThunk", "testing::Test::Run",
    ],
)  # fmt: skip
def test_what_reports_a_failure_is_not_where_it_happened(function: str) -> None:
    """Watchers, harnesses, the C library and whatever gives up are no part of the failure."""
    assert is_machinery(Frame(function), Language.NATIVE)


@pytest.mark.parametrize(
    "function",
    [
        "shop::Cart::total", "handle_request", "Crashes::list", "parse_free_text", "startup", "abortable::run",
        "memory_map", "Exiter::next",
        "string_pool_take", "Fatality::count", "kill_switch_state", "database::open",
        "malloc_stats_page", "sanitize_input",
    ],
)  # fmt: skip
def test_a_name_that_only_sounds_like_it_counts(function: str) -> None:
    """An application may call its functions what it likes."""
    assert not is_machinery(Frame(function), Language.NATIVE)


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("user 4711 not found", "user <int> not found"),
        ("took 12.5 ms, then 3s", "took <float> ms, then <duration>"),
        ("GET https://a.example/x?y=1 failed", "GET <url> failed"),
        ("connect to 10.0.0.7:5432 refused", "connect to <ip> refused"),
        ("mail to ana@example.org", "mail to <email>"),
        ("key 'abc' is \"gone\"", "key '<text>' is \"<text>\""),
        ("at 0xdeadbeef in 3f2a9c1b77de", "at <hex> in <hex>"),
        ("on 2026-03-03T02:14:09.123Z", "on <date>"),
        ("pod payment-7d9f8b6c5-x2x9k died", "pod <id> died"),
        ("worker3 and worker-14 stopped", "worker<int> and worker-<int> stopped"),
        ("cannot open /var/lib/shop/a.db", "cannot open <path>"),
        ("ORA-12541: no listener, code E1101", "ORA-12541: no listener, code E1101"),
        ("not UTF8 or sha256, over ipv4", "not UTF8 or sha256, over ipv4"),
        ("don't split can't", "don't split can't"),
        ("first 1\n\nsecond 2\nthird 3", "first <int> second <int>"),
    ],
)
def test_what_varies_in_a_message_is_named_by_its_kind(message: str, expected: str) -> None:
    """Numbers, ids, addresses and quotations become their kind; words and the codes of errors stay."""
    assert parameterised(message) == expected


def test_the_title_says_what_and_where() -> None:
    """A title names the exception, its words without what varies, and the application's nearest function."""
    made = of_trace(trace(LIBRARY, APP, message="order 7 failed"))

    assert made.title == "com.acme.PoolException: order <int> failed in com.acme.Pool.take"
