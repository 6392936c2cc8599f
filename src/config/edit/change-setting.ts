import { UserError } from "#foundation/errors";
import { Secret } from "#foundation/secrets/secret";
import { formatKeyPath, parseKeyPath } from "../key-path.ts";
import { belongsInSecretFile } from "../load/environment/table.ts";
import { withArticle } from "../lookup.ts";
import type { SettingCheck } from "./check-setting.ts";
import { type EditOptions, editConfig } from "./edit.ts";
import { removeSecrets, writeSecret } from "./secrets.ts";

/** Where a changed setting went. */
export type SettingChanged =
  | { readonly kind: "secret"; readonly name: string; readonly file: string }
  | {
      readonly kind: "setting";
      readonly key: string;
      readonly value: unknown;
      readonly file: string;
      readonly hasChanged: boolean;
    };

export interface ChangeOptions extends EditOptions {
  /** Write a key the schema does not have. */
  readonly force?: boolean | undefined;
}

/** `config set`: credentials go to `.env`, everything else to `config.yaml` after a check against the schema. */
export async function changeSetting(key: string, written: string, options: ChangeOptions): Promise<SettingChanged> {
  if (belongsInSecretFile(key)) {
    const name = key.toUpperCase();
    await writeSecret(name, new Secret(written), options);
    return { kind: "secret", name, file: options.home.envFile };
  }
  const path = parseKeyPath(key);
  const { checkSetting } = await import("./check-setting.ts");
  const value = accepted(key, checkSetting(path, written), options.force ?? false);
  const { file, hasChanged } = await editConfig([{ kind: "set", path, value }], options);
  return { kind: "setting", key: formatKeyPath(path), value, file, hasChanged };
}

/** `config unset`: the key falls back to what is below it. */
export async function unsetSetting(key: string, options: EditOptions): Promise<SettingChanged> {
  if (belongsInSecretFile(key)) {
    const name = key.toUpperCase();
    await removeSecrets([name], options);
    return { kind: "secret", name, file: options.home.envFile };
  }
  const path = parseKeyPath(key);
  const { file, hasChanged } = await editConfig([{ kind: "unset", path }], options);
  if (!hasChanged) {
    const { checkSetting } = await import("./check-setting.ts");
    const check = checkSetting(path, "");
    if (check.kind === "unknown-key") throw unknownSetting(key, check.suggestion);
  }
  return { kind: "setting", key: formatKeyPath(path), value: undefined, file, hasChanged };
}

function unknownSetting(key: string, suggestion: string | undefined, more = ""): UserError {
  const guess = suggestion === undefined ? "" : `Did you mean ${suggestion}? `;
  return new UserError(`There is no setting ${key}.`, {
    code: "config_key_unknown",
    hint: `${guess}See them with: hermes config list${more === "" ? "" : `.${more}`}`,
  });
}

function accepted(key: string, check: SettingCheck, force: boolean): unknown {
  switch (check.kind) {
    case "good":
      return check.value;
    case "unknown-key":
      if (force) return check.value;
      throw unknownSetting(key, check.suggestion, " To write it anyway, add --force.");
    case "wrong-type":
      throw new UserError(`${key} takes ${withArticle(check.expected)}, not ${JSON.stringify(check.written)}.`, {
        code: "config_type_error",
        hint: `See what it does: hermes config explain ${key}`,
      });
  }
}
