import type { PromptInputs } from "./inputs.ts";

export const layerNames = [
  "identity",
  "tool-guidance",
  "subscription",
  "tool-use-enforcement",
  "system-message",
  "memory",
  "user-profile",
  "external-memory",
  "skills-index",
  "context-files",
  "session",
  "model-identity",
  "environment",
  "platform",
] as const;

export type LayerName = (typeof layerNames)[number];

/** One named part of the system prompt. */
export interface Layer {
  readonly name: LayerName;
  /** What this layer depends on, as plain data; equal data gives equal text. */
  inputs(all: PromptInputs): unknown;
  /** The text; empty leaves the layer out. */
  render(all: PromptInputs): string;
}

/**
 * A layer renders from what it picked and sees nothing else, so that a fingerprint of the picked
 * part cannot miss anything the text depends on.
 */
export function defineLayer<Picked>(layer: {
  readonly name: LayerName;
  pick(all: PromptInputs): Picked;
  render(picked: Picked): string;
}): Layer {
  return {
    name: layer.name,
    inputs: layer.pick,
    render: (all) => layer.render(layer.pick(all)),
  };
}
