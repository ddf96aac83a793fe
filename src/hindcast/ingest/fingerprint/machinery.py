"""Frames that say how a failure was reported, and nothing of where it came from.

The rules are general: runtimes that watch a program, harnesses that call it, allocators, the C library's string and
exit functions, and whatever a program itself calls to give up. A rule is here if it makes sense to a stranger.
"""

from __future__ import annotations

import re
from functools import lru_cache

from hindcast.model.trace import Frame, Language

# Harnesses give every program under test the same entry; its file tells which one it was.
ENTRIES = frozenset({"LLVMFuzzerTestOneInput", "main", "wmain", "WinMain", "wWinMain", "TestOneInput", "_main"})

_WATCHERS = re.compile(
    r"_*(?:[akmtul]+san|hwasan|memprof|scudo|gwp_asan|sanitizer|interceptor|interception|sancov|ubsan|rtsan)(?:_|::|$)"
    r"|_*wrap_(?:mem|str|malloc|free|realloc|calloc)|_*asan_wrap_|__sanitizer|___interceptor"
    r"|[a-z]+san_thread_start|__cfi_|__ubsan_handle"
)
_HARNESS = re.compile(
    r"(?:\w+ )?(?:fuzzer|libfuzzer|centipede|fuzztest|fuzz_target|testing|gtest|benchmark)::"
    r"|LLVMFuzzer|FuzzerDriver|afl_|__afl|HF_ITER|RunOneTest|CrashTrampolineAsm"
)
_LIBC = re.compile(
    r"_*(?:GI_|libc_|nptl_|bionic_|pthread_|cxa_|cxx_|gxx_|gnu_cxx::__verbose|stack_chk_|fortify_|assert\d*|assert_\w+|rtm_"
    r"|restore_rt|kernel_\w*sigreturn|futex\w*|abort_msg|chk_fail|longjmp|clone\d*|start_thread|terminate|libc_start\w*)\w*"
    r"|_*(?:raise|gsignal|abort|tgkill|tkill|kill|exit|_exit|syscall|waitpid|wait4|_start|start|thread_start\w*|unwind_\w+)"
    r"|_*(?:mem(?:cpy|move|set|cmp|chr|ccpy)|str(?:n?len|n?cpy|n?cat|n?cmp|n?casecmp|n?dup|r?chr|str|tok\w*|to[dluf]\w*)"
    r"|stpn?cpy|wcs\w+|v?s?n?printf|bcopy|bzero)(?:_\w*(?:sse|avx|erms|chk|aarch64|unaligned|ifunc|generic|neon)\w*|_s)?"
    r"|_*(?:malloc|calloc|realloc|free|cfree|valloc|memalign|posix_memalign|aligned_alloc|je_\w+|tc_\w+"
    r"|operator (?:new|delete)(?:\[\])?)"
    r"|std::(?:_*terminate|_*unexpected|_*1?::?_*throw\w*|abort|exit|__\w+::(?:__throw_\w+|__libcpp_\w+))"
    r"|_?Unwind_\w+|__clang_call_terminate|backtrace(?:_symbols\w*)?"
    r"|BaseThreadInitThunk|RtlUser\w+|RtlRaise\w+|RaiseException|KiUser\w+|Nt\w+|Zw\w+|UnhandledExceptionFilter|DebugBreak"
    r"|_CxxThrowException|__scrt_\w+|invoke_main|_purecall|_?invalid_parameter\w*"
)
_KERNEL = re.compile(
    r"_*(?:kasan|kmsan|kcsan|ubsan|kfence|asan|hwasan)_\w+|_*(?:show_stack|show_regs|dump_stack\w*|dump_backtrace|print_address_\w+|print_trailer"
    r"|print_report|object_err|slab_err|check_memory_region\w*|report_bug|fixup_bug|panic|die|oops_\w+|bust_spinlocks|warn_slowpath\w*|__warn\w*"
    r"|do_page_fault|page_fault|exc_\w+|asm_exc_\w+|do_(?:general_protection|error_trap|trap\w*|undefinstr|translation_fault|mem_abort|sp_pc_abort|undef_instr)"
    r"|general_protection|invalid_op|error_code|ret_from_\w+|entry_SYSCALL\w*|do_syscall_\w+|el[01]_\w+|el1h_\w+|unwind_\w+|kernel_fault|arm_notify_die)"
)
# A function whose name ends with giving up, or says "fatal" at all, was called because of the failure.
_GIVING_UP = frozenset({"die", "abort", "aborted", "crash", "panic", "terminate", "unreachable", "suicide", "oom"})
_REPORTING = re.compile(
    r"(?:LogMessage\w{0,400}|LogFatal\w{0,400}|FatalMessage\w{0,400}|CheckError|CheckOp\w{0,400}|MessageLogger|ErrorMessage)(?:<[^>]*>)?(?:::|>)"
    r"|Stack_?[Tt]race(?:::|$)|(?:Print|Dump|Capture|Collect)(?:Stack|Backtrace)|Break_?Debugger|ImmediateCrash|CheckFail(?:ed|ure)?\b"
    r"|Assert(?:ion)?_?Fail(?:ed|ure)?|assertion_?fail|OutOfMemory|out_of_memory|RaiseFailFast|SignalHandler|signal_handler|sigaction"
    r"|BackTrace|Reporter::|android_log_assert|__android_log|libc_io_functions_not|debuggerd_"
)
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PATHS = re.compile(
    r"compiler-rt/lib/(?:\w*san|sanitizer_common|fuzzer|interception)|/(?:lib)?[Ff]uzzer/(?:src/)?Fuzzer\w+\.cpp"
    r"|sanitizer_common/|/googletest/src/|/fuzztest/src/|/centipede/runner|(?:^|/)FuzzerMain\.cpp|/csu/libc-start"
)
# The standard library is called from everywhere, and the C library is where a wrong pointer ends, not where it began.
_STANDARD = re.compile(
    r"/include/c\+\+/|/libcxx/include/|libc\+\+/(?:src|trunk|include)|/bits/\w+\.h$|/ext/\w+\.h$|/glibc-|/eglibc-|(?:^|/)sysdeps/"
    r"|^(?:csu|nptl|posix|stdlib|libio|string|misc)/[\w./-]+\.[chS]$|(?:^|/)bionic/libc/|/ulib/musl/|\\vctools\\|\\ucrt\\|\\minkernel\\"
)
# An operator without a class was inlined from anywhere; a container's or a smart pointer's access fails for its caller.
_ACCESS = re.compile(r"operator\W{1,3}|.*>::(?:at|operator(?:->|\*|\[\]))")
_JVM = re.compile(
    r"(?:java\.lang\.(?:reflect|invoke)|jdk\.internal\.reflect|sun\.reflect|com\.code_intelligence\.jazzer|java\.lang\.Thread\.(?:run|dumpStack)"
    r"|java\.util\.concurrent\.ThreadPoolExecutor|java\.util\.concurrent\.FutureTask|org\.junit|junit|org\.gradle)[.$]?"
)
_GO = re.compile(
    r"runtime(?:/debug)?\.(?!GC|main$)\w*|panic$|testing\.tRunner|main\._cgoexpwrap|_cgoexp|main\.LLVMFuzzer|syscall\.|internal/poll\."
)
_RUST = re.compile(
    r"(?:std|core)::(?:panicking|panic|rt|sys_common|sys|backtrace_rs|backtrace|thread|ops::function|result::unwrap_failed|option::(?:expect|unwrap)_failed)\b"
    r"|rust_begin_unwind|rust_panic|__rust_\w+|<?(?:std::panic|core::ops::function|alloc::boxed::Box)|_\$LT\$(?:std|core|alloc)\.\."
    r"|panic_abort::|panic_unwind::|core::(?:fmt|slice::index|str::slice_error)|std::io::Write"
)
_DOTNET = re.compile(
    r"System\.(?:Runtime\.(?:ExceptionServices|CompilerServices)|Threading\.(?:Tasks|ExecutionContext)|ThrowHelper)\b"
)
_JAVASCRIPT = re.compile(
    r"(?:process\.)?processTicksAndRejections|Promise\.(?:all|race|any|allSettled)|runMicrotasks|processImmediate|listOnTimeout"
)


