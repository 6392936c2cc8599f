import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { surfaceTools } from "./toolsets.ts";

export async function toolsList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { surface, all, on, toolsets } = await surfaceTools(invocation);
  const rows = all.map((name) => ({
    name,
    is_enabled: on.includes(name),
    description: toolsets.describe(name) || (name.startsWith("mcp-") ? "Tools of an MCP server" : ""),
    tools: toolsets.resolve(name),
  }));
  out.document({ platform: surface, toolsets: rows });
  out.line(`Toolsets of ${surface}`);
  out.table(
    [{ title: "" }, { title: "Toolset" }, { title: "About", isFlexible: true }, { title: "Tools", align: "right" }],
    rows.map((row) => [row.is_enabled ? "on" : "off", row.name, row.description, String(row.tools.length || "?")]),
  );
  return 0;
}

/** One line for every surface that has a choice of its own, and the terminal. */
export async function toolsSummary(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { loaded } = await surfaceTools(invocation, "cli");
  const surfaces = [...new Set(["cli", ...Object.keys(loaded.config.platform_toolsets)])];
  const rows = [];
  for (const surface of surfaces) {
    const { on, all } = await surfaceTools(invocation, surface);
    rows.push({ platform: surface, enabled: on, disabled: all.filter((name) => !on.includes(name)) });
  }
  out.document({ platforms: rows });
  for (const { platform, enabled, disabled } of rows) {
    out.heading(`${platform}: ${enabled.length} of ${enabled.length + disabled.length} on`);
    out.line(`  ${enabled.join(", ")}`);
  }
  return 0;
}
