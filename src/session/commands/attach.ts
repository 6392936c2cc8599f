import { stat } from "node:fs/promises";
import { systemErrorCode } from "#foundation/errors";
import { pathOf } from "../image-input.ts";
import type { SlashCommand } from "./command.ts";
import { act, fault, warn } from "./views.ts";

export const copyCommand: SlashCommand = {
  name: "copy",
  description: "Copy the last answer, or the n-th last",
  category: "Info",
  argsHint: "[n]",
  cliOnly: true,
  whileRunning: "now",
  async run({ session, args }) {
    const number = args === "" ? 1 : Number(args);
    if (!Number.isInteger(number) || number < 1) return warn("/copy, or /copy 2 for the one before");
    const answers = session.history.flatMap((message) =>
      message.role === "assistant" && message.content.trim() !== "" ? message.content : [],
    );
    const text = answers.at(-number);
    return text === undefined ? warn("There is no such answer.") : act({ do: "copy", text });
  },
};

export const pasteCommand: SlashCommand = {
  name: "paste",
  description: "Attach the image on the clipboard",
  category: "Info",
  cliOnly: true,
  whileRunning: "now",
  run: () => Promise.resolve(act({ do: "paste-image" })),
};

export const imageCommand: SlashCommand = {
  name: "image",
  description: "Attach an image file",
  category: "Info",
  argsHint: "<path>",
  cliOnly: true,
  whileRunning: "now",
  async run({ session, args }) {
    if (args === "") return warn("Which file? /image <path>");
    const path = pathOf(args, session.info.cwd);
    try {
      if (!(await stat(path)).isFile()) return fault(`${path} is not a file.`);
    } catch (error) {
      return fault(`${path} cannot be read (${systemErrorCode(error) ?? "unknown reason"}).`);
    }
    return act({ do: "attach-image", path });
  },
};

export const quitCommand: SlashCommand = {
  name: "quit",
  aliases: ["exit"],
  description: "Leave Hermes",
  category: "Exit",
  cliOnly: true,
  whileRunning: "now",
  run: () => Promise.resolve(act({ do: "quit" })),
};
