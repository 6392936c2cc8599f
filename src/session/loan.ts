import type { OpenSession } from "./api.ts";
import type { SessionFront } from "./front/session-front.ts";

/** A session as one of its borrowers holds it. Giving it back ends what it listens to; the session itself goes on. */
export function loanOf(front: SessionFront, source: string, giveBack: () => void): OpenSession {
  const listening = new Set<Disposable>();
  let isBack = false;
  return {
    get info() {
      return front.info;
    },
    get history() {
      return front.history;
    },
    subscribe(listener, options) {
      const subscription = front.subscribe(listener, options);
      listening.add(subscription);
      return {
        [Symbol.dispose]() {
          listening.delete(subscription);
          subscription[Symbol.dispose]();
        },
      };
    },
    submit: async (input) =>
      isBack ? { kind: "refused", message: "This session was given back." } : await front.submit(input, source),
    continueTurn: () => front.continueTurn(),
    complete: (line, signal) => front.complete(line, signal),
    steer: (text) => front.steer(text),
    queue: (text) => front.queue(text, source),
    unqueue: (index) => front.unqueue(index),
    interrupt: (message) => front.interrupt(message),
    breakOff: () => front.breakOff(),
    setMode: (mode) => front.setMode(mode),
    approve: (id, answer) => front.approve(id, answer),
    answer: (id, text) => front.answer(id, text),
    settled: () => front.settled(),
    [Symbol.asyncDispose]() {
      if (!isBack) {
        isBack = true;
        for (const subscription of listening) subscription[Symbol.dispose]();
        giveBack();
      }
      return Promise.resolve();
    },
  };
}
