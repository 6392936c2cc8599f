import { createServer } from "node:net";

// Below the range the kernel hands out by itself, so that no other program is given the port between looking and listening.
const first = 12_000;
const count = 18_000;

/** A port that nobody listens on, and that stays free for whoever starts a server on it or comes back to it. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = first + Math.floor(Math.random() * count);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
