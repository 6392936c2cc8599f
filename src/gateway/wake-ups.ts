/**
 * Tells the workers that a chat has something to do, and the senders that an account owes something. Only a hint: what
 * is to be done stands in the store, and whoever missed a hint looks there by himself every few seconds.
 */
export interface WakeUps extends AsyncDisposable {
  /** At once, or when that time has passed. */
  chat(sessionKey: string, inMs?: number): void;
  account(platform: string, account: string): void;
  onChat(listener: (sessionKey: string) => void): Disposable;
  onAccount(listener: (platform: string, account: string) => void): Disposable;
}

/** Within one process. */
export function localWakeUps(): WakeUps {
  const chats = new Set<(sessionKey: string) => void>();
  const accounts = new Set<(platform: string, account: string) => void>();
  const timers = new Set<NodeJS.Timeout>();
  return {
    chat: (sessionKey, inMs = 0) => {
      const tell = (): void => {
        for (const listener of chats) listener(sessionKey);
      };
      if (inMs === 0) return tell();
      const timer = setTimeout(() => {
        timers.delete(timer);
        tell();
      }, inMs).unref();
      timers.add(timer);
    },
    account: (platform, account) => {
      for (const listener of accounts) listener(platform, account);
    },
    onChat: (listener) => subscribed(chats, listener),
    onAccount: (listener) => subscribed(accounts, listener),
    [Symbol.asyncDispose]() {
      for (const timer of timers) clearTimeout(timer);
      return Promise.resolve();
    },
  };
}

function subscribed<T>(listeners: Set<T>, listener: T): Disposable {
  listeners.add(listener);
  return { [Symbol.dispose]: () => void listeners.delete(listener) };
}
