import { createHermes } from "hermes-ts";
import { ProcessTerminal, runTui } from "hermes-ts/tui";
import { panel } from "./panel.mjs";

const hermes = await createHermes({ model: "demo", isInteractive: true });
const terminal = new ProcessTerminal({ input: process.stdin, output: process.stdout }, process.env);
const banner = { version: "my program", cwd: process.cwd() };
const { exitCode } = await runTui({ session: hermes.session, terminal, banner, extensions: [panel()] });
await hermes[Symbol.asyncDispose]();
process.exitCode = exitCode;
