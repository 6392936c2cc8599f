import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fromJSONSchema } from "zod";
import { openHermes } from "#app";
import type { JsonSchema } from "#conversation";

export interface OwnTool {
  readonly type: "function";
  readonly function: { readonly name: string; readonly description: string; readonly parameters: JsonSchema };
}

/** Tools that ship with Hermes, those with the richest schemas first, in the form a provider is offered them. */
export async function ownTools(count: number): Promise<readonly OwnTool[]> {
  const folder = await mkdtemp(path.join(tmpdir(), "hermes-tools-"));
  try {
    const env = { HOME: folder, HERMES_HOME: path.join(folder, ".hermes"), PATH: process.env["PATH"] };
    await using hermes = await openHermes({
      env,
      cwd: folder,
      version: "0.0.0",
      isIncognito: true,
      onNotice: () => undefined,
    });
    const size = ({ parameters }: { readonly parameters: JsonSchema }): number => JSON.stringify(parameters).length;
    const tools = [...hermes.toolbox.registry.snapshot().tools.values()].sort((a, b) => size(b) - size(a));
    return tools.slice(0, count).map(({ name, description, parameters }) => ({
      type: "function",
      function: { name, description: description.split("\n")[0] ?? "", parameters },
    }));
  } finally {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** What is wrong with a call, by the schema of the tool it names; undefined for a valid one. */
export function faultOf(
  call: { readonly name: string; readonly args: string },
  tools: readonly OwnTool[],
): string | undefined {
  const tool = tools.find((one) => one.function.name === call.name);
  if (tool === undefined) return `there is no tool ${call.name}`;
  let args: unknown;
  try {
    args = JSON.parse(call.args);
  } catch {
    return `not JSON: ${call.args}`;
  }
  const result = fromJSONSchema(tool.function.parameters as Parameters<typeof fromJSONSchema>[0]).safeParse(args);
  return result.success ? undefined : `${call.args}: ${result.error.message}`;
}
