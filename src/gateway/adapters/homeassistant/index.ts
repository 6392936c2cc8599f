import type { Platform } from "../../platform/platform.ts";
import { plainCapabilities } from "../support/plain-platform.ts";
import { plainTexts } from "../support/plain-text.ts";

const maxLength = 4096;

export const homeassistant: Platform = {
  id: "homeassistant",
  label: "Home Assistant",
  envPrefix: "HASS",
  capabilities: plainCapabilities({
    maxLength,
    lengthUnit: "utf16",
    settlesSends: "key",
    tier: "minimal",
    rate: { account: 5, chat: 1 },
  }),
  credentials: [
    {
      name: "url",
      variable: "HASS_URL",
      question: "Address of Home Assistant",
      help: "For example http://homeassistant.local:8123",
      isSecret: false,
    },
    {
      name: "token",
      variable: "HASS_TOKEN",
      question: "Long-lived access token",
      help: "In Home Assistant: your profile, Security, Long-lived access tokens, Create token.",
      isSecret: true,
    },
  ],
  lock: ({ homeassistant: { url: identity } }) => ({ scope: "homeassistant-url", identity }),
  // Notifications show Markdown.
  render: (markdown) => plainTexts(markdown, maxLength),
  readTarget: (text) => (text === "ha_events" ? { chatId: text } : undefined),
  async connect(ports, signal) {
    const { connectHomeAssistant } = await import("./connection.ts");
    return await connectHomeAssistant(ports, signal);
  },
};
