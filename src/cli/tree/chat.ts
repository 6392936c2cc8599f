import type { Command, Flag } from "../command.ts";

const choice: readonly Flag[] = [
  { name: "model", short: "m", kind: "text", value: "<name>", about: "Use this model: a name, or provider:name" },
  { name: "provider", kind: "text", value: "<id>", about: "Use this provider", completes: "provider" },
  { name: "toolsets", short: "t", kind: "list", value: "<names>", about: "Offer only these toolsets" },
  { name: "skills", short: "s", kind: "list", value: "<names>", about: "Load these skills first", completes: "skill" },
];

const session: readonly Flag[] = [
  {
    name: "resume",
    short: "r",
    kind: "text",
    value: "<id|title>",
    about: "Go on with this session",
    completes: "session",
  },
  {
    name: "continue",
    short: "c",
    kind: "optional-text",
    value: "<title>",
    about: "Go on with the newest session, or the newest of this title",
    completes: "session",
  },
  { name: "worktree", short: "w", kind: "switch", about: "Work in a git worktree of its own" },
  { name: "checkpoints", kind: "switch", about: "Take snapshots of files before they are changed" },
  { name: "max-turns", kind: "text", value: "<n>", about: "Most model calls for one message" },
  { name: "source", kind: "text", value: "<tag>", about: "Stored with the session (cli); tool hides it from lists" },
  { name: "save-trajectories", kind: "switch", about: "Append every turn to the training files" },
  { name: "pass-session-id", kind: "switch", about: "Tell the model the id of the session" },
  { name: "ignore-rules", kind: "switch", about: "Leave out SOUL.md, memory, context files and preloaded skills" },
];

const trust: readonly Flag[] = [
  { name: "yolo", kind: "switch", about: "Run flagged commands without asking" },
  { name: "accept-hooks", kind: "switch", about: "Run the configured hooks without asking for consent" },
];

const output: readonly Flag[] = [
  { name: "verbose", short: "v", kind: "switch", about: "Show the arguments and results of tools" },
  { name: "quiet", short: "Q", kind: "switch", about: "With -q: print only the answer" },
  { name: "json-stream", kind: "switch", about: "With -q: print one event per line" },
  { name: "tui", kind: "switch", about: "Use the full terminal interface" },
];

/** The conversation. */
export const chatCommand: Command = {
  name: "chat",
  about: "Talk to Hermes in this terminal",
  flags: [
    {
      name: "query",
      short: "q",
      kind: "text",
      value: "<text>",
      about: "Ask once and leave; - reads the question from standard input",
    },
    { name: "image", kind: "list", value: "<file>", about: "Attach an image", completes: "file" },
    ...choice,
    ...session,
    ...trust,
    ...output,
  ],
  run: async ({ io }) => {
    const { plainChat } = await import("../plain-chat.ts");
    return plainChat(io.stdin, io.stdout);
  },
};

/** Options of `hermes` without a command: those of the chat, and one question with one answer. */
export const programFlags: readonly Flag[] = [
  { name: "oneshot", short: "z", kind: "text", value: "<prompt>", about: "Ask once; print only the answer" },
  ...(chatCommand.flags ?? []),
];
