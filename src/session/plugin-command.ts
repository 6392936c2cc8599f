/** A command a plugin brought. Its errors are shown, never thrown. */
export interface PluginCommand {
  readonly name: string;
  readonly description: string;
  readonly argsHint?: string;
  /** Run for this session: what the plugin starts belongs to it. */
  handler(args: string, sessionKey: string): string | null | Promise<string | null>;
}
