import { describe } from "#foundation/errors";
import type { PluginContext } from "./api.ts";

/** What a plugin brings for the terminal. Whoever draws the terminal checks what is in it. */
export type TerminalPart =
  | { readonly kind: "loaded"; readonly plugin: string; readonly extensions: readonly unknown[] }
  | { readonly kind: "left-out"; readonly plugin: string; readonly reason: string };

/** The module exports `extensions` (or a default): one, several, or a function that makes them from the context. */
export async function loadTerminalPart(
  plugin: string,
  context: PluginContext,
  load: () => Promise<unknown>,
): Promise<TerminalPart> {
  try {
    const loaded = await load();
    // A module namespace has no prototype, so it is not a record in the usual sense.
    const exports = typeof loaded === "object" && loaded !== null ? (loaded as Readonly<Record<string, unknown>>) : {};
    const exported = exports["extensions"] ?? exports["default"];
    const made: unknown = typeof exported === "function" ? await exported(context) : exported;
    if (made === undefined || made === null)
      return { kind: "left-out", plugin, reason: "its terminal module exports no extensions" };
    return { kind: "loaded", plugin, extensions: Array.isArray(made) ? made : [made] };
  } catch (error) {
    context.logger.error("the terminal part of a plugin failed to load", { error: describe(error) });
    return { kind: "left-out", plugin, reason: describe(error) };
  }
}
