import { isSecretVariable, valueAt } from "#config";
import { isRecord } from "#foundation/text/json";
import type { OldHome } from "./old-home.ts";
import { plainText, type WantedSetting, webAddress } from "./wanted-setting.ts";

/** MCP servers mean the same here. Credentials in them are left out, and a reference stands in their place. */
export function mcpSettings({ config }: OldHome, looksSecret: (text: string) => boolean): readonly WantedSetting[] {
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
    const args = argumentsOf(server["args"]);
    if (holdsCredential(args, looksSecret) || looksSecret(url ?? ""))
      return { item, kind: "refused", why: "a credential stands in its arguments or its address" };
    const missing: string[] = [];
    const pairs = (field: "env" | "headers") => keptPairs(server[field], { name, field, missing, looksSecret });
    const cwd = plainText(server["cwd"] ?? server["workingDirectory"], 2_000);
    const env = pairs("env");
    const headers = pairs("headers");
    const value = {
      ...(url === undefined ? { command, ...(args.length === 0 ? {} : { args }) } : { url }),
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

function argumentsOf(value: unknown): readonly string[] {
  const words = Array.isArray(value) ? value : [];
  return words.filter((one): one is string => typeof one === "string" && one.length <= 2_000).slice(0, 200);
}

/** By its looks, or because it stands behind a flag that announces one. */
function holdsCredential(args: readonly string[], looksSecret: (text: string) => boolean): boolean {
  const announced = /^--?[\w-]*(?:token|secret|password|api-?key|bearer)[\w-]*(?:=(?!\$\{).+|$)/i;
  return args.some((one, index) => {
    if (looksSecret(one)) return true;
    if (!announced.test(one)) return false;
    const next = args[index + 1];
    return one.includes("=") || (next !== undefined && !next.startsWith("-") && !next.startsWith("${"));
  });
}

interface PairsOf {
  readonly name: string;
  readonly field: "env" | "headers";
  /** Variables that must be set by hand are added here. */
  readonly missing: string[];
  looksSecret(text: string): boolean;
}

function keptPairs(pairs: unknown, { name, field, missing, looksSecret }: PairsOf): Readonly<Record<string, string>> {
  const entries = Object.entries(isRecord(pairs) ? pairs : {}).slice(0, 200);
  return Object.fromEntries(
    entries.flatMap(([key, value]) => {
      if (!/^[A-Za-z_][\w-]{0,127}$/.test(key)) return [];
      const text = plainText(value, 4_000);
      const isNamedSo =
        field === "headers" ? /auth|key|token|cookie|secret/i.test(key) : isSecretVariable(key.toUpperCase());
      const isSecret = isNamedSo || looksSecret(text ?? "");
      const isReference = text !== undefined && /^\$\{[A-Z_][A-Z0-9_]*\}$/.test(text);
      if (!isSecret || isReference) return text === undefined ? [] : [[key, text] as const];
      const variable = `MCP_${name}_${key}`.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
      missing.push(variable);
      return [[key, `\${${variable}}`] as const];
    }),
  );
}
