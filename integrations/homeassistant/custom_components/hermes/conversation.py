"""Hands what people say to Hermes, and speaks its answer."""

from typing import Literal

import aiohttp
from homeassistant.components import conversation
from homeassistant.config_entries import ConfigEntry
from homeassistant.const import MATCH_ALL
from homeassistant.core import HomeAssistant
from homeassistant.helpers import intent
from homeassistant.helpers.aiohttp_client import async_get_clientsession
from homeassistant.helpers.entity_platform import AddEntitiesCallback

from .const import CONF_KEY, CONF_URL, TIMEOUT_SECONDS


async def async_setup_entry(hass: HomeAssistant, entry: ConfigEntry, async_add_entities: AddEntitiesCallback) -> None:
    async_add_entities([HermesConversation(entry)])


class HermesConversation(conversation.ConversationEntity):
    _attr_has_entity_name = True
    _attr_name = "Hermes"

    def __init__(self, entry: ConfigEntry) -> None:
        self._entry = entry
        self._attr_unique_id = entry.entry_id

    @property
    def supported_languages(self) -> list[str] | Literal["*"]:
        return MATCH_ALL

    async def async_process(self, user_input: conversation.ConversationInput) -> conversation.ConversationResult:
        response = intent.IntentResponse(language=user_input.language)
        body = {
            "text": user_input.text,
            "conversation_id": user_input.conversation_id,
            "user_id": user_input.context.user_id,
            "language": user_input.language,
        }
        conversation_id = user_input.conversation_id
        try:
            answer = await self._ask(body)
            conversation_id = answer["conversation_id"]
            speech = answer["response"]["speech"]["plain"]["speech"]
            if answer["response"]["response_type"] == "error":
                response.async_set_error(intent.IntentResponseErrorCode.UNKNOWN, speech)
            else:
                response.async_set_speech(speech)
        except (aiohttp.ClientError, TimeoutError, KeyError, ValueError) as error:
            response.async_set_error(intent.IntentResponseErrorCode.UNKNOWN, f"Hermes cannot be reached: {error}")
        return conversation.ConversationResult(response=response, conversation_id=conversation_id)

    async def _ask(self, body: dict) -> dict:
        session = async_get_clientsession(self.hass)
        url = f"{self._entry.data[CONF_URL]}/api/homeassistant/conversation"
        headers = {"Authorization": f"Bearer {self._entry.data[CONF_KEY]}"}
        timeout = aiohttp.ClientTimeout(total=TIMEOUT_SECONDS)
        sent = {name: value for name, value in body.items() if value is not None}
        async with session.post(url, json=sent, headers=headers, timeout=timeout) as answer:
            answer.raise_for_status()
            return await answer.json()
