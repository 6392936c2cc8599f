import { branchSession } from "./branch-session.ts";
import { clearMessages, deleteSessions } from "./delete-sessions.ts";
import { exportBatch, exportSession } from "./export-sessions.ts";
import { importSession } from "./import-session.ts";
import { insights } from "./insights.ts";
import { listSessions } from "./list-sessions.ts";
import { pruneSessions } from "./prune-sessions.ts";
import { searchMessages } from "./search-messages.ts";
import { statistics } from "./statistics.ts";

/** Heavy work by name: inputs and outputs are plain data, so that they can cross to another thread. */
export const workTable = {
  "branch-session": branchSession,
  "clear-messages": clearMessages,
  "delete-sessions": deleteSessions,
  "export-batch": exportBatch,
  "export-session": exportSession,
  "import-session": importSession,
  insights,
  "list-sessions": listSessions,
  "prune-sessions": pruneSessions,
  "search-messages": searchMessages,
  statistics,
} as const;

type WorkTable = typeof workTable;
export type WorkName = keyof WorkTable;
export type WorkInput<N extends WorkName> = Parameters<WorkTable[N]>[1];
export type WorkOutput<N extends WorkName> = Awaited<ReturnType<WorkTable[N]>>;
