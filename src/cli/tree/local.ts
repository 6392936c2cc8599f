import { chatFlags } from "../chat/chat-flags.ts";
import type { Command } from "../command.ts";
import { yesFlag } from "./common.ts";

export const localCommand: Command = {
  name: "local",
  about: "Run a model on this machine",
  examples: [
    "hermes local list",
    "hermes local pull qwen3-4b",
    "hermes local use qwen3-4b",
    "hermes local add ~/model.gguf",
  ],
  run: async (invocation) => (await import("../commands/local/list.ts")).localList(invocation),
  commands: [
    {
      name: "list",
      about: "Show the models that are here and those that can be fetched, best fit first",
      run: async (invocation) => (await import("../commands/local/list.ts")).localList(invocation),
    },
    {
      name: "pull",
      about: "Fetch a model of the catalogue",
      args: [{ name: "model", isOptional: true }],
      flags: [{ name: "mirror", kind: "text", value: "<url>", about: "Fetch from there instead" }],
      run: async (invocation) =>
        invocation.args.length === 0
          ? (await import("../commands/local/list.ts")).localList(invocation)
          : (await import("../commands/local/get.ts")).localPull(invocation),
    },
    {
      name: "add",
      about: "Take in a model file (GGUF) that is on this machine",
      args: [{ name: "file", completes: "file" }],
      flags: [{ name: "name", kind: "text", value: "<name>", about: "What to call it" }],
      run: async (invocation) => (await import("../commands/local/get.ts")).localAdd(invocation),
    },
    {
      name: "use",
      about: "Use this model from now on; fetches what is missing",
      args: [{ name: "model", isOptional: true }],
      run: async (invocation) => (await import("../commands/local/use.ts")).localUse(invocation),
    },
    {
      name: "run",
      about: "Talk to this model once, without changing the settings",
      args: [{ name: "model" }, { name: "text", isOptional: true, isRest: true }],
      flags: chatFlags.filter(({ name }) => name !== "model" && name !== "provider"),
      run: async (invocation) => (await import("../commands/local/use.ts")).localRun(invocation),
    },
    {
      name: "remove",
      about: "Delete a model of this machine",
      args: [{ name: "model" }],
      flags: [yesFlag],
      run: async (invocation) => (await import("../commands/local/get.ts")).localRemove(invocation),
    },
    {
      name: "doctor",
      about: "Check engine, files and memory, and let a model answer",
      run: async (invocation) => (await import("../commands/local/doctor.ts")).localDoctor(invocation),
    },
  ],
};
