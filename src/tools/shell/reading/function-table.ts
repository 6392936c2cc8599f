import { forEachChild, type SyntaxNode } from "unbash";

const maxCalls = 12;

/** The functions of a line: which were called, which call themselves, and how often. */
export class FunctionTable {
  /** Functions that start themselves again and again. */
  readonly forkBombs = new Set<string>();
  readonly #isCalled = new Map<SyntaxNode, boolean>();
  readonly #selfCalls = new Map<string, number>();
  #running: readonly string[] = [];

  define(name: string, body: SyntaxNode): void {
    let own = 0;
    const count = (node: SyntaxNode): void => {
      if (node.type === "Command" && node.name?.value === name) own += 1;
      forEachChild(node, count);
    };
    count(body);
    if (own >= 2) this.forkBombs.add(name);
    if (!this.#isCalled.has(body)) this.#isCalled.set(body, false);
  }

  /** Whether the body is to be read now: not while it is being read, since it would never end. */
  enter(name: string, body: SyntaxNode): boolean {
    this.#isCalled.set(body, true);
    if (this.#running.includes(name) || this.#running.length > maxCalls) return false;
    this.#running = [...this.#running, name];
    return true;
  }

  leave(): void {
    this.#running = this.#running.slice(0, -1);
  }

  /** A function that runs calls itself beside itself. Once is a chain that never ends, twice is a bomb. */
  noteSpawn(name: string): "chain" | "bomb" {
    const count = (this.#selfCalls.get(name) ?? 0) + 1;
    this.#selfCalls.set(name, count);
    if (count < 2) return "chain";
    this.forkBombs.add(name);
    return "bomb";
  }

  uncalled(): readonly SyntaxNode[] {
    return [...this.#isCalled].filter(([, isCalled]) => !isCalled).map(([body]) => body);
  }
}
