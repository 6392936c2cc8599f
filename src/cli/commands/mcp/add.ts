import { editConfig, isSecretVariable, writeSecret } from "#config";
import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { plural } from "#foundation/text/figures";
import type { Invocation } from "../../command.ts";
import { argument, flagList, flagText, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { editOptions } from "../../support/settings.ts";
import { usageError } from "../../usage-error.ts";
import { openMcpAccess } from "./open.ts";
import { tryServer } from "./test.ts";

const presets: Readonly<Record<string, readonly string[]>> = {
  filesystem: ["npx", "-y", "@modelcontextprotocol/server-filesystem", "."],
  memory: ["npx", "-y", "@modelcontextprotocol/server-memory"],
  fetch: ["uvx", "mcp-server-fetch"],
  git: ["uvx", "mcp-server-git"],
};

/** Credentials given in the line are moved to `.env`; the settings hold only a reference to them. */
export async function mcpAdd(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const parts = await openMcpAccess(invocation);
  const name = argument(invocation, 0);
  if (!/^[A-Za-z0-9][\w-]{0,63}$/.test(name))
    throw usageError(`"${name}" cannot be the name of a server.`, "Use letters, digits, - and _.");
  if (Object.hasOwn(parts.loaded.config.mcp_servers, name) && !hasFlag(invocation, "force"))
    throw new UserError(`There is already an MCP server "${name}".`, {
      code: "mcp_server_exists",
      hint: "Replace it with --force, or choose another name.",
    });
  const { entry, secrets } = entryOf(invocation, name);
  const options = editOptions(invocation, parts.home);
  for (const [variable, value] of secrets) await writeSecret(variable, new Secret(value), options);
  await editConfig([{ kind: "set", path: ["mcp_servers", name], value: entry }], options);
  out.line(`Added ${name}.`);
  for (const [variable] of secrets) out.line(`Its ${variable} is in ${parts.home.envFile}.`);
  const needsLogin = entry["auth"] === "oauth";
  if (needsLogin) out.line(`Log in to it with: hermes mcp login ${name}`);
  const tried = needsLogin || hasFlag(invocation, "no-test") ? undefined : await tryServer(invocation, name);
  out.document({ server: name, entry, test: tried ?? null });
  if (tried?.kind === "works") out.line(`It works and offers ${plural(tried.tools.length, "tool")}.`);
  if (tried?.kind === "failed") out.note(`It does not answer yet: ${tried.reason}`);
  return tried?.kind === "failed" ? 1 : 0;
}

interface Entry {
  readonly entry: Readonly<Record<string, unknown>>;
  readonly secrets: ReadonlyMap<string, string>;
}

function entryOf(invocation: Invocation, name: string): Entry {
  const preset = flagText(invocation, "preset");
  const [presetCommand, ...presetArgs] = preset === undefined ? [] : (presets[preset] ?? []);
  const url = flagText(invocation, "url");
  const command = flagText(invocation, "command") ?? presetCommand;
  if ((url === undefined) === (command === undefined))
    throw usageError(
      "A server has either an address or a program.",
      "Give --url, or --command (with --args), or --preset.",
    );
  if (url !== undefined && !/^https?:\/\//.test(url))
    throw usageError(`"${url}" is not an http address.`, "For example: --url https://example.com/mcp");
  const secrets = new Map<string, string>();
  const pairs = (flag: string): Readonly<Record<string, string>> =>
    Object.fromEntries(flagList(invocation, flag).map((pair) => kept(pair, { name, flag, secrets })));
  const args = [...presetArgs, ...flagList(invocation, "args")];
  const env = pairs("env");
  const headers = pairs("header");
  const auth = flagText(invocation, "auth");
  const entry = {
    ...(url === undefined ? { command, ...(args.length === 0 ? {} : { args }) } : { url }),
    ...(Object.keys(env).length === 0 ? {} : { env }),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    ...(auth === undefined || auth === "none" ? {} : { auth }),
  };
  return { entry, secrets };
}

/** `K=V`, the value replaced by a reference when it is a credential. */
function kept(
  pair: string,
  { name, flag, secrets }: { readonly name: string; readonly flag: string; readonly secrets: Map<string, string> },
): readonly [string, string] {
  const at = pair.indexOf("=");
  if (at <= 0) throw usageError(`"${pair}" is not NAME=value.`, `For example: --${flag} NAME=value`);
  const key = pair.slice(0, at);
  const value = pair.slice(at + 1);
  const isSecret = flag === "header" ? /auth|key|token|cookie/i.test(key) : isSecretVariable(key.toUpperCase());
  if (!isSecret || value.includes("${")) return [key, value];
  const variable = `MCP_${name}_${key}`.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
  secrets.set(variable, value);
  return [key, `\${${variable}}`];
}
