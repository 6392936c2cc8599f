import { ProcessTerminal, runTui } from "../../src/tui/index.ts";
import { FakeSession } from "../../src/tui/testing/fake-session.ts";

/** The terminal UI over a session that repeats what it is told, for tests in a real pseudo-terminal. */
const session = new FakeSession({ startedAtMs: Date.now() });
session.reply = (input, self) => {
  self.emit(
    { type: "turn-start", sessionId: self.info.id, turnId: "t" as never },
    { type: "text-delta", text: `You said **${input.text}**.` },
    { type: "text-end" },
    { type: "turn-end", exitReason: "text_response", text: "" },
  );
  return { kind: "turn", ended: new Promise(() => undefined) };
};
const terminal = new ProcessTerminal({ input: process.stdin, output: process.stdout }, process.env);
const { exitCode } = await runTui({ session, terminal, banner: { version: "0.0.0", cwd: process.cwd() } });
process.exitCode = exitCode;
