import { editConfig, explain, formatKeyPath, type SettingChange, valueAt } from "#config";
import { defined } from "#foundation/defined";
import { Secret } from "#foundation/secrets/secret";
import { isRecord } from "#foundation/text/json";
import { openModelAccess } from "../../support/models.ts";
import { editOptions, loadSettings } from "../../support/settings.ts";
import { saveChoice } from "../model/save.ts";
import { channelSettings } from "./channels.ts";
import { mcpSettings } from "./mcp-servers.ts";
import { modelSettings } from "./models.ts";
import type { Migration, Step } from "./step.ts";
import type { WantedSetting } from "./wanted-setting.ts";

/** Settings that have a counterpart here. What is set here already is only replaced when that was asked for. */
export async function planSettings(migration: Migration): Promise<readonly Step[]> {
  const { old, invocation } = migration;
  await using parts = await openModelAccess(invocation, { isQuiet: true });
  const wanted = [
    ...modelSettings(old, parts.models.context.registry),
    ...(await channelSettings(old)),
    ...mcpSettings(old, (text) => migration.redact(text) !== text),
  ];
  return wanted.map((one) => planSetting(migration, one));
}

function planSetting(migration: Migration, wanted: WantedSetting): Step {
  const item = { area: "settings", item: wanted.item } as const;
  if (wanted.kind === "refused") return { ...item, kind: "skip", why: wanted.why };
  const { config } = migration.loaded;
  const [head] = wanted.path;
  if (wanted.kind === "add") return planList(migration, wanted);
  if (head === "model" && isRecord(wanted.value)) return planModel(migration, wanted.item, wanted.value);
  const present = valueAt(config, wanted.path);
  const isFree =
    present === undefined ||
    present === "" ||
    (Array.isArray(present) && present.length === 0) ||
    isDefault(migration, wanted.path);
  return decided(migration, {
    item: wanted.item,
    key: formatKeyPath(wanted.path),
    isSame: says(present, wanted.value),
    isFree,
    ...defined({ note: wanted.note }),
    changes: [{ kind: "set", path: wanted.path, value: wanted.value }],
  });
}

/** Whether what is here says all that is wanted. What is here is complete with defaults; credentials cannot be seen. */
function says(present: unknown, wanted: unknown): boolean {
  if (present instanceof Secret) return typeof wanted === "string";
  if (Array.isArray(wanted))
    return (
      Array.isArray(present) &&
      present.length === wanted.length &&
      wanted.every((one, index) => says(present[index], one))
    );
  if (!isRecord(wanted)) return present === wanted;
  return isRecord(present) && Object.entries(wanted).every(([key, value]) => says(present[key], value));
}

/** Nobody has said anything about it here. */
function isDefault({ loaded }: Migration, path: readonly string[]): boolean {
  return explain(loaded, formatKeyPath(path)).source.kind === "default";
}

/** People here and people there are both let in. */
function planList(migration: Migration, wanted: Extract<WantedSetting, { kind: "add" }>): Step {
  const present = valueAt(migration.loaded.config, wanted.path);
  const here = Array.isArray(present) ? present.map(String) : [];
  const added = wanted.values.filter((one) => !here.includes(one));
  const item = { area: "settings", item: wanted.item } as const;
  const key = formatKeyPath(wanted.path);
  if (added.length === 0) return { ...item, kind: "skip", why: "all of them are here already" };
  return {
    ...item,
    kind: "take",
    into: key,
    note: `${added.length} more`,
    apply: async () => {
      // Another step may have added to the same list meanwhile.
      const { loaded } = await loadSettings(migration.invocation, { isQuiet: true });
      const now = valueAt(loaded.config, wanted.path);
      const value = [...new Set([...(Array.isArray(now) ? now.map(String) : []), ...wanted.values])];
      await edit(migration, [{ kind: "set", path: wanted.path, value }]);
    },
  };
}

function planModel(migration: Migration, item: string, value: Readonly<Record<string, unknown>>): Step {
  const { model } = migration.loaded.config;
  const choice = { provider: String(value["provider"]), model: String(value["model"]) };
  const step = decided(migration, {
    item,
    key: "model",
    isSame: model.default === choice.model && model.provider === choice.provider,
    isFree: model.default === "",
    note: `${choice.provider}: ${choice.model}`,
    changes: [],
  });
  if (step.kind !== "take") return step;
  return { ...step, apply: async () => void (await saveChoice(migration.invocation, choice)) };
}

interface Candidate {
  readonly item: string;
  readonly key: string;
  readonly isSame: boolean;
  readonly isFree: boolean;
  readonly note?: string;
  readonly changes: readonly SettingChange[];
}

function decided(migration: Migration, { item, key, isSame, isFree, note, changes }: Candidate): Step {
  const about = { area: "settings", item } as const;
  if (isSame) return { ...about, kind: "skip", why: "it is the same here" };
  if (!isFree && !migration.wanted.overwrites)
    return { ...about, kind: "conflict", why: `${key} is set here; --overwrite replaces it` };
  return {
    ...about,
    kind: "take",
    into: key,
    ...defined({ note }),
    apply: async () => await edit(migration, changes),
  };
}

async function edit({ invocation, home }: Migration, changes: readonly SettingChange[]): Promise<void> {
  await editConfig(changes, editOptions(invocation, home));
}
