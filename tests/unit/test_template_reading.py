"""What counts as variable in one message, by itself."""

from __future__ import annotations

import pytest

from hindcast.ingest.template.reading import Part, read


def template(message: str) -> str:
    """How a message reads before it is compared with others."""
    return "".join(chunk.form for chunk in read(message, chunks_max=256))


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        # Numbers, with signs, fractions and units.
        ("took 12 ms, drift -0.5, grew +3%", "took <*> ms, drift <*>, grew <*>%"),
        ("retry in 1500ms", "retry in <*>"),
        ("finished 7.", "finished <*>."),
        ("wrote 1,234,567 rows", "wrote <*> rows"),
        # Ids: letters and digits in one word, hex, UUIDs.
        ("order ord_8fk2 accepted", "order <*> accepted"),
        ("session 0x14ede63a5a70002 closed", "session <*> closed"),
        ("pod 0673dd71-34c5-4fbb-86c4-40623fbe45b4 gone", "pod <*> gone"),
        ("pod 0673dd71-beef-face-86c4-40623fbe45b4 gone", "pod <*> gone"),
        ("block blk_-1608999687 lost", "block <*> lost"),
        # Addresses, hosts and ports.
        ("peer /10.0.0.7:5432 left", "peer <*>:<*> left"),
        ("db.internal:5432 refused", "<*>:<*> refused"),
        ("via node-7/10.0.0.7:80", "via <*>/<*>:<*>"),
        ("link 00:1A:2B:3C:4D:5E up", "link <*> up"),
        ("mail to ana@example.com bounced", "mail to <*> bounced"),
        ("fetch https://example.com/a?b=1 failed", "fetch https://<*> failed"),
        # Paths.
        ("cannot open /etc/app/main.conf: denied", "cannot open <*>: denied"),
        (r"loaded C:\App\core.dll twice", "loaded <*> twice"),
        ("chdir(./run) failed", "chdir(<*>) failed"),
        # A request: the method is the program's, the target is not.
        ('"GET /v2/7/items HTTP/1.1" status: 200', '"GET <*>" status: <*>'),
        # Dates in words belong to the time beside them.
        ("at Fri Jun 17 07:07:00 2005", "at <*>:<*>:<*>"),
        # Truth, and nothing.
        ("cached=true ttl=null", "cached=<*> ttl=<*>"),
        ("from 10.0.0.7 () at noon", "from <*> (<*>) at noon"),
        # Quoted values vary; what is said in quotes does not.
        ('level=info tag="View Lock" msg="pool is full"', 'level=info tag="<*>" msg="pool is full"'),
        # A part of a word.
        ("generating core.2275", "generating core.<*>"),
        ("starting reader #3 on CPU#0", "starting reader #<*> on CPU#<*>"),
        ("enabled.........0", "enabled.........<*>"),
        # Lists of any length are one variable.
        ("deleting b1x2 b3x4 b5x6 b7x8 b9x0", "deleting <*>"),
        ("forwarded for 10.0.0.7,10.0.0.8", "forwarded for <*>"),
        # In a language without blanks.
        ("用户123登录", "用户<*>登录"),
        ("session closed for root", "session closed for <*>"),
    ],
)
def test_what_a_program_filled_in_is_variable(message: str, expected: str) -> None:
    """Numbers, ids, addresses, paths and dates become variables; the words around them stay."""
    assert template(message) == expected


@pytest.mark.parametrize(
    "message",
    [
        "through proxy SOCKS5",
        "log4j loaded by HttpServer2",
        "L3 cache and C1 wire",
        "tree/torus link is read-only",
        "org.apache.Foo$Bar: no such method",
        "the root cause is unknown",
        "rts panic! - stopping execution",
        "*** info ***",
        "r-o mode, x+ wire",
    ],
)
def test_what_an_author_wrote_is_fixed(message: str) -> None:
    """Words stay as they are, and so do names with a single digit in them."""
    assert template(message) == message


def test_a_key_keeps_its_number() -> None:
    """What stands before an equals sign is a name, whatever number it has."""
    assert template("r24=17 PSR0=0x1f") == "r24=<*> PSR0=<*>"


def test_blanks_are_not_counted() -> None:
    """Messages that differ only in blanks read the same."""
    assert template("  a \t b  ") == template("a b") == "a b"


def test_every_variable_part_has_its_reason() -> None:
    """The parts of a message put together are the message, and each variable one says why."""
    chunks = read("cannot open /etc/app.conf after 3 tries", chunks_max=64)
    parts = [part for chunk in chunks for part in chunk.parts]

    assert "".join(part.text for part in parts) == "cannot open /etc/app.conf after 3 tries"
    assert [part for part in parts if part.why] == [Part("/etc/app.conf", "a path"), Part("3", "a number")]


def test_a_very_long_message_ends_in_one_variable() -> None:
    """What comes after the last chunk that is looked at counts as one variable."""
    chunks = read(" ".join(["word"] * 1_000), chunks_max=9)

    assert "".join(chunk.form for chunk in chunks) == "word word word word word<*>"


@pytest.mark.parametrize("hostile", ["1" * 50_000, "a:" * 20_000, '="' * 20_000, "a-" * 20_000, "Jan 1 " * 9_000])
def test_no_message_takes_long_to_read(hostile: str) -> None:
    """A message made to confuse is read like any other, in time that grows with its length."""
    assert len(read(hostile, chunks_max=256)) <= 257
