"""Words of the languages: what is a keyword, what is known without being brought in, what lets go of something."""

from __future__ import annotations

import builtins

from hindcast.model.code import Tongue


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


SCRIPTS = frozenset({Tongue.JAVASCRIPT, Tongue.TYPESCRIPT, Tongue.TSX})

_PYTHON = _words(
    """
    False None True and as assert async await break class continue def del elif else except finally for from global if
    import in is lambda nonlocal not or pass raise return try while with yield self cls
    """
)
_SCRIPT = _words(
    """
    async await break case catch class const continue default delete do else export extends false finally for from
    function if import in instanceof interface let new null of return static super switch this throw true try type
    typeof undefined var void while yield
    """
)
_GO = _words(
    """
    break case chan const continue default defer else fallthrough false for func go goto if import interface map nil
    package range return select struct switch true type var
    """
)
KEYWORDS = {Tongue.PYTHON: _PYTHON, Tongue.GO: _GO} | dict.fromkeys(SCRIPTS, _SCRIPT)

_SCRIPT_NAMES = _words(
    """
    Array Boolean Date Error Infinity JSON Map Math NaN Number Object Promise Proxy Reflect RegExp Set String Symbol
    WeakMap WeakSet BigInt AbortController AbortSignal URL URLSearchParams Buffer Headers Request Response FormData
    clearInterval clearTimeout console document exports fetch global globalThis module parseFloat parseInt process
    queueMicrotask require setImmediate setInterval setTimeout structuredClone window any boolean never number object
    string unknown Partial Record Readonly Pick Omit Required Awaited ReturnType arguments as TypeError RangeError
    SyntaxError Uint8Array TextEncoder TextDecoder performance crypto WebSocket EventSource
    """
)
_GO_NAMES = _words(
    """
    any append bool byte cap clear close comparable complex complex128 complex64 copy delete error float32 float64 imag
    int int16 int32 int64 int8 iota len make max min new panic print println real recover rune string uint uint16 uint32
    uint64 uint8 uintptr _
    """
)
# Names that every file of a language has.
KNOWN = {Tongue.PYTHON: frozenset({*dir(builtins), "__file__", "match", "case", "type"}), Tongue.GO: _GO_NAMES}
KNOWN |= dict.fromkeys(SCRIPTS, _SCRIPT_NAMES)

# What stands before the name of a function or a class.
DEFINERS = _words("def class func function")
# What stands before a name that it declares.
BINDERS = _words("def class as import for const let var func function type global nonlocal catch")

# Tokens that turn a condition into another one.
TURNS = _words("not is in and or == != < > <= >= === !== ! && ||")
# And those that do so where they stand in one.
CONSTANTS = _words("None True False null nil true false undefined")

# What a line begins with that decides whether, or how often, others are reached.
GOVERNS = _words("if elif while for switch case unless")

# Calls that let go of something.
RELEASES = _words("close aclose release disconnect dispose shutdown unlock terminate quit Close Release Unlock Stop")
