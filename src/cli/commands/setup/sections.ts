export type SectionName = "model" | "tts" | "terminal" | "gateway" | "tools" | "agent";

export interface SetupSection {
  readonly title: string;
  /** Asked one after the other, with what the schema says about them. */
  readonly settings: readonly string[];
  /** Credentials, typed unseen. */
  readonly secrets: readonly string[];
  readonly notes: readonly string[];
}

/** What the wizard asks. Data: a new question is a new line. */
export const sections: Readonly<Record<SectionName, SetupSection>> = {
  model: { title: "Model and provider", settings: [], secrets: [], notes: [] },
  terminal: {
    title: "Where commands run",
    settings: ["terminal.backend", "terminal.sandbox", "terminal.timeout"],
    secrets: [],
    notes: [],
  },
  agent: {
    title: "The agent",
    settings: [
      "agent.max_turns",
      "display.tool_progress",
      "compression.enabled",
      "session_reset.mode",
      "approvals.mode",
    ],
    secrets: [],
    notes: [],
  },
  gateway: { title: "Messaging", settings: [], secrets: [], notes: [] },
  tools: {
    title: "Tools",
    settings: ["web.backend"],
    secrets: ["FIRECRAWL_API_KEY", "TAVILY_API_KEY", "EXA_API_KEY"],
    notes: ["Turn toolsets on and off with: hermes tools"],
  },
  tts: { title: "Voice", settings: ["tts.provider", "stt.provider"], secrets: ["ELEVENLABS_API_KEY"], notes: [] },
};
