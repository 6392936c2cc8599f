import type { Hono } from "hono";
import type { Returns } from "../access/returns.ts";
import { textsIn } from "../request-body.ts";

/** `POST /api/return/…`: a page that has the token is given a ticket; one that had it proves so and gets the token of this start. */
export function returnRoutes(
  app: Hono,
  { returns, token }: { readonly returns: Returns; readonly token: string },
): void {
  app.post("/api/return/ticket", (c) => c.json(returns.issue()));
  app.post("/api/return/hello", async (c) => {
    const { id, nonce } = await textsIn(c, "id", "nonce");
    const proof = /^[\w-]{16,64}$/.test(nonce) ? returns.prove(id, c.req.header("origin") ?? "", nonce) : undefined;
    return proof === undefined ? c.json({ error: overText }, 401) : c.json({ start: returns.start, proof });
  });
  app.post("/api/return/proof", async (c) => {
    const { id, proof } = await textsIn(c, "id", "proof");
    const isKnown = returns.accepts(id, c.req.header("origin") ?? "", proof);
    return isKnown ? c.json({ token }) : c.json({ error: overText }, 401);
  });
}

const overText = "Open the address that hermes dashboard printed.";
