import type { AgentEvents } from "#conversation";
import type { AgentDeps, AgentTools } from "../agent-deps.ts";
import type { Transcript } from "../ports.ts";
import type { ChildRecord } from "./child-record.ts";
import type { ChildSpec } from "./child-spec.ts";
import type { Delegate } from "./delegate.ts";
import { delegating } from "./delegate-tool.ts";

export interface Seal {
  readonly spec: ChildSpec;
  readonly prompt: string;
  readonly maxSteps: number;
  readonly maxChildren: number;
  readonly transcript: Transcript;
  readonly record: ChildRecord;
  /** What answers the child's own `delegate_task`, when it may delegate. */
  readonly delegate: Delegate | undefined;
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
  return {
    listing: () => spec.listing,
    files: tools.files,
    limits: tools.limits,
    redact: (text) => tools.redact(text),
    abilities: () => tools.abilities().with(delegating, delegate),
    observers: (turn) => tools.observers(turn),
    hintsFor: (tool, args) => tools.hintsFor(tool, args),
  };
}
