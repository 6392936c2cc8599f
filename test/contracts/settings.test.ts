import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, it } from "vitest";
import { describeSettings } from "#config";
import { SettingReads } from "../../scripts/setting-reads.ts";

const root = path.join(import.meta.dirname, "../..");

/** Groups whose entries are read as foreign data, name by name, and by which file. */
const readByName: Readonly<Record<string, string>> = {
  "mcp_servers.": "src/tools/contract/mcp-settings.ts",
  "custom_providers[].": "src/model/providers/custom.ts",
  "providers.": "src/model/providers/custom.ts",
  "fallback_model.": "src/model/fallback/chain.ts",
  "fallback_providers[].": "src/model/fallback/chain.ts",
  "delegation.fallback_providers[].": "src/model/fallback/chain.ts",
  "auxiliary.": "src/model/auxiliary/task.ts",
  "logging.": "src/config/machine.ts",
};

/** Groups that are passed on whole: every key of them is a field of a request. */
const passedWhole: readonly string[] = ["provider_routing."];

/** Written by Hermes, for itself. */
const own: readonly string[] = ["_config_version"];

it("every setting without the mark of having no effect is read by some code [20:R7.12]", {
  // Types of the whole source are looked at: a minute of a free core, many of a busy one.
  timeout: 900_000,
}, async () => {
  const reads = new SettingReads();
  const settings = (await describeSettings()).filter(({ noEffect }) => noEffect === undefined);
  const unread = settings.filter(({ key }) => !own.includes(key) && !reads.isRead(key) && !isNamed(key));
  expect(unread.map(({ key }) => key)).toEqual([]);
  // A look that finds everything read finds nothing.
  expect(
    ["display.mouse_tracking", "gateway.limits.max_pending_per_session", "streaming.buffer_threshold"].filter((key) =>
      reads.isRead(key),
    ),
  ).toEqual([]);
});

function isNamed(key: string): boolean {
  const whole = passedWhole.find((group) => key.startsWith(group));
  if (whole !== undefined) return true;
  const file = Object.entries(readByName).find(([group]) => key.startsWith(group))?.[1];
  const name = key.split(".").at(-1) ?? key;
  return file !== undefined && new RegExp(`\\b${name}\\b`).test(readFileSync(path.join(root, file), "utf8"));
}
