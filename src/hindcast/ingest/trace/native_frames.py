"""One line of a native stack, in each of the ways that sanitizers, debuggers, kernels and crash reporters write it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from hindcast.ingest.trace import library
from hindcast.ingest.trace.text import number
from hindcast.model.trace import Frame

# Lines without a number continue the stack they follow.
UNNUMBERED = -1

# #3 0x4f6c38 in boom() v8/wasm-code.cc:87:7 · #2.1 0x… in f · kSP+0x0e30: 0x… in app_mgr ld-temp.o:?
_IN = re.compile(r"(?:#(\d+)(?:\.\d+)?|\b\w{1,8}\+0x[0-9a-f]+:)\s+(?:0x)?[0-9a-fA-F*x]{3,20} in\b ?(.*)$")
# #0 0xec3fdeb  (/lib/libfoo.so+0x71bf4)
_BARE = re.compile(r"#(\d+)\s+(?:0x)?[0-9a-f]{3,20}\s+\((.{1,400}?)(?:\+0x[0-9a-f]+)?\)(?: \(BuildId: \w+\))?$")
# #00 pc 000012f4  /system/lib/libfoo.so (foo::bar(int)+12)
_TOMBSTONE = re.compile(
    r"#(\d+)\s+pc [0-9a-f]{4,16}\s+(\S{1,400})(?: \(offset 0x[0-9a-f]{1,20}\))?"
    r"(?: \((.{1,400}?)(?:\+\d{1,12})?\))?(?: \(BuildId: \w+\))?$"
)
# #3 0x0000010b9df0 net::FtpUtil::Parse()
_NAMED = re.compile(r"#(\d+)\s+0x[0-9a-f]{4,16}\s+(?!in\b)([^\s(<].*|<unknown>)$")
# #0  write_all (fd=3, n=12) at io.c:31 · #1 f() src/f.cc:12 (exe+0x12)
_DEBUGGER = re.compile(r"^\s*#(\d+)\s+([A-Za-z_~(<][^#\t]*?(?:\(.*\)|\s).*)$")
# 3   libsystem_c.dylib   0x00007fff6c8f1 abort + 127
_APPLE = re.compile(r"^\s*(\d{1,4})\s+(\S.{0,80}?)\s+0x[0-9a-f]{8,16}\s+(\S.*?) \+ \d+(?: \((.+?):(\d+)\))?$")
# [<c00911c4>] (worker_thread+0x1a0/0x3bc) from [<…>] · platform_match+0x22/0x130 [module]
_KERNEL = re.compile(
    r"^(?:.{0,80}?\bkernel: ?)?(?:\[ *\d+\.\d+\](?:\[[^\]]*\])? ?|<\d> ?)*"
    r"(?:(RIP|EIP|NIP|PC is at|pc) ?:?[^\[a-z]{0,12}(?:\[<[^>]*>\]\s*){0,2}|\s*(?:#\d+\s+)?\[<[^>]*>\]\s*\(?|\s*)"
    r"(\? )?([A-Za-z_.][\w.$]*)\+0x[0-9a-f]+/0x[0-9a-f]+(?:\s*\[(\w+)\]|\)|\s|$)"
)
# Where the linker put the end of the code, and strings: the nearest symbol to an address that has none.
_NO_FUNCTION = re.compile(r"(?:_?_?(?:etext|edata|end|stext|text|bss_start|init_begin)|\.[\w.]+)")
# 0915b084 6eefc617 MSHTML!ForStatementNode::VerifySelf+0x77 [file.cpp @ 12]
_WINDOWS = re.compile(
    r"^(?:[0-9a-f]{2,3} )?(?:[0-9a-f`]{8,17} ){1,6}(?:: (?:[0-9a-f`]{8,17} ){1,5}: )?"
    r"([\w.-]+)!(\S.*?)(?:\+0x[0-9a-f]+)?(?: \[(.+) @ (\d+)\])?$"
)
# base::debug::StackTrace::StackTrace [0x13454F91+33] (C:\src\stack_trace.cc:217)
_BRACKET = re.compile(r"^\s+(\S.*?) \[0x[0-9A-Fa-f]+(?:\+\d+)?\](?: \((.+):(\d+)\))?$")
# ./prog(parse_header+0x1b) [0x400b2e]
_GLIBC = re.compile(r"^\s*(?:\d+: )?([^\s(]+)\((.*?)(?:\+0x[0-9a-f]+)?\) ?\[0x[0-9a-f]+\]$")
# ==12==    at 0x4C2AB80: malloc (in /usr/lib/vg.so) · by 0x400: main (a.c:12)
_VALGRIND = re.compile(r"^==\d+==\s+(?:at|by) 0x[0-9A-F]+: (.+?) \((?:in )?([^():]+)(?::(\d+))?\)$")

# frame #0: 0x0000000100000f50 server`parse(buffer=0x0) at parse.c:3:5
_LLDB = re.compile(r"frame #(\d+): 0x[0-9a-f]+ ([^\s`]+)`(\S.*)$")
# @     0x560e73b80fe2         48  ledger::Book::post()
_GLOG = re.compile(r"^\s*@\s+0x[0-9a-f]+\s+(?:\d+\s+)?(\S.*)$")
# 3  server!shop::Cart::total(int) [cart.cc : 87 + 0x5]
_MINIDUMP = re.compile(
    r"^\s*(\d{1,4})\s+([\w.+-]+)!(\S.{0,400}?)"
    r"(?: \[(.{1,400}) : (\d+) \+ 0x[0-9a-f]+\]| \+ 0x[0-9a-f]+)?$"
)

# Qualifiers come before the first part of a nested name, lengths before each part.
_SOURCE_NAME = re.compile(r"[rVKRO]{0,3}(\d{1,3})(?=[A-Za-z_])")
_BUILD = re.compile(r"\s{0,20}\((?:BuildId: ?\w+|discriminator \d+)\)$")
_OFFSET = re.compile(r"(\S.*?) ?\+ ?0x[0-9a-f]+")
_OBJECT = re.compile(r"([^<>]*|<[^<>]*>)>\+0x[0-9a-f]+")
_PLACE = re.compile(r"((?:[A-Za-z]:)?[^\s:]+):(\d+|\?)(?::(\d+))?")
_FILE_ONLY = re.compile(r"(?:[A-Za-z]:)?[^\s():,<>]*[/\\.][^\s():,<>]*")
_LIBRARY = re.compile(r"^\S+\.(?:so|dylib|dll|exe)(?:\.[\d.]+)?(?:\+0x[0-9a-f]+)?$|^/\S+\+0x[0-9a-f]+$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Read:
    """A frame with its number on the stack, and whether it only says where the program stood."""

    number: int
    frame: Frame | None
    is_counter: bool = False


def read_frame(line: str) -> Read | None:
    """The frame on a line, or None. A line that belongs to a stack and names nothing has a Read without a frame."""
    if "#" in line:
        for reader in _NUMBERED:
            found = reader(line)
            if found is not None:
                return found
    if "0x" in line:
        for reader in _ADDRESSED:
            found = reader(line)
            if found is not None:
                return found
    return _windows(line) or _minidump(line) if "!" in line else None


def make_frame(text: str, *, module: str = "") -> Frame:
    """A function with what follows it, taken apart: arguments away, file, line and binary apart."""
    text = _BUILD.sub("", text.strip())
    file, row, column = "", 0, 0
    # Each of these stands at the end, behind a space; so the end is looked at, and nothing is gone through twice.
    before, space, last = text.rpartition(" (")
    if last.endswith(")") and (match := _OFFSET.fullmatch(last[:-1])) is not None:
        text, module = before, match[1]
    elif not space and text.startswith("(") and (match := _OFFSET.fullmatch(text[1:-1])) is not None:
        text, module = "", match[1]
    before, _, last = text.rpartition(" <")
    if ">+0x" in text and (match := _OBJECT.fullmatch(last)) is not None:
        text, module = before, match[1].strip("<>") or module
    before, space, last = text.rpartition(" ")
    if space and (match := _PLACE.fullmatch(last)) is not None:
        text, file, row, column = before, match[1], number(match[2]), number(match[3])
    elif space and _FILE_ONLY.fullmatch(last) and not last.startswith("operator"):
        text, file = before, last
    text = text.removesuffix(" at").removesuffix(" from")
    text = text.strip()
    if _LIBRARY.match(text) or text.startswith("["):
        text, module = "", text
    elif (text.startswith("<") and text.endswith(">")) or text.startswith("??") or text in ("n/a", "(unknown)"):
        text = ""
    function = demangled(without_arguments(text))
    return Frame(function, module, file, row, column, library.native(function, file, module))


def without_arguments(name: str) -> str:
    """A demangled name up to its arguments; template arguments stay, since each instance is a function of its own."""
    name = name.replace("(anonymous namespace)::", "").replace("`anonymous namespace'::", "")
    name = name.replace("{anonymous}::", "").removeprefix("non-virtual thunk to ").removeprefix("virtual thunk to ")
    if "(" not in name:
        return name.strip()
    depth, previous = 0, ""
    for position, char in enumerate(name):
        if char == "<" and not name.startswith(("<=", "<<"), position) and not name.endswith("operator", 0, position):
            depth += 1
        elif char == ">" and previous != "-" and depth:
            depth -= 1
        elif char == "(" and not depth and position:
            if name.endswith("operator", 0, position) and name.startswith("()", position):
                return name[: position + 2].strip()
            return name[:position].strip()
        previous = char
    return name.strip()


def demangled(name: str) -> str:
    """A nested C++ name that no symbolizer has read, as far as it can be read without its arguments and templates."""
    if not name.startswith("_ZN"):
        return name
    parts: list[str] = []
    position = 3
    while (match := _SOURCE_NAME.match(name, position)) is not None:
        length, begin = int(match[1]), match.end()
        parts.append(name[begin : begin + length])
        position = begin + length
    if parts and name.startswith("D", position):
        parts.append(f"~{parts[-1]}")
    elif parts and name.startswith("C", position):
        parts.append(parts[-1])
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N")) or name


def _in(line: str) -> Read | None:
    match = _IN.search(line)
    if match is None:
        return None
    return Read(int(match[1][:6]) if match[1] else UNNUMBERED, make_frame(match[2]))


def _bare(line: str) -> Read | None:
    match = _BARE.search(line)
    if match is None:
        return None
    module = match[2] if not match[2].startswith("<") else ""
    return Read(int(match[1][:6]), Frame("", module, in_app=library.native("", "", module)))


def _tombstone(line: str) -> Read | None:
    match = _TOMBSTONE.search(line)
    if match is None:
        return None
    module, function = match[2], demangled(without_arguments(match[3] or ""))
    return Read(int(match[1][:6]), Frame(function, module, in_app=library.native(function, "", module)))


def _named(line: str) -> Read | None:
    match = _NAMED.search(line)
    return Read(int(match[1][:6]), make_frame(match[2])) if match is not None else None


def _debugger(line: str) -> Read | None:
    match = _DEBUGGER.match(line)
    if match is None or match[2].startswith(("0x", "{main}")):
        return None
    frame = make_frame(match[2])
    # Prose behind a number sign is no frame: it has neither a file with a line nor arguments.
    if not frame.function or not (frame.line or frame.module or re.search(r"\w ?\(.*\)", match[2])):
        return None
    if " " in without_templates(frame.function) and not frame.line:
        return None
    return Read(int(match[1][:6]), frame)


def without_templates(name: str) -> str:
    """A name without what stands between angle brackets."""
    kept, depth = [], 0
    for char in name:
        depth += char == "<"
        if not depth:
            kept.append(char)
        depth -= char == ">" and depth > 0
    return "".join(kept)


def _lldb(line: str) -> Read | None:
    match = _LLDB.search(line)
    return Read(int(match[1][:6]), make_frame(match[3], module=match[2])) if match is not None else None


def _glog(line: str) -> Read | None:
    match = _GLOG.match(line)
    return Read(UNNUMBERED, make_frame(match[1])) if match is not None else None


def _minidump(line: str) -> Read | None:
    match = _MINIDUMP.match(line)
    if match is None:
        return None
    function, file = demangled(without_arguments(match[3])), match[4] or ""
    own = library.native(function, file, match[2])
    return Read(int(match[1]), Frame(function, match[2], file, number(match[5]), in_app=own))


def _apple(line: str) -> Read | None:
    match = _APPLE.match(line)
    if match is None:
        return None
    function, module = demangled(without_arguments(match[3])), match[2].strip()
    own = library.native(function, match[4] or "", module)
    return Read(int(match[1]), Frame(function, module, match[4] or "", number(match[5]), in_app=own))


def _kernel(line: str) -> Read | None:
    match = _KERNEL.match(line)
    if match is None:
        return None
    if match[2] or _NO_FUNCTION.fullmatch(match[3]):
        # The unwinder itself does not trust an address with a question mark.
        return Read(UNNUMBERED, None)
    return Read(UNNUMBERED, Frame(match[3], match[4] or ""), match[1] is not None)


def _bracket(line: str) -> Read | None:
    match = _BRACKET.match(line)
    if match is None:
        return None
    function, file = without_arguments(match[1]), match[2] or ""
    if "(" in match[1] and "/" in match[1].partition("(")[0]:
        return None
    return Read(UNNUMBERED, Frame(function, "", file, number(match[3]), in_app=library.native(function, file, "")))


def _glibc(line: str) -> Read | None:
    match = _GLIBC.match(line)
    if match is None:
        return None
    function = demangled(without_arguments(match[2]))
    return Read(UNNUMBERED, Frame(function, match[1], in_app=library.native(function, "", match[1])))


def _valgrind(line: str) -> Read | None:
    match = _VALGRIND.match(line)
    if match is None:
        return None
    function, row = without_arguments(match[1]), number(match[3])
    file, module = (match[2], "") if row else ("", match[2])
    return Read(UNNUMBERED, Frame(function, module, file, row, in_app=library.native(function, file, module)))


def _windows(line: str) -> Read | None:
    match = _WINDOWS.match(line.strip())
    if match is None:
        return None
    function, module, file = without_arguments(match[2]), match[1], match[3] or ""
    own = library.native(function, file, module)
    return Read(UNNUMBERED, Frame(function, module, file, number(match[4]), in_app=own))


_NUMBERED: tuple[Callable[[str], Read | None], ...] = (_in, _lldb, _bare, _tombstone, _named, _debugger)
_ADDRESSED: tuple[Callable[[str], Read | None], ...] = (_in, _apple, _glibc, _glog, _bracket, _valgrind, _kernel)