def is_harness(frame: Frame) -> bool:
    """Whether a frame belongs to what runs tests and fuzzers: whatever calls it calls every program the same way."""
    if frame.function in ENTRIES:
        return False
    return _HARNESS.match(frame.function) is not None or _PATHS.search(frame.file) is not None


def is_machinery(frame: Frame, language: Language) -> bool:
    """Whether a frame belongs to how a failure was noticed, reported or provoked."""
    return _is_machinery(frame.function, frame.file, language)


@lru_cache(maxsize=65_536)
def _is_machinery(function: str, file: str, language: Language) -> bool:
    match language:
        case Language.JVM:
            return _JVM.match(function) is not None
        case Language.GO:
            return _GO.match(function) is not None
        case Language.DOTNET:
            return _DOTNET.match(function) is not None
        case Language.JAVASCRIPT:
            return _JAVASCRIPT.fullmatch(function) is not None
        case Language.RUST:
            return _RUST.match(function) is not None or _is_native(function, file)
        case Language.NATIVE:
            return _is_native(function, file)
    return False


def _is_native(name: str, file: str) -> bool:
    if not name:
        return False
    if _WATCHERS.match(name) or (_HARNESS.match(name) and name not in ENTRIES):
        return True
    if _LIBC.fullmatch(name) or _KERNEL.fullmatch(name) or _RUST.match(name):
        return True
    if _PATHS.search(file) or _STANDARD.search(file) or _ACCESS.fullmatch(name):
        return True
    return _gives_up(name)


def _gives_up(name: str) -> bool:
    if _REPORTING.search(name):
        return True
    words = [word.lower() for word in _WORD.findall(name.rpartition("::")[2].partition("<")[0])]
    return bool(words) and (words[-1] in _GIVING_UP or "fatal" in words)
