import { defineLayer } from "../layer.ts";

const memoryGuidance = [
  "Your memory outlives this session. Use the memory tool for facts that stay true: what the user prefers, how their machine and projects are set up, quirks of tools, agreed conventions.",
  "All of it is read again in every turn, so keep it small.",
  "The best entry is one that spares the user from correcting you a second time.",
  "Leave out task progress, finished work and logs of a session; session_search finds those.",
  'Write facts ("The user prefers short answers"), not orders to yourself ("Always answer briefly"): an order is also obeyed where it does not fit.',
  "Procedures belong in skills.",
].join(" ");

const sessionSearchGuidance =
  "When the user speaks of something from an earlier conversation, or older context may matter, look it up with session_search before you ask them to repeat it.";

const skillGuidance = [
  "After a complex task (five tool calls or more), a fix that was hard to find, or a workflow that was not obvious, save what worked as a skill with skill_manage.",
  "When a skill you follow proves outdated, incomplete or wrong, patch it at once.",
].join(" ");

const guidance: readonly (readonly [tool: string, text: string])[] = [
  ["memory", memoryGuidance],
  ["session_search", sessionSearchGuidance],
  ["skill_manage", skillGuidance],
];

export const toolGuidanceLayer = defineLayer({
  name: "tool-guidance",
  pick: (all) => guidance.map(([tool]) => tool).filter((tool) => all.toolNames.includes(tool)),
  render: (tools) =>
    guidance
      .filter(([tool]) => tools.includes(tool))
      .map(([, text]) => text)
      .join(" "),
});
