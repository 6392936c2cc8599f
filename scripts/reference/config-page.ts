import { describeSettings, type SettingInfo } from "#config";
import { code, page, table } from "./markdown.ts";

const reloadWords: Readonly<Record<SettingInfo["reload"], string>> = {
  now: "at once",
  "next-session": "next start",
  restart: "next start",
};

/** Longer defaults would make the table unreadable; `hermes config get` prints them. */
const maxDefaultLength = 60;

/** Every key of `config.yaml`, by category. */
export async function configPage(): Promise<string> {
  const settings = await describeSettings();
  const categories = [...new Set(settings.map(({ category }) => category))];
  return page("Settings", [
    "Every key of `config.yaml`. `<name>` stands for a name you choose, `[]` for each entry of a list. The last column says when a " +
      "change counts: at once in every open chat of the terminal, or with the next start of the program (a chat then shows `config changed`; " +
      "services such as the gateway read all settings when they start). `hermes config get <key>` prints a value, `hermes config explain <key>` where it comes from, and " +
      "`hermes config schema` all of this as JSON Schema.",
    "A key with **no effect** is read and checked, and nothing follows from it: the part of Hermes it belongs to does not exist yet, or has " +
      "no use for it. `hermes config set` and `hermes doctor` say so too.",
    categories.map((name) => `- [${name}](#${anchorOf(name)})`).join("\n"),
    ...categories.flatMap((name) => [
      `## ${name}`,
      table(
        ["key", "type", "default", "what it does", "counts"],
        settings.filter(({ category }) => category === name).map(rowOf),
      ),
    ]),
  ]);
}

function rowOf(setting: SettingInfo): readonly string[] {
  return [
    code(setting.key),
    setting.isSecret ? `${setting.type} (secret)` : setting.type,
    defaultOf(setting.defaultValue),
    setting.noEffect === undefined ? setting.description : `${setting.description} **No effect:** ${setting.noEffect}`,
    setting.noEffect === undefined ? reloadWords[setting.reload] : "",
  ];
}

function defaultOf(value: unknown): string {
  if (value === undefined || value === "") return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > maxDefaultLength ? "…" : code(text);
}

const anchorOf = (title: string): string => title.toLowerCase().replaceAll(" ", "-");
