import type { Platform } from "../../platform/platform.ts";

const maxLength = 100_000;

export const webhook: Platform = {
  id: "webhook",
  label: "Webhooks",
  envPrefix: "WEBHOOK",
  capabilities: {
    maxLength,
    lengthUnit: "codepoints",
    canEdit: false,
    needsFinalEdit: false,
    canType: false,
    canReact: false,
    hasButtons: false,
    hasThreads: false,
    takesAnswers: false,
    media: {},
    settlesSends: "key",
    tier: "minimal",
    rate: { account: 20, chat: 20 },
  },
  credentials: [
    {
      name: "token",
      variable: "WEBHOOK_SECRET",
      question: "Secret for all routes",
      help: "Callers sign with it. Routes stand in config.yaml under platforms.webhook.extra.routes.",
      isSecret: true,
    },
  ],
  lock: () => undefined,
  render: (markdown) => [{ text: markdown.slice(0, maxLength), plain: markdown.slice(0, maxLength) }],
  readTarget: (text) => (/^[a-z0-9][a-z0-9_-]*$/u.test(text) ? { chatId: text } : undefined),
  async connect(ports) {
    const { connectWebhook } = await import("./connection.ts");
    return await connectWebhook(ports);
  },
};
