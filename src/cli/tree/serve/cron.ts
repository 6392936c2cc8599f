import type { Argument, Command, Flag } from "../../command.ts";

const jobs = () => import("../../commands/cron/jobs.ts");
const running = () => import("../../commands/cron/running.ts");
const job: Argument = { name: "job" };

const changes: readonly Flag[] = [
  { name: "name", kind: "text", value: "<name>", about: "What it is called" },
  {
    name: "deliver",
    kind: "text",
    value: "<target>",
    about: "Where its answer goes: local, a platform, platform:chat[:thread]; several with commas",
  },
  { name: "repeat", kind: "text", value: "<n>", about: "Maximum number of runs; 0 means no limit" },
  {
    name: "script",
    kind: "text",
    value: "<file>",
    about: "Run this file of scripts/ first and hand over what it prints",
  },
  { name: "workdir", kind: "text", value: "<folder>", about: "Run in this folder, with its instructions" },
  { name: "model", kind: "text", value: "<model>", about: "Use this model" },
  { name: "provider", kind: "text", value: "<provider>", about: "Of this provider" },
  { name: "base-url", kind: "text", value: "<url>", about: "At this endpoint" },
  {
    name: "fallback",
    kind: "list",
    value: "<provider:model>",
    about: "Fallback models for this job (default: as configured)",
  },
  { name: "no-fallback", kind: "switch", about: "No fallback models" },
  { name: "context-from", kind: "list", value: "<ids>", about: "Pass on the latest output of these jobs" },
  { name: "toolsets", kind: "list", value: "<names>", about: "Only these toolsets" },
  { name: "timezone", kind: "text", value: "<zone>", about: "Time zone, such as Europe/Berlin" },
  { name: "max-steps", kind: "text", value: "<n>", about: "Maximum model calls per run" },
];

const skill = (about: string, name = "skill"): Flag => ({
  name,
  kind: "list",
  value: "<skill>",
  about,
  completes: "skill",
});

export const cronCommand: Command = {
  name: "cron",
  about: "Schedule work for later: once, at intervals, or at set times",
  examples: [
    'hermes cron create "every day at 9:00" "What happened overnight in my mail?"',
    'hermes cron create 30m "Remind me of the oven" --deliver telegram',
    "hermes cron list                 show the jobs",
    "hermes cron run                  run due jobs in this terminal until Ctrl-C",
  ],
  run: async (i) => (await jobs()).cronList(i),
  commands: [
    {
      name: "list",
      about: "Show the jobs and when they run next",
      flags: [{ name: "all", kind: "switch", about: "Include finished jobs" }],
      run: async (i) => (await jobs()).cronList(i),
    },
    {
      name: "create",
      aliases: ["add"],
      about: "Create a job",
      args: [{ name: "schedule" }, { name: "prompt", isOptional: true }],
      flags: [...changes, skill("Work with this skill")],
      run: async (i) => (await jobs()).cronCreate(i),
    },
    {
      name: "edit",
      about: "Change a job",
      args: [job],
      flags: [
        { name: "schedule", kind: "text", value: "<schedule>", about: "When it runs" },
        { name: "prompt", kind: "text", value: "<prompt>", about: "What it is to do" },
        ...changes,
        skill("Use these skills instead"),
        skill("Add this skill", "add-skill"),
        skill("Remove this skill", "remove-skill"),
        { name: "clear-skills", kind: "switch", about: "Use no skills" },
      ],
      run: async (i) => (await jobs()).cronEdit(i),
    },
    {
      name: "pause",
      about: "Pause a job until it is resumed",
      args: [job, { name: "reason", isOptional: true, isRest: true }],
      run: async (i) => (await jobs()).cronPause(i),
    },
    {
      name: "resume",
      about: "Resume a paused job, or approve one that waits for you",
      args: [job],
      run: async (i) => (await jobs()).cronResume(i),
    },
    {
      name: "run",
      about: "Run one job now; without an id, run due jobs until Ctrl-C",
      args: [{ ...job, isOptional: true }],
      run: async (i) => (await running()).cronRun(i),
    },
    { name: "tick", about: "Run due jobs once", run: async (i) => (await running()).cronTick(i) },
    {
      name: "remove",
      aliases: ["rm", "delete"],
      about: "Remove a job",
      args: [job],
      run: async (i) => (await jobs()).cronRemove(i),
    },
    {
      name: "runs",
      about: "Show a job's past runs",
      args: [job],
      run: async (i) => (await jobs()).cronRuns(i),
    },
    {
      name: "status",
      about: "Show whether the scheduler is running, and what is next",
      run: async (i) => (await jobs()).cronStatus(i),
    },
  ],
};
