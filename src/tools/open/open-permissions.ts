import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, systemErrorCode, UserError } from "#foundation/errors";
import { isRecord } from "#foundation/text/json";
import { Permissions } from "../approval/permissions/permissions.ts";
import { type PermissionEffect, type PermissionRule, readRuleTarget } from "../approval/permissions/rule.ts";
import type { ToolsBase } from "./tools-base.ts";

const effects: readonly PermissionEffect[] = ["deny", "ask", "allow"];
const projectFile = path.join(".hermes", "permissions.yaml");

/** The rules of the home, and those of folders a person trusts. */
export function openPermissions({ machine, config }: ToolsBase): Permissions {
  const { allow, ask, deny } = config.permissions;
  const { rules, problems } = readRules({ allow, ask, deny }, "config.yaml");
  // A rule that cannot be read may be one that forbids something: nothing runs without it.
  if (problems.length > 0)
    throw new UserError(`permissions: ${problems.join("; ")}.`, {
      code: "config_invalid",
      hint: "For example: terminal, command(git push *), path(~/private), domain(example.org), mcp(github)",
    });
  return new Permissions({
    home: rules,
    userHome: machine.userHome,
    project: async (folder) => {
      if (!machine.loaded.trust.isTrusted(folder)) return [];
      const found = await readProject(folder);
      for (const problem of found.problems) machine.notice(`${projectFile}: ${problem}. This rule does not count.`);
      return found.rules;
    },
  });
}

interface ReadRules {
  readonly rules: readonly PermissionRule[];
  readonly problems: readonly string[];
}

function readRules(lists: Readonly<Partial<Record<PermissionEffect, unknown>>>, origin: string): ReadRules {
  const rules: PermissionRule[] = [];
  const problems: string[] = [];
  for (const effect of effects) {
    const list = lists[effect] ?? [];
    if (!Array.isArray(list)) problems.push(`${effect} is not a list`);
    for (const written of Array.isArray(list) ? list : []) {
      const text = String(written);
      const target = readRuleTarget(text);
      if (typeof target === "string") problems.push(`${effect} ${JSON.stringify(text)} is no rule: ${target}`);
      else rules.push({ effect, text, origin, target });
    }
  }
  return { rules, problems };
}

const maxFileChars = 256 * 1024;

async function readProject(folder: string): Promise<ReadRules> {
  try {
    const text = await readFile(path.join(folder, projectFile), "utf8");
    if (text.length > maxFileChars) return { rules: [], problems: ["the file is too large"] };
    const { parse } = await import("yaml");
    const value: unknown = parse(text);
    return isRecord(value)
      ? readRules(value, projectFile)
      : { rules: [], problems: ["allow, ask and deny are expected"] };
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes(systemErrorCode(error) ?? "")) return { rules: [], problems: [] };
    return { rules: [], problems: [describe(error)] };
  }
}
