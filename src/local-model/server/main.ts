import { once } from "node:events";
import { systemErrorCode } from "#foundation/errors";
import { ModelLibrary } from "../files/library.ts";
import { readServerFile } from "../server-file.ts";
import { portTakenCode, type ServerSettings } from "../server-settings.ts";
import { createChatServer } from "./chat-server.ts";
import { openEngine } from "./llama.ts";
import { ModelHost } from "./model-host.ts";

/** Whoever started this says at once that they are there; nobody coming means they died. */
const firstHoldMs = 20_000;

/**
 * The process that runs models. It lives while a program holds it (an open connection each), and ends by itself when
 * the last one is gone, however it went, or when nobody asked for anything for a while.
 */
async function main(settings: ServerSettings): Promise<void> {
  const file = await readServerFile(settings.serverFile);
  if (file === undefined) throw new Error(`${settings.serverFile} is missing`);
  const library = new ModelLibrary(settings.modelsFolder);
  const { maxContext } = settings;
  const host = new ModelHost({ library, maxContext, openEngine: () => openEngine(settings.engineFolder) });
  const end = (): never => process.exit(0);
  let holders = 0;
  let timer = setTimeout(end, firstHoldMs);
  const server = createChatServer({
    host,
    library,
    maxContext,
    token: file.token,
    onActivity() {
      if (holders === 0) return;
      clearTimeout(timer);
      timer = setTimeout(() => (host.isIdle ? end() : timer.refresh()), settings.idleMs);
    },
    onHold(connection) {
      holders += 1;
      this.onActivity();
      connection.once("close", () => {
        holders -= 1;
        if (holders === 0) end();
      });
    },
  });
  server.once("error", (error) => process.exit(systemErrorCode(error) === "EADDRINUSE" ? portTakenCode : 1));
  server.listen(file.port, "127.0.0.1");
  await once(server, "listening");
  process.stdout.write("ready\n");
}

const settings: ServerSettings = JSON.parse(process.argv[2] ?? "{}");
await main(settings);
