import type { AgentEvents } from "#conversation";
import type { Tool } from "#tools";
import type { AgentDeps, AgentTools } from "../agent-deps.ts";
import type { Transcript } from "../ports.ts";
import { delegateTaskName } from "./child-listing.ts";
import type { ChildRecord } from "./child-record.ts";
import type { ChildSpec } from "./child-spec.ts";

export interface Seal {
  readonly spec: ChildSpec;
  readonly prompt: string;
  readonly maxSteps: number;
  readonly maxChildren: number;
  readonly transcript: Transcript;
  readonly record: ChildRecord;
  /** What answers the child's own `delegate_task`, when it may delegate. */
  readonly delegate: Tool["execute"] | undefined;
  readonly events: AgentEvents;
}

/** The parts of a child with everything in its place that keeps it apart from its parent, whatever they came with. */
export function sealedDeps(parts: AgentDeps, seal: Seal): AgentDeps {
  const { spec, record, transcript } = seal;
  if (parts.conversation !== spec.conversation)
    throw new Error("The parts of a child were not built around its own conversation.");
  return {
    ...parts,
    settings: { ...parts.settings, maxSteps: seal.maxSteps, maxConcurrentChildren: seal.maxChildren },
    scope: spec.parent.scope,
    tools: sealedTools(parts.tools, seal),
    record: {
      ...parts.record,
      transcript: {
        record(messages) {
          record.recorded(messages);
          return transcript.record(messages);
        },
        amend: (messages) => transcript.amend(messages),
        split: (messages) => transcript.split(messages),
        forget: (uids) => transcript.forget(uids),
      },
    },
    prompt: { ...parts.prompt, ephemeral: () => seal.prompt },
    memory: { ...parts.memory, turns: undefined },
    observers: { ...parts.observers, events: seal.events, afterTurn: () => undefined },
  };
}

function sealedTools(tools: AgentTools, { spec, delegate }: Seal): AgentTools {
  const own = [...tools.agentTools].filter(([name]) => name !== delegateTaskName && spec.listing.names.has(name));
  return {
    listing: () => spec.listing,
    files: tools.files,
    limits: tools.limits,
    redact: (text) => tools.redact(text),
    agentTools: new Map(delegate === undefined ? own : [...own, [delegateTaskName, delegate]]),
    observers: (turn) => tools.observers(turn),
    hintsFor: (tool, args) => tools.hintsFor(tool, args),
  };
}
