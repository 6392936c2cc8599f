import type { SettingChange } from "#config";
import { writeSecret } from "#config";
import type { Invocation } from "../../command.ts";
import { Output } from "../../output/output.ts";
import { openModelParts } from "../../support/models.ts";
import { editOptions } from "../../support/settings.ts";
import { type PickedModel, pickOrLeave } from "./pick.ts";
import { saveChoice } from "./save.ts";
import { smokeTest } from "./smoke-test.ts";

/** Asks for provider, credential and model and saves them together. Leaving in between changes no setting. */
export async function modelChoose(invocation: Invocation): Promise<number> {
  const out = new Output(invocation);
  await using parts = await openModelParts(invocation);
  const { provider, default: model } = parts.loaded.config.model;
  out.line(`Now: ${model === "" ? "no model chosen" : model} (${provider})`);
  const picked = await pickOrLeave(invocation, parts);
  if (picked === undefined) {
    out.line("Nothing was changed.");
    return 0;
  }
  const file = await savePicked(invocation, picked);
  out.line(`${picked.provider}: ${picked.model}, saved in ${file}`);
  return await tryIt(invocation, out);
}

/** Also remembers an own endpoint under a name, its key in `.env` and nowhere else. */
export async function savePicked(invocation: Invocation, picked: PickedModel): Promise<string> {
  const { endpoint, ...choice } = picked;
  if (endpoint === undefined) return await saveChoice(invocation, choice);
  const { home, loaded } = await (await import("../../support/settings.ts")).loadSettings(invocation, {
    isQuiet: true,
  });
  const list = loaded.config.custom_providers;
  const known = list.findIndex((one) => one.base_url === endpoint.baseUrl);
  const keyEnv = endpoint.apiKey === undefined ? undefined : variableOf(endpoint.name);
  if (endpoint.apiKey !== undefined && keyEnv !== undefined)
    await writeSecret(keyEnv, endpoint.apiKey, editOptions(invocation, home));
  const entry = {
    name: endpoint.name,
    base_url: endpoint.baseUrl,
    model: choice.model,
    ...(keyEnv === undefined ? {} : { key_env: keyEnv }),
    ...(endpoint.contextLength === undefined ? {} : { context_length: endpoint.contextLength }),
  };
  const at = String(known < 0 ? list.length : known);
  const remember: SettingChange =
    list.length === 0
      ? { kind: "set", path: ["custom_providers"], value: [entry] }
      : { kind: "set", path: ["custom_providers", at], value: entry };
  const slug = `custom:${endpoint.name.trim().toLowerCase().replace(/\s+/g, "-")}`;
  return await saveChoice(invocation, { provider: slug, model: choice.model }, [remember]);
}

const variableOf = (name: string): string =>
  `${name
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toUpperCase()}_API_KEY`;

/** The saved choice is tried once; that it does not answer is said, and the choice stays. */
export async function tryIt(invocation: Invocation, out: Output): Promise<number> {
  const { signal } = invocation.io;
  await using parts = await openModelParts(invocation, { isQuiet: true });
  const resolution = await parts.models.resolve({}, signal);
  const result =
    resolution.kind === "target"
      ? await smokeTest(parts, resolution.target, signal)
      : { ...resolution, kind: "failed" as const };
  if (result.kind === "works") {
    out.line(`${out.style.good("✓")} It answers (${Math.round(result.tookMs)} ms).`);
    return 0;
  }
  out.line(`${out.style.caution("⚠")} It does not answer yet: ${result.message}`);
  out.line(result.hint);
  return 1;
}
