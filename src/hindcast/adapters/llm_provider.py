"""Which language model a setting means: `provider:name`, where it is, with which key. Loaded only when one is used."""

from __future__ import annotations

import os
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from hindcast.adapters.outbound import Outbound, async_transport
from hindcast.model.errors import HindcastError, Malformed, Unavailable

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models import Model

# Servers of one's own mostly want no key, but the protocol's library wants to send one.
NO_KEY = "none"
OLLAMA_URL = "http://localhost:11434/v1"
# Where each provider is reached when the setting does not say.
URLS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "google": "https://generativelanguage.googleapis.com",
    "ollama": OLLAMA_URL,
}
PROVIDERS = tuple(URLS)
# Between two pieces of an answer; how long the whole may take is up to whoever asks.
READ_SECONDS_MAX = 60.0
CONNECT_SECONDS_MAX = 5.0


@dataclass(frozen=True, slots=True)
class Target:
    """A language model: whose, which, where."""

    provider: str
    name: str
    url: str
    key: str = ""

    @property
    def full_name(self) -> str:
        """The model as the setting names it."""
        return f"{self.provider}:{self.name}"


def target_of(model: str, *, url: str = "", key: str = "") -> Target:
    """The model that the settings mean. Raises Malformed, naming the setting."""
    provider, colon, name = model.strip().partition(":")
    if not colon or not name.strip() or provider not in URLS:
        raise Malformed(
            f"{model!r} does not name a language model.",
            field="ask_model",
            remedy=f"Give provider:name, such as openai:gpt-5-mini or ollama:qwen3. Providers: {', '.join(PROVIDERS)}.",
        )
    if key and (not key.isascii() or not key.isprintable() or " " in key):
        raise Malformed("The key has characters that cannot be sent.", field="ask_key", remedy="Copy it again.")
    if find_spec("pydantic_ai") is None:
        raise Unavailable(
            "Asking with a language model needs the extra `ask`, which is not installed.",
            field="ask_model",
            remedy='Install it: pip install "hindcast[ask]"; or leave ask_model empty to be answered without a model.',
        )
    return Target(provider, name.strip(), url.strip() or URLS[provider], key)


def client(guard: Outbound) -> httpx2.AsyncClient:
    """The one way out: guarded, and following no redirect, which would carry the key to an address nobody named."""
    import httpx2

    timeout = httpx2.Timeout(READ_SECONDS_MAX, connect=CONNECT_SECONDS_MAX)
    return httpx2.AsyncClient(transport=async_transport(guard), timeout=timeout, follow_redirects=False)


def model_of(target: Target, http: httpx2.AsyncClient) -> Model:
    """The model, ready to be asked through a client."""
    from pydantic_ai.exceptions import UserError

    try:
        return _model(target, http)
    except UserError as error:
        raise _no_key(target) from error


def _model(target: Target, http: httpx2.AsyncClient) -> Model:
    key = target.key or None
    if target.provider == "anthropic":
        from pydantic_ai.models.anthropic import AnthropicModel
        from pydantic_ai.providers.anthropic import AnthropicProvider

        anthropic = AnthropicProvider(base_url=target.url, api_key=key, http_client=http)
        return AnthropicModel(target.name, provider=anthropic)
    if target.provider == "google":
        from pydantic_ai.models.google import GoogleModel
        from pydantic_ai.providers.google import GoogleProvider

        return GoogleModel(target.name, provider=GoogleProvider(base_url=target.url, api_key=key, http_client=http))
    if target.provider == "ollama":
        from pydantic_ai.models.ollama import OllamaModel
        from pydantic_ai.providers.ollama import OllamaProvider

        ollama = OllamaProvider(base_url=target.url, api_key=key or NO_KEY, http_client=http)
        return OllamaModel(target.name, provider=ollama)
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    # Where another server than OpenAI's own is named, OpenAI's key out of the environment is not sent to it.
    if not key and target.url == URLS["openai"]:
        key = os.environ.get("OPENAI_API_KEY")
        if not key:
            raise _no_key(target)
    openai = OpenAIProvider(base_url=target.url, api_key=key or NO_KEY, http_client=http)
    return OpenAIChatModel(target.name, provider=openai)


def _no_key(target: Target) -> HindcastError:
    return Malformed(
        f"{target.full_name} needs a key.",
        field="ask_key",
        remedy=f"Set ask_key, or {target.provider.upper()}_API_KEY in the environment.",
    )
