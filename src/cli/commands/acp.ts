import { Writable } from "node:stream";
import { UserError } from "#foundation/errors";
import { createConversations } from "#session";
import { readServerSettings } from "#tools";
import { exitCodes, type Invocation } from "../command.ts";
import { version } from "../version.ts";

/** `hermes acp`: Hermes in an editor, which starts it and owns its standard output. */
export async function acp({ io, global }: Invocation): Promise<number> {
  using protocol = takeOutput(io.stdout, io.stderr);
  const say = (text: string): void => void io.stderr.write(`${text}\n`);
  const [{ openHermes }, { serveAcp }] = await Promise.all([import("#app"), import("#acp")]);
  await using hermes = await openHermes({
    env: io.env,
    cwd: io.cwd,
    version,
    onNotice: (text) => say(`! ${text}`),
    profile: global.profile,
    ignoreUserConfig: global.ignoresUserConfig,
  });
  const { sessions, store, logger, models } = hermes;
  if (io.stdin.isTTY === true) say("Waiting for an editor on standard input. Ctrl-D stops it.");
  await serveAcp(
    {
      sessions,
      conversations: createConversations(store),
      logger,
      version,
      cwd: io.cwd,
      async provider(signal) {
        const resolution = await models.resolve({}, signal);
        if (resolution.kind !== "target") return undefined;
        const { provider, providerLabel } = resolution.target;
        return { id: provider, label: providerLabel };
      },
      mcpServer(name, written) {
        // Variables of this program hold keys; a server that a project brings gets none of them.
        const reading = readServerSettings(name, written, { env: {}, logger });
        if (reading.kind === "settings") return reading.settings;
        throw new UserError(`The MCP server ${name} cannot be used: ${reading.reason}.`);
      },
    },
    { input: io.stdin, output: protocol.output },
    io.signal,
  );
  return exitCodes.ok;
}

/** Whatever else writes to standard output (a plugin, a library) is sent to standard error meanwhile. */
function takeOutput(stdout: Writable, stderr: Writable): Disposable & { readonly output: Writable } {
  const write: (chunk: Uint8Array, done: (error?: Error | null) => void) => boolean = stdout.write.bind(stdout);
  const output = new Writable({ write: (chunk: Uint8Array, _encoding, done) => void write(chunk, done) });
  const own = Object.getOwnPropertyDescriptor(stdout, "write");
  Object.defineProperty(stdout, "write", { value: stderr.write.bind(stderr), configurable: true, writable: true });
  return {
    output,
    [Symbol.dispose]() {
      if (own === undefined) Reflect.deleteProperty(stdout, "write");
      else Object.defineProperty(stdout, "write", own);
    },
  };
}
