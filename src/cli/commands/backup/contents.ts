/** What can be made again, belongs to a running process, or is a copy already. */
const leftOut: ReadonlySet<string> = new Set([
  "cache",
  "image_cache",
  "audio_cache",
  "document_cache",
  "sandboxes",
  "node_modules",
  "profiles",
  "checkpoints",
  "state-snapshots",
  "gateway.pid",
  "gateway_state.json",
  "processes.json",
  "models_dev_cache.json",
  "context_length_cache.yaml",
  "ollama_cloud_models_cache.json",
  ".update_check",
  "dashboard.key",
  ".skills_prompt_snapshot.json",
]);

/** What cannot be made again by anybody. */
const critical: readonly string[] = [
  "config.yaml",
  ".env",
  "auth.json",
  "auth",
  ".anthropic_oauth.json",
  "mcp-tokens",
  "SOUL.md",
  "memories",
  "cron",
  "shell-hooks-allowlist.json",
];

/** Databases are copied by the database itself; a file in use cannot simply be read. */
const isDatabase = (name: string): boolean => /\.db(-wal|-shm|-journal)?$/.test(name);

/** Which entries of a home go into a backup. */
export function backupEntries(names: readonly string[], isQuick: boolean): readonly string[] {
  const plain = names.filter((name) => !isDatabase(name) && !name.endsWith(".lock"));
  return isQuick ? plain.filter((name) => critical.includes(name)) : plain.filter((name) => !leftOut.has(name));
}
