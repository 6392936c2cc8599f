/**
 * Tells the workers that a chat has something to do, and the senders that an account owes something. Only a hint: what
 * is to be done stands in the store, and whoever missed a hint looks there by himself every few seconds.
 */
export interface WakeUps extends AsyncDisposable {
  chat(sessionKey: string): void;
  account(platform: string, account: string): void;
  onChat(listener: (sessionKey: string) => void): Disposable;
  onAccount(listener: (platform: string, account: string) => void): Disposable;
}

/** Within one process. */
export function localWakeUps(): WakeUps {
  const chats = new Set<(sessionKey: string) => void>();
  const accounts = new Set<(platform: string, account: string) => void>();
  return {
    chat: (sessionKey) => {
      for (const listener of chats) listener(sessionKey);
    },
    account: (platform, account) => {
      for (const listener of accounts) listener(platform, account);
    },
    onChat: (listener) => subscribed(chats, listener),
    onAccount: (listener) => subscribed(accounts, listener),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
}

function subscribed<T>(listeners: Set<T>, listener: T): Disposable {
  listeners.add(listener);
  return { [Symbol.dispose]: () => void listeners.delete(listener) };
}
