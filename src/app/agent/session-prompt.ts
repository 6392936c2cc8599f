import { type Conversation, createPromptSource } from "#agent";
import type { AgentRequest } from "#session";
import type { Listing } from "#tools";
import type { SessionMemory } from "./open-memory.ts";
import { gatherPrompt } from "./prompt-inputs.ts";
import type { SessionTools } from "./session-tools.ts";
import type { SharedParts } from "./shared-parts.ts";

/** The frozen prompt of a session, made from what this person has. */
export function promptOf(
  spec: AgentRequest,
  given: {
    readonly shared: SharedParts;
    readonly conversation: Conversation;
    readonly tools: SessionTools;
    readonly memory: SessionMemory | undefined;
    readonly signal: AbortSignal;
  },
) {
  const { shared, conversation, tools, memory, signal } = given;
  const { options } = spec;
  const warnings = new Set<string>();
  // The prompt is gathered again after a compression.
  const warn = (text: string): void => {
    if (!warnings.has(text)) spec.events.emit({ type: "notice", level: "warn", text });
    warnings.add(text);
  };
  return createPromptSource({
    hasHistory: spec.history.length > 0,
    load: () => spec.prompt.load(),
    save: (text, record) => spec.prompt.save(text, record),
    gather: async () =>
      gatherPrompt(
        {
          loaded: shared.loaded,
          home: shared.home,
          logger: shared.logger,
          cwd: options.cwd,
          surface: options.source,
          listing: tools.listing,
          model: conversation.primary.model,
          provider: conversation.primary.provider,
          startedAtMs: spec.startedAtMs,
          skipsFiles: options.ignoreRules === true,
          memory: await memory?.snapshot(),
          warn,
          providerBlock: memory?.manager.promptBlock,
          skills: hasSkillTools(tools.listing) ? shared.skills : undefined,
          ...(options.systemMessage === undefined ? {} : { systemMessage: options.systemMessage }),
          ...(options.passSessionId === true ? { rootSessionId: spec.rootSessionId } : {}),
        },
        signal,
      ),
  });
}

function hasSkillTools(listing: Listing): boolean {
  return ["skills_list", "skill_view", "skill_manage"].some((name) => listing.names.has(name));
}
