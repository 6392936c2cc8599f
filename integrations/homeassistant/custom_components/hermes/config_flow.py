"""Asks for the address of Hermes and the key of its API."""

from typing import Any

import aiohttp
import voluptuous as vol
from homeassistant.config_entries import ConfigFlow, ConfigFlowResult
from homeassistant.helpers.aiohttp_client import async_get_clientsession

from .const import CONF_KEY, CONF_URL, DOMAIN

SCHEMA = vol.Schema({vol.Required(CONF_URL, default="http://127.0.0.1:8642"): str, vol.Required(CONF_KEY): str})


class HermesConfigFlow(ConfigFlow, domain=DOMAIN):
    VERSION = 1

    async def async_step_user(self, user_input: dict[str, Any] | None = None) -> ConfigFlowResult:
        errors: dict[str, str] = {}
        if user_input is not None:
            url = user_input[CONF_URL].rstrip("/")
            error = await self._problem(url, user_input[CONF_KEY])
            if error is None:
                return self.async_create_entry(title="Hermes", data={CONF_URL: url, CONF_KEY: user_input[CONF_KEY]})
            errors["base"] = error
        return self.async_show_form(step_id="user", data_schema=SCHEMA, errors=errors)

    async def _problem(self, url: str, key: str) -> str | None:
        session = async_get_clientsession(self.hass)
        headers = {"Authorization": f"Bearer {key}"}
        try:
            async with session.get(f"{url}/v1/models", headers=headers, timeout=aiohttp.ClientTimeout(total=10)) as answer:
                if answer.status in (401, 403):
                    return "invalid_auth"
                return None if answer.ok else "cannot_connect"
        except (aiohttp.ClientError, TimeoutError):
            return "cannot_connect"
