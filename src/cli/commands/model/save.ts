import { editConfig, parseKeyPath, type SettingChange } from "#config";
import { choiceToSave } from "#model";
import type { Invocation } from "../../command.ts";
import { homeOf } from "../../support/home.ts";
import { editOptions } from "../../support/settings.ts";

export interface ModelChoice {
  readonly provider: string;
  readonly model: string;
  readonly baseUrl?: string;
  readonly apiMode?: string;
  /** The provider that is saved now. */
  readonly standing?: string | undefined;
}

/** Provider, model and address in one step, so that no reader sees half of a choice. */
export async function saveChoice(
  invocation: Invocation,
  choice: ModelChoice,
  more: readonly SettingChange[] = [],
): Promise<string> {
  const changes = Object.entries(choiceToSave(choice)).map(
    ([key, value]): SettingChange =>
      value === undefined
        ? { kind: "unset", path: parseKeyPath(key) }
        : { kind: "set", path: parseKeyPath(key), value },
  );
  const { file } = await editConfig([...changes, ...more], editOptions(invocation, homeOf(invocation)));
  return file;
}
