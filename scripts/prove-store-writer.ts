import { writeSync } from "node:fs";
import { type Message, newToolCall, type SessionId, toolMessage } from "#conversation";
import { silentLogger } from "#foundation/files/logger";
import { never } from "#foundation/lifecycle/abort";
import { newId } from "#foundation/text/ids";
import { systemClock } from "#foundation/time/clock";
import { openStore, type Store } from "#store";

/**
 * One writer of the kill test: it lives like an agent, step after step, and says on its output which messages it
 * was told are stored. It is killed without warning; whatever it said must then be true.
 */
const turnsPerPause = 15;
const [, , path = "", workerFile = ""] = process.argv;
await write();

async function write(): Promise<void> {
  const store = await openStore({ path }, { clock: systemClock, log: silentLogger, workerFile });
  const sessionId = newId("kill") as SessionId;
  for (let turn = 0; ; turn += 1) {
    await takeTurn(store, sessionId, turn);
    if (turn % turnsPerPause === turnsPerPause - 1) await pause(store);
  }
}

/** Long enough for the log to be written back and the substring index to be built, in the middle of which it may be killed. */
async function pause(store: Store): Promise<void> {
  await store.maintenance.indexPending(never);
  await systemClock.sleep(400, never);
}

async function takeTurn(store: Store, sessionId: SessionId, turn: number): Promise<void> {
  await keep(store, sessionId, [message("user", `please do number ${turn} 请做第${turn}件事`)]);
  const calls = [0, 1].map((index) => newToolCall({ id: `call_${turn}_${index}`, name: "terminal", arguments: "{}" }));
  const reply: Message = { ...message("assistant", ""), role: "assistant", content: "", tool_calls: calls };
  await keep(store, sessionId, [reply]);
  const results = calls.map((call) => toolMessage(call, `result of ${call.id}`, { uid: newId("msg") }));
  await keep(store, sessionId, results);
  // A flush that is repeated, as after an error nobody was sure about, stores nothing twice.
  if (turn % 3 === 0) await keep(store, sessionId, [reply, ...results]);
  const last = message("assistant", `done with ${turn}`);
  await store.transaction(async (tx) => {
    await tx.messages.append(sessionId, [last]);
    await tx.outbox.owe([
      {
        idempotencyKey: last.uid,
        sessionKey: sessionId,
        platform: "test",
        account: "a",
        chatId: sessionId,
        kind: "send",
        payload: { text: "done" },
      },
    ]);
  });
  acknowledge([last.uid]);
  await systemClock.sleep(0, never);
}

async function keep(store: Store, sessionId: SessionId, messages: readonly Message[]): Promise<void> {
  await store.messages.append(sessionId, messages);
  acknowledge(messages.map((entry) => entry.uid ?? ""));
}

function message(role: "user" | "assistant", content: string): Message & { readonly uid: string } {
  const uid = newId("msg");
  return role === "user" ? { role, content, uid } : { role, content, uid };
}

/** Synchronously, so that the line has left this process before the next step begins. */
function acknowledge(uids: readonly string[]): void {
  writeSync(1, `${uids.join("\n")}\n`);
}
