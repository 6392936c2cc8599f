import type { MemoryProvider } from "./provider.ts";

const readWords =
  /(?:^|_)(?:search|list|get|read|recall|find|query|probe|lookup|show|stats?|status|count|context|profile|related|reason|contradict|ask|chat)(?:_|$)/i;

/**
 * Whether a call of a provider's tool only reads. The provider knows best; where it says nothing, the action it is
 * asked for decides, else the name of the tool. What is neither said nor recognised counts as writing.
 */
export function onlyReads(provider: MemoryProvider, tool: string, args: Readonly<Record<string, unknown>>): boolean {
  if (provider.isReadOnlyCall !== undefined) return provider.isReadOnlyCall(tool, args) === true;
  const { action } = args;
  return readWords.test(typeof action === "string" ? action : tool);
}
