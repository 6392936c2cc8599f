import type { PluginState } from "#plugins";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openPlugins } from "../../support/plugins.ts";

export async function pluginsList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { host, loaded } = await openPlugins(invocation, { isLoaded: true });
  await using _plugins = host;
  const rows = host.list.map((one) => ({
    name: one.key,
    source: one.source,
    version: one.version,
    state: one.state.kind,
    reason: one.state.kind === "failed" ? one.state.reason : null,
    permissions: one.permissions,
    description: one.description,
    folder: one.folder,
  }));
  const { memory, context } = loaded.config;
  out.document({ plugins: rows, memory_provider: memory.provider || null, context_engine: context.engine });
  if (rows.length === 0) out.line("No plugins. Install one with: hermes plugins install <folder|git address|package>");
  else
    out.table(
      [
        { title: "Name" },
        { title: "Version" },
        { title: "State" },
        { title: "From" },
        { title: "About", isFlexible: true },
      ],
      host.list.map((one) => [one.key, one.version, stateText(one.state), one.source, one.description]),
    );
  for (const row of rows) if (row.reason !== null) out.note(`${row.name}: ${row.reason}`);
  out.line(
    `Memory provider: ${memory.provider === "" ? "built-in notes" : memory.provider}   Context engine: ${context.engine}`,
  );
  return 0;
}

function stateText(state: PluginState): string {
  return state.kind;
}
