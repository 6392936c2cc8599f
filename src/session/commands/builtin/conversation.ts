import { imagesOf, textOf, typedText } from "#conversation";
import { describe } from "#foundation/errors";
import { plural, shortCount } from "#foundation/text/figures";
import { truncateEnd } from "#foundation/text/text";
import type { TitleOutcome } from "#store";
import type { CommandView } from "../../api.ts";
import { tooLongText } from "../../turns/conversation.ts";
import { newSessionId } from "../../turns/session-id.ts";
import { defineCommand } from "../command.ts";
import { act, fault, say, warn } from "../views.ts";

export const newCommand = defineCommand({
  name: "new",
  aliases: ["reset"],
  description: "End this conversation and start an empty one",
  category: "Session",
  whileRunning: "now",
  takes: ["conversation"],
  async run({ session }, { conversation }) {
    const before = session.info.id;
    await conversation.startNew("session_reset");
    return say(`New session ${session.info.id}. Resume the old one with: /resume ${before}`);
  },
});

export const clearCommand = defineCommand({
  name: "clear",
  description: "Clear the screen and start a new conversation",
  category: "Session",
  cliOnly: true,
  whileRunning: "now",
  takes: ["conversation"],
  async run(_call, { conversation }) {
    await conversation.startNew("session_reset");
    return act({ do: "clear-screen" });
  },
});

export const retryCommand = defineCommand({
  name: "retry",
  description: "Send your last message again",
  category: "Session",
  whileRunning: "busy",
  takes: ["conversation", "line"],
  async run(_call, { conversation, line }) {
    const last = await conversation.dropLastExchange();
    if (last === undefined) return warn("There is no message to send again.");
    // As if typed again: what called a skill then calls it now.
    const images = imagesOf(last.content).map((part) => part.image_url.url);
    const submission = await line.submit({ text: textOf(last.content), images });
    if (submission.kind === "turn") return { kind: "turn", ended: submission.ended };
    if (submission.kind === "command") return submission.view;
    return fault("The message was taken back, but could not be sent again.");
  },
});

const keepFiles = "--keep-files";

export const undoCommand = defineCommand({
  name: "undo",
  description: "Undo the last exchange and its changes to files",
  category: "Session",
  argsHint: `[${keepFiles}]`,
  subcommands: [keepFiles],
  whileRunning: "busy",
  takes: ["conversation", "checkpoints"],
  async run({ words, session, signal }, { conversation, checkpoints }) {
    if (words.some((word) => word !== keepFiles)) return warn(`Usage: /undo [${keepFiles}]`);
    const turn = session.history.findLast(({ role }) => role === "user")?.uid;
    let files: string | undefined;
    try {
      // Files first: what fails here can be tried again.
      if (turn !== undefined && words.length === 0) files = await checkpoints.undo(turn, signal);
    } catch (error) {
      return fault(`Nothing was undone: ${describe(error)} /undo ${keepFiles} undoes only the conversation.`);
    }
    const last = await conversation.dropLastExchange();
    if (last === undefined) return warn("There is nothing to undo.");
    const notice = `Undone: ${truncateEnd(typedText(last.content).replace(/\s+/g, " ").trim(), 80)}`;
    return say(files === undefined ? notice : `${notice}\n${files}`);
  },
});

export const rewindCommand = defineCommand({
  name: "rewind",
  description: "Go back to before an earlier message: conversation and files",
  category: "Session",
  argsHint: "[n]",
  whileRunning: "busy",
  takes: ["conversation", "checkpoints"],
  async run({ args, session, signal }, { conversation, checkpoints }) {
    const messages = session.history.filter(({ role }) => role === "user").reverse();
    if (messages.length === 0) return warn("There is no message to go back to.");
    const shown = (at: number): string => truncateEnd(typedText(messages[at]?.content).replace(/\s+/g, " ").trim(), 80);
    if (args === "") {
      const items = messages.map((_, at) => ({
        value: String(at + 1),
        label: shown(at),
        detail: at === 0 ? "the last message" : `${plural(at, "message")} after it`,
        isCurrent: false,
      }));
      return { kind: "picker", title: "Go back to before this message, files included", items, command: "/rewind" };
    }
    const count = Number(args);
    if (!Number.isInteger(count) || count < 1 || count > messages.length)
      return warn(`Choose a message between 1 (the last) and ${messages.length}.`);
    const files: string[] = [];
    // Newest first, each with its files: wherever this stops, words and files belong together.
    for (let at = 0; at < count; at += 1) {
      const turn = messages[at]?.uid;
      try {
        const done = turn === undefined ? undefined : await checkpoints.undo(turn, signal);
        if (done !== undefined) files.push(done);
      } catch (error) {
        return fault(
          `Stopped before: ${shown(at)}. ${describe(error)} /undo --keep-files undoes only the conversation.`,
        );
      }
      await conversation.dropLastExchange();
    }
    return say([`Went back to before: ${shown(count - 1)}`, ...files].join("\n"));
  },
});

export const branchCommand = defineCommand({
  name: "branch",
  aliases: ["fork"],
  description: "Copy this conversation into a new session and continue there",
  category: "Session",
  argsHint: "[name]",
  whileRunning: "busy",
  takes: ["store", "clock"],
  async run({ session, args }, { store, clock }) {
    if (session.history.length === 0) return warn("This conversation is still empty; there is nothing to branch from.");
    const { id: parent, title: current } = session.info;
    const wanted = args === "" ? current : args;
    const title = wanted === undefined ? undefined : await store.sessions.nextTitle(wanted);
    const id = newSessionId(clock.now());
    const child = await store.sessions.branch(parent, title === undefined ? { id } : { id, title });
    await store.sessions.end(parent, "branched");
    return act({ do: "switch-session", id: child.id });
  },
});

export const compressCommand = defineCommand({
  name: "compress",
  aliases: ["compact"],
  description: "Summarise the older part of this conversation now",
  category: "Session",
  argsHint: "[focus topic]",
  whileRunning: "busy",
  takes: ["context"],
  async run({ args, signal }, { context }) {
    const done = await context.compress(args === "" ? undefined : args, signal);
    if (done === undefined) return say("There is nothing to compress yet.");
    const saved = done.before === 0 ? 0 : Math.round((1 - done.after / done.before) * 100);
    return say(`Compressed: ${shortCount(done.before)} → ${shortCount(done.after)} tokens (${saved}% less).`);
  },
});

export const titleCommand = defineCommand({
  name: "title",
  description: "Show or set the title of this conversation",
  category: "Session",
  argsHint: "[name]",
  whileRunning: "now",
  takes: ["conversation"],
  async run({ session, args }, { conversation }) {
    if (args === "") return say(session.info.title ?? "This conversation has no title.");
    const { outcome, isPending } = await conversation.setTitle(args);
    return titleView(outcome, isPending);
  },
});

function titleView(outcome: TitleOutcome, isPending: boolean): CommandView {
  switch (outcome.kind) {
    case "set":
      return say(isPending ? `Title (saved with the first message): ${outcome.title}` : `Title: ${outcome.title}`);
    case "cleared":
      return say("The title was removed.");
    case "taken":
      return fault(`Session ${outcome.by} already has that title. Choose another, or /resume ${outcome.by}`);
    case "too-long":
      return fault(tooLongText(outcome.length));
    case "no-session":
      return fault("This session is no longer in the store.");
  }
}
