import { isSecretVariable, valueAt } from "#config";
import { isRecord } from "#foundation/json";
import type { OldHome } from "./old-home.ts";
import { plainText, type WantedSetting, webAddress } from "./wanted-setting.ts";

/** MCP servers mean the same here. Credentials in them are left out, and a reference stands in their place. */
export function mcpSettings({ config }: OldHome): readonly WantedSetting[] {
  const servers = valueAt(config, ["mcp", "servers"]) ?? config["mcpServers"];
  return Object.entries(isRecord(servers) ? servers : {}).map(([name, server]): WantedSetting => {
    const item = `mcp.servers.${name.slice(0, 64)}`;
    if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name))
      return { item, kind: "refused", why: "no server may have that name here" };
    if (!isRecord(server)) return { item, kind: "refused", why: "it is not a map" };
    const url = webAddress(server["url"]);
    const command = plainText(server["command"], 2_000);
    if (url === undefined && command === undefined)
      return { item, kind: "refused", why: "it has no program and no address" };
    const missing: string[] = [];
    const pairs = (field: "env" | "headers") => keptPairs(server[field], { name, field, missing });
    const args = Array.isArray(server["args"])
      ? server["args"].filter((one): one is string => typeof one === "string")
      : [];
    const cwd = plainText(server["cwd"] ?? server["workingDirectory"], 2_000);
    const env = pairs("env");
    const headers = pairs("headers");
    const value = {
      ...(url === undefined ? { command, ...(args.length === 0 ? {} : { args: args.slice(0, 200) }) } : { url }),
      ...(url === undefined && cwd !== undefined ? { cwd } : {}),
      ...(server["transport"] === "sse" ? { transport: "sse" } : {}),
      ...(Object.keys(env).length === 0 ? {} : { env }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(server["enabled"] === false || server["disabled"] === true ? { enabled: false } : {}),
    };
    const note = missing.length === 0 ? {} : { note: `set what it needs: ${missing.join(", ")}` };
    return { item, kind: "set", path: ["mcp_servers", name], value, ...note };
  });
}

function keptPairs(
  pairs: unknown,
  { name, field, missing }: { readonly name: string; readonly field: "env" | "headers"; readonly missing: string[] },
): Readonly<Record<string, string>> {
  const entries = Object.entries(isRecord(pairs) ? pairs : {}).slice(0, 200);
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      if (!/^[A-Za-z_][\w-]{0,127}$/.test(key)) return [];
      const isSecret =
        field === "headers" ? /auth|key|token|cookie|secret/i.test(key) : isSecretVariable(key.toUpperCase());
      const text = plainText(value, 4_000);
      const isReference = text !== undefined && /^\$\{[A-Z_][A-Z0-9_]*\}$/.test(text);
      if (!isSecret || isReference) return text === undefined ? [] : [[key, text] as const];
      const variable = `MCP_${name}_${key}`.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
      missing.push(variable);
      return [[key, `\${${variable}}`] as const];
    }),
  );
}
