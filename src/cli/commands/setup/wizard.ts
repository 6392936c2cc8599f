import { changeSetting, describeSettings, explain, type LoadedConfig, type SettingInfo } from "#config";
import type { Invocation } from "../../command.ts";
import { hasFlag } from "../../invocation.ts";
import type { Output } from "../../output/output.ts";
import { type Asker, openAsker } from "../../support/ask.ts";
import { editOptions, loadSettings } from "../../support/settings.ts";
import { connectModel } from "../model/connect.ts";
import { offerOldHome } from "./old-home-offer.ts";
import { type SectionName, sections } from "./sections.ts";

/** Every question shows the present value; an empty answer keeps it. What is answered is saved at once. */
export async function runWizard(invocation: Invocation, out: Output): Promise<number> {
  const only = invocation.args[0] as SectionName | undefined;
  if (only === undefined) await offerOldHome(invocation, out);
  const { home, loaded } = await loadSettings(invocation);
  out.line(`Settings: ${home.config}\nCredentials: ${home.envFile}\n`);
  const isQuick = hasFlag(invocation, "quick");
  const order = only === undefined ? await chosenSections(invocation, isQuick) : [only];
  const hasModel = loaded.config.model.default !== "";
  for (const name of order) {
    const isMissingOnly = isQuick && !hasFlag(invocation, "reconfigure");
    if (isMissingOnly && (name === "model" ? hasModel : (await platformsOf(loaded)).length > 0)) continue;
    out.heading(sections[name].title);
    if (name === "model") await connectModel(invocation, out);
    else if (name === "gateway") await messaging(invocation, out, { isAsked: only === undefined });
    else await settingsSection(invocation, out, name);
    out.line();
  }
  return only === undefined ? await finish(invocation, out) : 0;
}

/** What was set up, and the way into the first conversation. */
async function finish(invocation: Invocation, out: Output): Promise<number> {
  const { loaded } = await loadSettings(invocation, { isQuiet: true });
  const { model, terminal } = loaded.config;
  const platforms = await platformsOf(loaded);
  out.heading("Done");
  out.line(`Model: ${model.default === "" ? "none yet (hermes model)" : `${model.provider}: ${model.default}`}`);
  out.line(`Commands run: ${terminal.backend === "local" ? "on this machine" : terminal.backend}`);
  out.line(`Chat platforms: ${platforms.length === 0 ? "none (hermes gateway setup)" : platforms.join(", ")}`);
  out.line("Change any of it later: hermes setup, hermes config");
  if (model.default !== "" && (await agrees(invocation, { question: "Start a chat now?", usual: true })))
    return (await invocation.root.run?.({ ...invocation, flags: {}, args: [] })) ?? 0;
  out.line("Talk to Hermes: hermes");
  return 0;
}

async function platformsOf({ config }: LoadedConfig): Promise<readonly string[]> {
  const { enabledPlatforms } = await import("#gateway");
  return (await enabledPlatforms(config)).map(({ label }) => label);
}

/** The same questions as `hermes gateway setup`, for whoever wants them. */
async function messaging(
  invocation: Invocation,
  out: Output,
  { isAsked }: { readonly isAsked: boolean },
): Promise<void> {
  const question = "Talk to Hermes from a chat platform too (Telegram, Slack, Discord, …)?";
  if (isAsked && !(await agrees(invocation, { question, usual: false }))) {
    out.line("You can do it later with: hermes gateway setup");
    return;
  }
  const { gatewayPartOfSetup } = await import("../gateway/setup.ts");
  await gatewayPartOfSetup({ ...invocation, flags: {}, args: [] });
}

async function agrees(
  { io }: Invocation,
  { question, usual }: { readonly question: string; readonly usual: boolean },
): Promise<boolean> {
  using asker = openAsker(io);
  return await asker.confirm(question, usual);
}

async function chosenSections({ io }: Invocation, isQuick: boolean): Promise<readonly SectionName[]> {
  const quick: readonly SectionName[] = ["model", "gateway"];
  if (isQuick) return quick;
  using asker = openAsker(io);
  return await asker.choose(
    "How much do you want to set up?",
    [
      { label: "Quick", detail: "model and messaging", value: quick },
      {
        label: "Full",
        detail: "also terminal, agent and tools",
        value: ["model", "terminal", "agent", "gateway", "tools"] as const,
      },
    ],
    0,
  );
}

async function settingsSection(invocation: Invocation, out: Output, name: SectionName): Promise<void> {
  const infos = new Map((await describeSettings()).map((info) => [info.key, info]));
  const { home, loaded } = await loadSettings(invocation, { isQuiet: true });
  using asker = openAsker(invocation.io);
  for (const key of sections[name].settings) {
    const info = infos.get(key);
    if (info === undefined) continue;
    const present = explain(loaded, key).value;
    const answer = await askSetting(asker, info, present === undefined ? "" : String(present));
    if (answer !== undefined) await changeSetting(key, answer, editOptions(invocation, home));
  }
  for (const variable of sections[name].secrets) {
    const isSet = (loaded.environment.variables[variable] ?? "") !== "";
    const value = await asker.secret(`${variable} (${isSet ? "set; empty keeps it" : "empty to skip"})`);
    if (value !== "") await changeSetting(variable, value, editOptions(invocation, home));
  }
  for (const line of sections[name].notes) out.line(line);
}

/** Undefined: stays as it is. */
async function askSetting(asker: Asker, info: SettingInfo, present: string): Promise<string | undefined> {
  const question = `${info.description} (${info.key})`;
  if (info.choices.length === 0) {
    const answer = await asker.text(question, { usual: present });
    return answer === present ? undefined : answer;
  }
  const choices = info.choices.map((choice) => ({ label: choice === "" ? "(none)" : choice, value: choice }));
  const at = info.choices.indexOf(present);
  const answer = await asker.choose(question, choices, at < 0 ? undefined : at);
  return answer === present ? undefined : answer;
}
