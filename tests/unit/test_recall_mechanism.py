"""Why things break, read out of sentences."""

from __future__ import annotations

from hindcast.recall.mechanism import alike, mechanisms, stated_cause, states_root_cause


def test_a_trace_states_no_root_cause() -> None:
    """The `Caused by:` of a Java trace leads to the next exception, and to nobody's word on why."""
    trace = "com.example.RequestFailed: no answer\n\tat a.B.c(B.java:1)\nCaused by: java.net.SocketException: reset"

    assert not states_root_cause(trace)
    assert states_root_cause("Login failed.\nCause: a full disk.")


def test_a_cause_under_a_heading_is_read_and_the_rest_is_not() -> None:
    """Of a report only the passage under its cause is compared."""
    report = "Impact: logins failed. Root cause: a setting was wrong. Mitigation: we rolled it back."

    assert stated_cause(report) == "a setting was wrong."
    assert states_root_cause(report)


def test_without_a_heading_causal_sentences_count() -> None:
    """A sentence that says why is a stated cause; an observation is none."""
    assert stated_cause("Logins failed. It was caused by a full disk.") == "It was caused by a full disk."
    assert stated_cause("Logins failed for an hour.") == ""
    assert not states_root_cause("It was caused by a full disk.")


def test_the_same_mechanism_in_other_words_is_alike() -> None:
    """Two wrong settings are more alike than a wrong setting and a cut cable."""
    asked = mechanisms("the new limit was misconfigured")
    same = mechanisms("an incorrect value in the configuration of the routing table")
    other = mechanisms("a fiber cut, and the backup switch had failed hardware")

    assert alike(asked, same) > alike(asked, other)


def test_nothing_stated_is_like_nothing() -> None:
    """A case without a cause is never called alike."""
    assert mechanisms("customers saw slow pages") == {}
    assert alike(mechanisms("a bug"), {}) == 0.0
    assert alike({}, mechanisms("a bug")) == 0.0


def test_what_is_said_first_counts_most() -> None:
    """The cause stands first; consequences that follow weigh less."""
    mixed = mechanisms("A cable was cut, hardware failed. Traffic then overloaded the rest.")

    assert mixed["hardware"] > mixed["load"]
