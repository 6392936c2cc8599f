import { editConfig, type SettingChange } from "#config";
import { UserError } from "#foundation/errors";
import type { Invocation } from "../../command.ts";
import { argument, flagList, hasFlag } from "../../invocation.ts";
import { Output } from "../../output/output.ts";
import { isTerminal } from "../../support/ask.ts";
import { chooseMany } from "../../support/choose-many.ts";
import { editOptions } from "../../support/settings.ts";
import { usageError } from "../../usage-error.ts";
import { openMcpAccess, serverSettings } from "./open.ts";
import { tryServer } from "./test.ts";

/** Which tools of a server the model is offered: from the line, or from a checklist of what it has. */
export async function mcpConfigure(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  const parts = await openMcpAccess(invocation);
  const name = argument(invocation, 0);
  serverSettings(parts, name);
  const changes = flagChanges(invocation, name) ?? (await askedChanges(invocation, name));
  if (changes.length === 0) {
    out.line("Nothing was changed.");
    return 0;
  }
  await editConfig(changes, editOptions(invocation, parts.home));
  out.document({ server: name, changed: changes.map(({ path }) => path.join(".")) });
  out.line(`${name} is changed, starting with the next session.`);
  return 0;
}

function flagChanges(invocation: Invocation, name: string): readonly SettingChange[] | undefined {
  const at = (...rest: readonly string[]) => ["mcp_servers", name, ...rest];
  const include = flagList(invocation, "include");
  const exclude = flagList(invocation, "exclude");
  const [isAll, isOn, isOff] = ["all", "enable", "disable"].map((flag) => hasFlag(invocation, flag));
  if ([include.length > 0, exclude.length > 0, isAll].filter(Boolean).length > 1 || (isOn && isOff))
    throw usageError(
      "These options cannot be used together.",
      "Give one of --include, --exclude, --all; one of --enable, --disable.",
    );
  const changes: readonly SettingChange[] = [
    ...(include.length > 0 ? [{ kind: "set", path: at("tools", "include"), value: include } as const] : []),
    ...(exclude.length > 0
      ? [
          { kind: "unset", path: at("tools", "include") } as const,
          { kind: "set", path: at("tools", "exclude"), value: exclude } as const,
        ]
      : []),
    ...(isAll === true
      ? [
          { kind: "unset", path: at("tools", "include") } as const,
          { kind: "unset", path: at("tools", "exclude") } as const,
        ]
      : []),
    ...(isOn === true || isOff === true ? [{ kind: "set", path: at("enabled"), value: isOn === true } as const] : []),
  ];
  return changes.length === 0 ? undefined : changes;
}

async function askedChanges(invocation: Invocation, name: string): Promise<readonly SettingChange[]> {
  if (!isTerminal(invocation.io))
    throw usageError("What is to change?", "Give --include, --exclude, --all, --enable or --disable.");
  const tried = await tryServer(invocation, name);
  if (tried.kind === "failed")
    throw new UserError(`${name} does not answer: ${tried.reason}`, { code: "mcp_unreachable" });
  const { filter } = serverSettings(await openMcpAccess(invocation), name);
  const isOn = (tool: string): boolean => filter.include?.includes(tool) ?? !filter.exclude.includes(tool);
  const items = tried.tools.map((tool) => ({
    name: tool.name,
    detail: tool.description.slice(0, 60),
    isOn: isOn(tool.name),
  }));
  const wanted = await chooseMany(invocation.io, `Tools of ${name}`, items);
  return wanted === undefined ? [] : [{ kind: "set", path: ["mcp_servers", name, "tools", "include"], value: wanted }];
}
