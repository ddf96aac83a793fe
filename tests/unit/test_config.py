"""Settings: where they come from, what they may be, and how they are explained."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from hindcast.config import Settings, read_settings
from hindcast.config.explaining import example, explained, explained_values, page
from hindcast.config.reading import read
from hindcast.config.setting import HIDDEN, abouts
from hindcast.model.errors import Malformed, Missing

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No settings but those of the test."""
    for name, _ in ((f"HINDCAST_{field.name.upper()}", about) for field, about in abouts(Settings)):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "nothing"))
    monkeypatch.delenv("HINDCAST_CONFIG", raising=False)


def written(folder: Path, text: str) -> Path:
    """A settings file."""
    file = folder / "hindcast.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_flags_beat_the_environment_and_that_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each value comes from the nearest place that names it, and it is known which that was."""
    file = written(tmp_path, 'space = "from-file"\nport = 5000\nhost = "192.0.2.1"\n')
    monkeypatch.setenv("HINDCAST_PORT", "6000")
    monkeypatch.setenv("HINDCAST_SPACE", "from-environment")
    found = read(Settings, {"space": "from-flag", "store": None}, file=file)

    assert (found.settings.space, found.settings.port, found.settings.host) == ("from-flag", 6000, "192.0.2.1")
    named = ("space", "port", "host", "store")
    assert [found.sources[name] for name in named] == ["flag", "environment", "file", "default"]
    assert found.file == file


@pytest.mark.parametrize(
    ("text", "field", "said"),
    [
        ('auth = "opne"', "auth", "auto, required, open"),
        ('log_format = "xml"', "log_format", "text, json"),
        ("port = 70000", "port", "1 to 65535"),
        ('port = "many"', "port", "Give a number"),
        ("errors_min = 0", "errors_min", "1 or greater"),
        ("port = true", "port", "text or a whole number"),
        ('public_url = "hindcast.example.com"', "public_url", "https://"),
        ('cors_origins = "*"', "cors_origins", "https://app.example.com"),
        ('cors_origins = "https://a.example/path"', "cors_origins", "scheme, host and port"),
        ('telemetry = "mysql://x"', "telemetry", "chdb:///folder"),
        ('host = ""', "host", ""),
        ('space = "Nine Lives"', "space", "lower-case letters"),
        ('otel_endpoint = "http://"', "otel_endpoint", "https://"),
        ('actor = "two\\nlines"', "actor", "one line"),
    ],
)
def test_a_value_that_cannot_be_right_is_refused_by_name(tmp_path: Path, text: str, field: str, said: str) -> None:
    """The error names the setting and says what it may be."""
    with pytest.raises(Malformed) as caught:
        read_settings(file=written(tmp_path, text))

    assert caught.value.field == field
    assert said in caught.value.remedy


def test_a_variable_that_cannot_be_right_is_named_as_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever set a variable is told of the variable, not of a name that stands nowhere in the script."""
    monkeypatch.setenv("HINDCAST_LOG_LEVEL", "loud")

    with pytest.raises(Malformed) as caught:
        read_settings()
    assert caught.value.field == "HINDCAST_LOG_LEVEL"


def test_a_misspelt_setting_is_told_the_nearest(tmp_path: Path) -> None:
    """A key that is no setting is refused with what was probably meant."""
    with pytest.raises(Malformed, match="Did you mean 'telemetry_days'"):
        read_settings(file=written(tmp_path, "telemetry_day = 3"))


def test_a_misspelt_variable_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A variable that begins like ours and means nothing is listed for the doctor."""
    monkeypatch.setenv("HINDCAST_PROT", "4319")

    assert "HINDCAST_PROT" in read(Settings).unknown_variables


def test_a_named_file_has_to_be_there(tmp_path: Path) -> None:
    """A file that somebody named and that is not there is an error; the usual one may be absent."""
    assert read_settings().port == 4318
    with pytest.raises(Missing):
        read_settings(file=tmp_path / "gone.toml")


def test_no_explanation_shows_a_secret(tmp_path: Path) -> None:
    """Secrets are masked, and so are passwords inside addresses; that one is set can still be seen."""
    secret = "hunter2horse"
    text = f'ask_key = "{secret}"\nstore = "postgresql://ana:{secret}@db/hindcast"\ngithub_secret = ""\n'
    found = read(Settings, file=written(tmp_path, text))
    for told in (explained(found), explained_values(found.settings)):
        by_name = {one.name: one for one in told}
        assert secret not in str(told)
        assert (by_name["ask_key"].value, by_name["github_secret"].value) == (HIDDEN, "")
        assert by_name["store"].value == f"postgresql://ana:{HIDDEN}@db/hindcast"


def test_every_setting_is_explained() -> None:
    """Each has a sentence, a group and a name in the environment."""
    for one in explained(read(Settings)):
        assert one.what.rstrip().endswith((".", "com", "empty.")), one.name
        assert one.group
        assert one.variable == f"HINDCAST_{one.name.upper()}"


def test_the_example_is_the_defaults(tmp_path: Path) -> None:
    """Taking every # away from the settings of the example gives the settings that are there without a file."""
    lines = [line.removeprefix("# ") for line in example().splitlines()]
    names = {field.name for field, _ in abouts(Settings)}
    text = "\n".join(line for line in lines if line.partition(" = ")[0] in names)

    assert set(tomllib.loads(text)) == names
    assert read_settings(file=written(tmp_path, text)) == read_settings()


def test_the_page_of_settings_is_written_from_the_code() -> None:
    """docs/reference/settings.md says what the settings say; `python -m hindcast.config.reference` writes it."""
    assert (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8") == page()
