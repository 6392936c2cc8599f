import type { ModelRequest } from "../../services/models.ts";
import { defineCommand } from "../command.ts";
import { act, fault, say, warn } from "../views.ts";

export const modelCommand = defineCommand({
  name: "model",
  aliases: ["provider"],
  description: "Choose the model, by name or from a list",
  category: "Configuration",
  argsHint: "[model] [--provider p] [--global]",
  whileRunning: "busy",
  whileRunningFor: (words, surface) => {
    if (surface === "gateway") return "busy";
    return words.length === 0 ? "now" : "next";
  },
  takes: ["models"],
  complete: async ({ signal }, { models }) => (await models.list(signal)).map((item) => item.value),
  async run({ session, words, signal }, { models }) {
    const request = readModelRequest(words);
    if ("problem" in request) return warn(request.problem);
    if (request.model === "") {
      const items = await models.list(signal);
      if (items.length === 0) return warn("No model is set up. /connect sets one up.");
      return { kind: "picker", title: `Current model: ${session.info.model}`, items, command: "/model" };
    }
    const { ok, message } = await models.switch(request, signal);
    return ok ? say(message) : fault(message);
  },
});

export const connectCommand = defineCommand({
  name: "connect",
  aliases: ["login", "setup"],
  description: "Connect a model: provider, key and model, tested and used at once",
  category: "Configuration",
  cliOnly: true,
  whileRunning: "busy",
  takes: [],
  run: () => Promise.resolve(act({ do: "connect" })),
});

/** `[model] [--provider p] [--global]`, in any order. */
function readModelRequest(words: readonly string[]): ModelRequest | { readonly problem: string } {
  const rest = [...words];
  const names: string[] = [];
  let provider: string | undefined;
  let isGlobal = false;
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    if (word === "--global") isGlobal = true;
    else if (word.startsWith("--provider=")) provider = word.slice("--provider=".length);
    else if (word === "--provider") {
      provider = rest.shift();
      if (provider === undefined) return { problem: "--provider needs a name: /model <model> --provider <name>" };
    } else if (word.startsWith("--")) return { problem: `/model does not know ${word}.` };
    else names.push(word);
  }
  if (names.length > 1) return { problem: "One model at a time: /model <model> [--provider p] [--global]" };
  const [model = ""] = names;
  return { model, isGlobal, provider };
}
