import { renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import type { Stage } from "./stage.ts";

const setClock = fileURLToPath(new URL("../../fakes/set-clock.cjs", import.meta.url));

/** A clock of the program that a test sets: nobody waits for a minute to pass. */
export class ProgramClock {
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;

  constructor(stage: Stage) {
    this.#file = path.join(stage.folder, "clock");
    this.env = { NODE_OPTIONS: `--require=${setClock}`, CLOCK_FILE: this.#file };
  }

  putForward(ms: number): void {
    this.#set(`+${ms}`);
  }

  /** From now on it is always this time. */
  standAt(ms: number): void {
    this.#set(`=${ms}`);
  }

  #set(text: string): void {
    writeFileSync(`${this.#file}.new`, text);
    renameSync(`${this.#file}.new`, this.#file);
  }
}
