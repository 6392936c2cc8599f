import type { AgentContext, ClientCapabilities } from "@agentclientprotocol/sdk/unstable";
import { deadline, linkSignals, raceAbort } from "#foundation/lifecycle/abort";
import type { OpenOptions } from "#session";

type EditorTexts = NonNullable<NonNullable<OpenOptions["terminal"]>["texts"]>;

/** An editor that does not answer holds up no tool: the disk does. */
const answersWithinMs = 5_000;

/** The texts an editor lends to a session, as far as it does; undefined when it lends none. */
export function editorTexts(
  client: AgentContext,
  { fs }: ClientCapabilities,
  sessionId: () => string | undefined,
): EditorTexts | undefined {
  if (fs?.readTextFile !== true && fs?.writeTextFile !== true) return undefined;
  const ask = async <T>(request: (sessionId: string) => Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
    const id = sessionId();
    if (id === undefined) return undefined;
    using limit = deadline(answersWithinMs);
    try {
      return await raceAbort(request(id), linkSignals(signal, limit.signal));
    } catch {
      // A file that is not open there, a path outside its project, an editor that is busy: all mean the disk.
      signal.throwIfAborted();
      return undefined;
    }
  };
  return {
    async read(path, signal) {
      if (fs.readTextFile !== true) return undefined;
      const answer = await ask((id) => client.request("fs/read_text_file", { sessionId: id, path }), signal);
      return typeof answer?.content === "string" ? answer.content : undefined;
    },
    async write(path, content, signal) {
      if (fs.writeTextFile !== true) return false;
      const write = (id: string) => client.request("fs/write_text_file", { sessionId: id, path, content });
      return (await ask(write, signal)) !== undefined;
    },
  };
}
