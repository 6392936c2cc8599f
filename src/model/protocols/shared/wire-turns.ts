import { JsonText } from "../body.ts";
import { joinForms, type WireForm } from "../wire-memo.ts";

interface WireTurn<Role extends string, Block> {
  readonly role: Role;
  readonly runs: WireForm<readonly Block[]>[];
}

/** Messages of wires on which the roles take turns: what one role says in a row becomes one message. */
export class WireTurns<Role extends string, Block> {
  readonly #turns: WireTurn<Role, Block>[] = [];
  #hasImages = false;

  get hasImages(): boolean {
    return this.#hasImages;
  }

  get lastRole(): Role | undefined {
    return this.#turns.at(-1)?.role;
  }

  push(role: Role, run: WireForm<readonly Block[]>): void {
    this.#hasImages ||= run.hasImages;
    const last = this.#turns.at(-1);
    if (last?.role === role) last.runs.push(run);
    else this.#turns.push({ role, runs: [run] });
  }

  /** What a role said last. */
  lastOf(role: Role): readonly Block[] {
    return this.#turns.findLast((turn) => turn.role === role)?.runs.flatMap((run) => run.value) ?? [];
  }

  /** The messages as a list; `field` is where this wire keeps the blocks of one. */
  write(field: "content" | "parts"): JsonText {
    const turns = this.#turns.map(({ role, runs }) => `{"role":"${role}","${field}":[${joinForms(runs)}]}`);
    return new JsonText(`[${turns.join(",")}]`);
  }
}
