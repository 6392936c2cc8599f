import type { Store } from "#store";
import type { Users } from "../access/users.ts";
import type { ButtonPress } from "../platform/inbound.ts";
import { type Ask, closeAsk, readAsk } from "./ask-rows.ts";

export interface PressesDeps {
  readonly store: Store;
  readonly users: Pick<Users, "access" | "isAdmin">;
}

/** An answer on its way to the process that serves the chat. */
export interface AskAnswer {
  readonly control: "answer";
  readonly requestId: string;
  readonly kind: Ask["kind"];
  readonly answer: string;
  readonly by: string;
}

const mark = "h";

export function buttonData(askId: string, index: number): string {
  return `${mark}:${askId}:${index}`;
}

/**
 * Takes presses of buttons, in whichever process they arrive. The question is closed and the answer is in the inbox of
 * its chat in one transaction: it counts once, however often it is pressed. Gives the words for whoever pressed.
 */
export async function takePress(press: ButtonPress, deps: PressesDeps): Promise<string> {
  const { store, users } = deps;
  const { source, dedupKey, data } = press;
  const [, askId = "", number = ""] = new RegExp(`^${mark}:([\\w-]+):(\\d+)$`, "u").exec(data) ?? [];
  const ask = await readAsk(store, askId);
  const answer = ask?.choices[Number(number)];
  if (ask === undefined || answer === undefined) return "This question is no longer open.";
  if ((await users.access(source)).kind === "denied") return "You may not use this bot.";
  const isAdmin = users.isAdmin(source);
  if (ask.userId !== undefined && ask.userId !== source.userId && !isAdmin)
    return "This question is for somebody else.";
  if (ask.kind === "approval" && answer === "always" && !isAdmin) return "Only admins may allow this permanently.";
  const by = source.userName ?? source.userId ?? "somebody";
  const event: AskAnswer = { control: "answer", requestId: ask.requestId, kind: ask.kind, answer, by };
  const { platform, account } = source;
  const { sessionKey } = ask;
  const isFirst = await store.transaction(async (tx) => {
    if (!(await closeAsk(tx, ask))) return false;
    const row = { dedupKey: `press:${dedupKey}`, platform, account, sessionKey, kind: "control", event } as const;
    await tx.inbox.admit({ ...row, wakes: true });
    return true;
  });
  if (!isFirst) return "Somebody has already answered.";
  return ask.kind === "approval" ? answerText(answer) : answer;
}

export function answerText(choice: string): string {
  if (choice === "deny") return "Denied";
  if (choice === "always") return "Allowed for good";
  if (choice === "folder") return "Allowed in this folder for this session";
  return choice === "session" ? "Allowed for this session" : "Allowed once";
}
