import { forEachChild, type SyntaxNode } from "unbash";
import type { LineTrait } from "../simple-command.ts";

type Loop = Extract<SyntaxNode, { type: "While" | "ArithmeticFor" }>;

/** Commands that let a loop wait or end. */
const pauses: ReadonlySet<string> = new Set("sleep usleep wait read select break exit return inotifywait".split(" "));
const always: ReadonlySet<string> = new Set(["true", ":", "1"]);

/** What a loop does to the machine when nothing ends it. */
export function loopTraits(loop: Loop): readonly LineTrait[] {
  const isEndless = loop.type === "While" ? runsAlways(loop) : loop.test === undefined;
  if (!isEndless) return [];
  const spawns = has(loop.body, (node) => node.type === "Statement" && node.background === true);
  if (spawns) return ["spawning-loop"];
  return has(loop.body, (node) => node.type === "Command" && pauses.has(node.name?.value ?? ""))
    ? []
    : ["endless-loop"];
}

/** More children at once than anybody waits for. */
const mostChildren = 500;

/** A loop over so many words that starts a child for each and waits for none. */
export function startsMany(loop: Extract<SyntaxNode, { type: "For" }>, words: readonly string[] | undefined): boolean {
  const text = (loop.wordlist ?? []).map((word) => word.value).join(" ");
  const counted = [/\bseq\s+(?:-?\S+\s+)*?(\d+)\s*[)`]/, /\{-?\d+\.\.(\d+)/].map((one) =>
    Number(one.exec(text)?.[1] ?? 0),
  );
  if (Math.max(words?.length ?? 0, ...counted) < mostChildren) return false;
  const waits = (node: SyntaxNode): boolean => node.type === "Command" && node.name?.value === "wait";
  return has(loop.body, (node) => node.type === "Statement" && node.background === true) && !has(loop.body, waits);
}

function runsAlways(loop: Extract<Loop, { type: "While" }>): boolean {
  const [statement, ...more] = loop.clause.commands;
  const command = statement?.command;
  if (more.length > 0) return false;
  if (command?.type === "ArithmeticCommand") return loop.kind === "while" && /^\s*[1-9]\d*\s*$/.test(command.body);
  if (command?.type === "TestCommand") return loop.kind === "while" && command.expression.type === "TestUnary";
  if (command?.type !== "Command") return false;
  const name = command.name?.value ?? "";
  if (loop.kind === "until") return name === "false";
  return always.has(name) || (name === "[" && command.args.length === 2);
}

function has(node: SyntaxNode, accepts: (node: SyntaxNode) => boolean): boolean {
  let isFound = accepts(node);
  if (!isFound)
    forEachChild(node, (child) => {
      isFound ||= has(child, accepts);
    });
  return isFound;
}
