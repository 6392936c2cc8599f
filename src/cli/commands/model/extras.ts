import { editConfig, type SettingChange } from "#config";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openAsker } from "../../support/ask.ts";
import type { ModelAccess } from "../../support/models.ts";
import { editOptions } from "../../support/settings.ts";
import { pickOrLeave } from "./pick.ts";
import { rememberEndpoint, slugOf } from "./remember-endpoint.ts";

/** Forgets a saved server of one's own; when it was the one in use, the provider is automatic again. */
export async function removeEndpoint(invocation: Invocation, parts: ModelAccess): Promise<void> {
  const out = new Output(invocation);
  const { config } = parts.loaded;
  if (config.custom_providers.length === 0) {
    out.line("You have no saved servers.");
    return;
  }
  const at = await askWhich(invocation, parts);
  const entry = at === undefined ? undefined : config.custom_providers[at];
  if (at === undefined || entry === undefined) {
    out.line("Nothing was removed.");
    return;
  }
  const wasChosen = config.model.provider === slugOf(entry.name);
  const changes: readonly SettingChange[] = [
    { kind: "unset", path: ["custom_providers", String(at)] },
    ...(wasChosen
      ? [
          { kind: "set", path: ["model", "provider"], value: "auto" } as const,
          { kind: "unset", path: ["model", "default"] } as const,
        ]
      : []),
  ];
  await editConfig(changes, editOptions(invocation, parts.home));
  out.line(`${entry.name} was removed.`);
  if (entry.key_env !== "") out.line(`Its key is still in .env: hermes config unset ${entry.key_env}`);
  if (wasChosen) out.line("It was in use; the provider is now chosen automatically.");
}

async function askWhich({ io }: Invocation, { loaded }: ModelAccess): Promise<number | undefined> {
  using asker = openAsker(io);
  const choices = loaded.config.custom_providers.map((one, index) => ({
    label: one.name,
    detail: one.base_url,
    value: index as number | undefined,
  }));
  return await asker.choose("Which one is to go?", [...choices, { label: "None", value: undefined }]);
}

const tasks = ["vision", "web_extract", "compression", "session_search", "approval", "title_generation"] as const;

/** A model of its own for one side task. */
export async function chooseAuxiliary(invocation: Invocation, parts: ModelAccess): Promise<void> {
  const out = new Output(invocation);
  const task = await askTask(invocation, parts);
  const picked = await pickOrLeave(invocation, parts);
  if (picked === undefined) {
    out.line("Nothing was changed.");
    return;
  }
  const at = (key: string): readonly string[] => ["auxiliary", task, key];
  const { provider, model, changes } = await rememberEndpoint(invocation, picked);
  await editConfig(
    [
      ...changes,
      { kind: "set", path: at("provider"), value: provider },
      { kind: "set", path: at("model"), value: model },
      { kind: "unset", path: at("base_url") },
    ],
    editOptions(invocation, parts.home),
  );
  out.line(`${task}: ${provider}, ${model}`);
}

async function askTask({ io }: Invocation, { loaded }: ModelAccess): Promise<(typeof tasks)[number]> {
  using asker = openAsker(io);
  return await asker.choose(
    "Which task?",
    tasks.map((task) => {
      const { provider, model } = loaded.config.auxiliary[task];
      return { label: task, detail: model === "" ? provider : `${provider}: ${model}`, value: task };
    }),
  );
}
