import { chatFlags } from "../../chat/chat-flags.ts";
import type { Argument, Command, Flag } from "../../command.ts";
import { yesFlag } from "../common.ts";

const choice: Argument = { name: "provider:model", completes: "provider" };

/** How a login in the browser is done; the same for `model` and `auth add`. */
export const loginFlags: readonly Flag[] = [
  { name: "portal-url", kind: "text", value: "<url>", about: "Address of the login portal" },
  { name: "inference-url", kind: "text", value: "<url>", about: "Address of the models behind the login" },
  { name: "client-id", kind: "text", value: "<id>", about: "Client to log in as" },
  { name: "scope", kind: "text", value: "<scope>", about: "Scope to ask for" },
  { name: "no-browser", kind: "switch", about: "Show the address instead of opening a browser" },
  { name: "timeout", kind: "text", value: "<seconds>", about: "How long to wait for the login" },
  { name: "ca-bundle", kind: "text", value: "<file>", about: "Certificates to trust", completes: "file" },
  { name: "insecure", kind: "switch", about: "Do not check certificates" },
];

export const modelCommand: Command = {
  name: "model",
  about: "Choose the model",
  flags: loginFlags,
  interactiveOnly:
    "Choose without a terminal: hermes model set <provider:model>, or: hermes config set model.default <name>",
  examples: ["hermes model", "hermes model set anthropic:claude-sonnet-4-6", "hermes model test"],
  run: async (invocation) => (await import("../../commands/model/choose.ts")).modelChoose(invocation),
  commands: [
    {
      name: "set",
      about: "Use this model from now on",
      args: [choice],
      flags: [
        { name: "base-url", kind: "text", value: "<url>", about: "Address, for your own server" },
        { name: "force", kind: "switch", about: "Even without a credential" },
      ],
      run: async (invocation) => (await import("../../commands/model/set.ts")).modelSet(invocation),
    },
    {
      name: "list",
      about: "Show the models of every provider that has a credential",
      flags: [
        {
          name: "provider",
          kind: "text",
          value: "<id>",
          about: "Only this one, even without a credential",
          completes: "provider",
        },
      ],
      run: async (invocation) => (await import("../../commands/model/list.ts")).modelList(invocation),
    },
    {
      name: "providers",
      about: "Show every provider, and which have a credential",
      run: async (invocation) => (await import("../../commands/model/providers.ts")).modelProviders(invocation),
    },
    {
      name: "test",
      about: "Send a model a short test request",
      args: [{ ...choice, isOptional: true }],
      run: async (invocation) => (await import("../../commands/model/test.ts")).modelTest(invocation),
    },
  ],
};

export const fallbackCommand: Command = {
  name: "fallback",
  about: "Choose fallback models for when one fails",
  run: async (invocation) => (await import("../../commands/model/fallback.ts")).fallbackList(invocation),
  commands: [
    {
      name: "list",
      about: "Show them in order",
      run: async (invocation) => (await import("../../commands/model/fallback.ts")).fallbackList(invocation),
    },
    {
      name: "add",
      about: "Add one at the end",
      args: [{ ...choice, isOptional: true }],
      run: async (invocation) => (await import("../../commands/model/fallback.ts")).fallbackAdd(invocation),
    },
    {
      name: "remove",
      about: "Remove one by number or name",
      args: [{ name: "number|provider:model" }],
      run: async (invocation) => (await import("../../commands/model/fallback.ts")).fallbackRemove(invocation),
    },
    {
      name: "clear",
      about: "Remove all",
      flags: [yesFlag],
      run: async (invocation) => (await import("../../commands/model/fallback.ts")).fallbackClear(invocation),
    },
  ],
};

export const localCommand: Command = {
  name: "local",
  about: "Run a model on this machine",
  examples: [
    "hermes local list",
    "hermes local pull qwen3-4b",
    "hermes local use qwen3-4b",
    "hermes local add ~/model.gguf",
  ],
  run: async (invocation) => (await import("../../commands/local/list.ts")).localList(invocation),
  commands: [
    {
      name: "list",
      about: "Show the models on this machine and those that can be downloaded, best fit first",
      run: async (invocation) => (await import("../../commands/local/list.ts")).localList(invocation),
    },
    {
      name: "pull",
      about: "Download a model from the catalogue",
      args: [{ name: "model", isOptional: true }],
      flags: [{ name: "mirror", kind: "text", value: "<url>", about: "Download from there instead" }],
      run: async (invocation) =>
        invocation.args.length === 0
          ? (await import("../../commands/local/list.ts")).localList(invocation)
          : (await import("../../commands/local/get.ts")).localPull(invocation),
    },
    {
      name: "add",
      about: "Add a model file (GGUF) from this machine",
      args: [{ name: "file", completes: "file" }],
      flags: [{ name: "name", kind: "text", value: "<name>", about: "What to call it" }],
      run: async (invocation) => (await import("../../commands/local/get.ts")).localAdd(invocation),
    },
    {
      name: "use",
      about: "Use this model from now on; downloads what is missing",
      args: [{ name: "model", isOptional: true }],
      run: async (invocation) => (await import("../../commands/model/use-local.ts")).localUse(invocation),
    },
    {
      name: "run",
      about: "Chat with this model once, without changing the settings",
      args: [{ name: "model" }, { name: "text", isOptional: true, isRest: true }],
      flags: chatFlags.filter(({ name }) => name !== "model" && name !== "provider"),
      run: async (invocation) => (await import("../../chat/run-local.ts")).localRun(invocation),
    },
    {
      name: "remove",
      about: "Delete a model of this machine",
      args: [{ name: "model" }],
      flags: [yesFlag],
      run: async (invocation) => (await import("../../commands/local/get.ts")).localRemove(invocation),
    },
    {
      name: "doctor",
      about: "Check engine, files and memory, and test a model",
      run: async (invocation) => (await import("../../commands/model/local-doctor.ts")).localDoctor(invocation),
    },
  ],
};
