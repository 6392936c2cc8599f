import { readFileSync } from "node:fs";
import path from "node:path";
import type { Finding } from "./finding.ts";
import { productFiles, type SourceTree } from "./source-tree.ts";

const forgotten = /\bAbortSignal\.timeout\b(?=\()/;

/** Limits of time that Node 20 forgets when they are linked with another signal: what waits under them waits for ever. */
export function forgottenTimeLimits(tree: SourceTree): readonly Finding[] {
  return productFiles(tree).flatMap((file) =>
    readFileSync(path.join(tree.root, file.path), "utf8")
      .split("\n")
      .flatMap((line, index) =>
        forgotten.test(line)
          ? [{ file: file.path, line: index + 1, problem: "AbortSignal.timeout: say timeLimit or deadline" }]
          : [],
      ),
  );
}
