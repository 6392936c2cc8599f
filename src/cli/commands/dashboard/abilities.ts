import { editConfig } from "#config";
import type { Abilities } from "#dashboard";
import { UserError } from "#foundation/errors";
import { listInstalled } from "#skills";
import { readPinnedTools } from "#tools";
import type { Invocation } from "../../command.ts";
import { editOptions } from "../../support/settings.ts";
import { openSkillHub } from "../../support/skills.ts";
import { switchToolsets } from "../tools/switch.ts";
import { surfaceTools } from "../tools/toolsets.ts";

/** Skills and toolsets for the dashboard, by the same lists that `hermes skills` and `hermes tools` write. */
export function dashboardAbilities(invocation: Invocation): Abilities {
  return {
    async skills(surface, signal) {
      const { home, hub, library } = await openSkillHub(invocation);
      const locked = await hub.installed();
      const rows = await listInstalled({ home, library, locked }, surface, signal);
      return rows.map((row) => {
        const entry = row.source === "hub" ? locked.find(({ name }) => name === row.name) : undefined;
        return { ...row, pin: entry?.revision ?? entry?.contentHash };
      });
    },
    async switchSkill({ name, surface, isOn }, signal) {
      const { home, library, loaded } = await openSkillHub(invocation);
      const skill = (await library.catalogue(signal)).skills.find((one) => one.name === name);
      if (skill === undefined)
        throw new UserError(`There is no skill "${name.slice(0, 100)}".`, { code: "skill_unknown" });
      const hasOwnList = Object.hasOwn(loaded.config.skills.platform_disabled, surface);
      const others = [...library.disabledOn(surface)].filter((one) => one !== name);
      const location = hasOwnList ? ["skills", "platform_disabled", surface] : ["skills", "disabled"];
      const value = isOn ? others : [...others, name];
      await editConfig([{ kind: "set", path: location, value }], editOptions(invocation, home));
    },
    async toolsets(surface) {
      const { all, on, empty, toolsets, home } = await surfaceTools(invocation, surface);
      const pins = await readPinnedTools(home.at("mcp-pins.json"));
      return all.map((name) => ({
        name,
        description: toolsets.describe(name) || (name.startsWith("mcp-") ? "Tools of an MCP server" : ""),
        tools: toolsets.resolve(name),
        isOn: on.includes(name) && !empty.includes(name),
        isAvailable: !empty.includes(name),
        pinned: name.startsWith("mcp-") ? (pins[name.slice("mcp-".length)] ?? []) : [],
      }));
    },
    async switchToolset({ name, surface, isOn }) {
      await switchToolsets(invocation, { tools: await surfaceTools(invocation, surface), names: [name], isOn });
    },
  };
}
