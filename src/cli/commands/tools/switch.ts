import { editConfig } from "#config";
import { UserError } from "#foundation/errors";
import { nearest } from "#foundation/text/text";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { editOptions } from "../../support/settings.ts";
import { type SurfaceTools, surfaceTools } from "./toolsets.ts";

export async function toolsSwitch(invocation: Invocation, isOn: boolean): Promise<number> {
  const out = new Output(invocation);
  const tools = await surfaceTools(invocation);
  const { names, wanted } = await switchToolsets(invocation, { tools, names: invocation.args, isOn });
  out.document({ platform: tools.surface, enabled: wanted });
  const did = isOn ? "on" : "off";
  for (const name of names) {
    if (isOn && tools.empty.includes(name)) {
      out.note(`${name} is kept in the list, but this version has no tools in it.`);
      continue;
    }
    const was = tools.on.includes(name);
    out.line(
      was === isOn
        ? `${name} was ${did} already.`
        : `${name} is ${did} for ${tools.surface}, starting with the next session.`,
    );
  }
  return 0;
}

/** Switches toolsets of a surface; names it does not have are refused. */
export async function switchToolsets(
  invocation: Invocation,
  change: { readonly tools: SurfaceTools; readonly names: readonly string[]; readonly isOn: boolean },
): Promise<{ readonly names: readonly string[]; readonly wanted: readonly string[] }> {
  const { tools, isOn } = change;
  const names = change.names.map((name) => knownName(name, tools));
  const wanted = isOn ? [...new Set([...tools.on, ...names])] : tools.on.filter((name) => !names.includes(name));
  await saveToolsets(invocation, tools, wanted);
  return { names, wanted };
}

/** Written as the list of what is on. Without any server of its own, a list must say that none is wanted. */
export async function saveToolsets(
  invocation: Invocation,
  tools: SurfaceTools,
  wanted: readonly string[],
): Promise<void> {
  const servers = tools.all.filter((name) => name.startsWith("mcp-"));
  const hasLostServers = servers.length > 0 && !wanted.some((name) => name.startsWith("mcp-"));
  const value = [...wanted, ...(hasLostServers ? ["no_mcp"] : [])];
  await editConfig(
    [{ kind: "set", path: ["platform_toolsets", tools.surface], value }],
    editOptions(invocation, tools.home),
  );
}

function knownName(name: string, { all, surface }: SurfaceTools): string {
  if (all.includes(name)) return name;
  if (all.includes(`mcp-${name}`)) return `mcp-${name}`;
  const meant = nearest(name, all);
  throw new UserError(`${surface} has no toolset "${name}".${meant === undefined ? "" : ` Did you mean ${meant}?`}`, {
    code: "toolset_unknown",
    hint: `See them with: hermes tools list --platform ${surface}`,
  });
}
