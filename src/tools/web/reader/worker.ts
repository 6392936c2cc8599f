import { parentPort } from "node:worker_threads";
import type { FetchedDocument, PageText } from "./document.ts";
import { readPage } from "./page-text.ts";

/** The thread that turns pages into text: one document in, one answer out. Its owner ends it. */
export type WorkerAnswer =
  | { readonly kind: "read"; readonly text: PageText }
  | { readonly kind: "failed"; readonly message: string };

const port = parentPort;
port?.on("message", (page: FetchedDocument) => {
  readPage(page).then(
    (text) => port.postMessage({ kind: "read", text } satisfies WorkerAnswer),
    (error: unknown) =>
      port.postMessage({
        kind: "failed",
        message: error instanceof Error ? error.message : String(error),
      } satisfies WorkerAnswer),
  );
});
