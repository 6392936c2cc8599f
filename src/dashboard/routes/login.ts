import type { Hono } from "hono";
import type { Login } from "../access/login.ts";
import { textsIn } from "../request-body.ts";

/** `POST /api/login`: the token of this start for the password; without a password there is no such way in. */
export function loginRoutes(
  app: Hono,
  { login, token }: { readonly login: Login | undefined; readonly token: string },
): void {
  app.post("/api/login", async (c) => {
    if (login === undefined) return c.json({ error: "There is nothing here." }, 404);
    const { password } = await textsIn(c, "password");
    const isRight = await login.accepts(password, c.req.raw.signal);
    return isRight ? c.json({ token }) : c.json({ error: "This is not the password." }, 401);
  });
}
