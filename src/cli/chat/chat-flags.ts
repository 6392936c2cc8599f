import type { Flag } from "../command.ts";

const model: readonly Flag[] = [
  {
    name: "model",
    short: "m",
    kind: "text",
    value: "<name>",
    about: "Model for this session: a name or provider:name",
  },
  { name: "provider", kind: "text", value: "<id>", about: "Provider for this session", completes: "provider" },
];

const resume: readonly Flag[] = [
  {
    name: "resume",
    short: "r",
    kind: "text",
    value: "<id|title>",
    about: "Resume a session",
    completes: "session",
  },
  {
    name: "continue",
    short: "c",
    kind: "optional-text",
    value: "<title>",
    about: "Continue the most recent session, or the one with this title",
    completes: "session",
  },
];

/** Flags of `hermes` itself and of `hermes chat` alike. */
const sharedChatFlags: readonly Flag[] = [
  ...model,
  ...resume,
  { name: "worktree", short: "w", kind: "switch", about: "Work in a new git worktree" },
  {
    name: "skills",
    short: "s",
    kind: "list",
    value: "<name>",
    about: "Load these skills for the session",
    completes: "skill",
  },
  { name: "yolo", kind: "switch", about: "Run flagged commands without asking" },
  { name: "accept-hooks", kind: "switch", about: "Trust the configured shell hooks" },
  { name: "pass-session-id", kind: "switch", about: "Tell the model the session id" },
  { name: "ignore-rules", kind: "switch", about: "No SOUL.md, memory or context files" },
];

export const chatFlags: readonly Flag[] = [
  ...sharedChatFlags,
  { name: "query", short: "q", kind: "text", value: "<text>", about: "Ask once and exit; - reads standard input" },
  { name: "plan", kind: "switch", about: "With -q: only make a plan, change nothing" },
  {
    name: "output-schema",
    kind: "text",
    value: "<file>",
    about: "With -q: the answer is JSON that fits this JSON Schema",
    completes: "file",
  },
  { name: "quiet", short: "Q", kind: "switch", about: "With -q: only the answer" },
  { name: "json-stream", kind: "switch", about: "With -q: one event per line, as JSON" },
  {
    name: "json-input",
    kind: "switch",
    about: "For programs: inputs arrive on standard input, one JSON object per line; events go out the same way",
  },
  { name: "image", kind: "list", value: "<path>", about: "Attach an image", completes: "file" },
  { name: "toolsets", short: "t", kind: "list", value: "<names>", about: "Only these toolsets" },
  { name: "max-turns", kind: "text", value: "<n>", about: "Maximum steps for one message" },
  { name: "checkpoints", kind: "switch", about: "Take checkpoints before files are changed" },
  { name: "save-trajectories", kind: "switch", about: "Append every turn to the training-data file" },
  { name: "save-sample", kind: "switch", about: "Write the conversation of a one-shot run to a file of its own" },
  { name: "source", kind: "text", value: "<tag>", about: "Stored with the session; tool hides it from lists" },
  { name: "verbose", short: "v", kind: "switch", about: "Show the arguments and results of tools" },
];
