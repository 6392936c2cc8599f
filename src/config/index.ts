export { type ChangeOptions, changeSetting, type SettingChanged, unsetSetting } from "./change-setting.ts";
export type { Config, DeepReadonly } from "./config.ts";
export { type EditOptions, type EditResult, editConfig } from "./edit.ts";
export { parseEnv } from "./env-file.ts";
export { checkProxies } from "./environment/proxies.ts";
export { isTruthy, type ProcessSwitches, readSwitches } from "./environment/switches.ts";
export type { EnvironmentVariable } from "./environment/variable.ts";
export { belongsInSecretFile, deadVariables, environmentVariables, isSecretVariable } from "./environment.ts";
export { type Explanation, explain, explanationLines, masked } from "./explain.ts";
export { formatKeyPath, type KeyPath, parseKeyPath } from "./key-path.ts";
export { describeSource, type Provenance } from "./layer.ts";
export { type FlagSetting, type LoadedConfig, type LoadOptions, loadConfig } from "./load.ts";
export { type Manager, managedBy, managedError } from "./managed.ts";
export { type MigrationResult, migrateFile } from "./migrate-file.ts";
export { parseSetting } from "./parse-setting.ts";
export { type PlatformSettings, platformSettings } from "./platform-settings.ts";
export { type PreparedHome, prepareHome } from "./prepare-home.ts";
export { type CreateProfile, type ProfileInfo, Profiles } from "./profile.ts";
export { type AliasResult, removeAlias, writeAlias } from "./profile-alias.ts";
export {
  configJsonSchema,
  defaultConfig,
  describeSettings,
  type IdleSetting,
  idleSettings,
  noEffectOf,
  settingKeys,
} from "./reference.ts";
export { type ChangedSetting, changedSettings } from "./reload.ts";
export { collectSecrets } from "./seal.ts";
export { removeSecrets, SecretStore, type SecretWriteOptions, writeSecret } from "./secrets.ts";
export type { PlatformId } from "./sections/platforms.ts";
export type { ReloadScope } from "./sections/setting.ts";
export type { SettingChange } from "./setting-change.ts";
export type { SettingInfo } from "./settings.ts";
export { valueAt } from "./tree.ts";
export { type Environment, type EnvironmentOptions, loadEnvironment, type VariableOrigin } from "./variables.ts";
export { currentConfigVersion } from "./version.ts";
export { type ConfigWarning, type ConfigWarningKind, formatWarning } from "./warning.ts";
export { type ConfigChange, type WatchOptions, watchConfig } from "./watch.ts";
