import type { CommandView, SurfaceAction } from "../api.ts";

/** Small constructors, so that commands read as what they say. */
export function say(text: string): CommandView {
  return { kind: "text", text };
}

export function warn(text: string): CommandView {
  return { kind: "text", text, level: "warn" };
}

export function fault(text: string): CommandView {
  return { kind: "text", text, level: "error" };
}

export function act(action: SurfaceAction): CommandView {
  return { kind: "surface", action };
}
