type Fields = Record<string, unknown>;

/** The slash commands of the application, as Discord keeps them. */
export class DiscordMenu {
  #commands: readonly Fields[] = [];
  /** How often it was written. */
  writes = 0;

  get names(): readonly string[] {
    return this.#commands.map(({ name }) => String(name));
  }

  /** Undefined: the call is not about commands. */
  act(method: string, path: string, body: unknown): unknown {
    if (path !== "/applications/42/commands") return undefined;
    if (method === "PUT") {
      this.writes += 1;
      // Discord tells more of a command than it was told, and no empty lists.
      this.#commands = Object.values(body as Record<string, Fields>).map(({ options, ...command }, index) => ({
        ...command,
        ...(Array.isArray(options) && options.length > 0 ? { options } : {}),
        id: `6000000000000000${index}`,
        application_id: "42",
        version: String(this.writes),
        nsfw: false,
      }));
    }
    return this.#commands;
  }
}
