import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { surfaceTools } from "./toolsets.ts";

export async function toolsList(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const { surface, all, on, empty, toolsets } = await surfaceTools(invocation);
  const rows = all.map((name) => ({
    name,
    is_enabled: on.includes(name) && !empty.includes(name),
    is_available: !empty.includes(name),
    description: toolsets.describe(name) || (name.startsWith("mcp-") ? "Tools of an MCP server" : ""),
    tools: toolsets.resolve(name),
  }));
  out.document({ platform: surface, toolsets: rows });
  out.line(`Toolsets of ${surface}`);
  out.table(
    [{ title: "" }, { title: "Toolset" }, { title: "About", isFlexible: true }, { title: "Tools", align: "right" }],
    rows.map((row) => [
      row.is_available ? (row.is_enabled ? "on" : "off") : "-",
      row.name,
      row.description,
      row.is_available ? String(row.tools.length || "?") : "none",
    ]),
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
    const { on, all, empty } = await surfaceTools(invocation, surface);
    const usable = all.filter((name) => !empty.includes(name));
    const [enabled, disabled] = [true, false].map((isOn) => usable.filter((name) => on.includes(name) === isOn));
    rows.push({ platform: surface, enabled: enabled ?? [], disabled: disabled ?? [] });
  }
  out.document({ platforms: rows });
  for (const { platform, enabled, disabled } of rows) {
    out.heading(`${platform}: ${enabled.length} of ${enabled.length + disabled.length} on`);
    out.line(`  ${enabled.join(", ")}`);
  }
  return 0;
}
