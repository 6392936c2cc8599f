import { UserError } from "#foundation/errors";
import type { LoginUi } from "#model";
import type { Invocation } from "../../command.ts";
import type { Output } from "../../output/output.ts";
import { type Asker, isTerminal, openAsker } from "../../support/ask.ts";
import { isHeadless, openInBrowser } from "../../support/browser.ts";

export interface LoginTerminal extends LoginUi, Disposable {}

/** What a login shows and asks at a terminal. */
export function openLoginUi(
  invocation: Invocation,
  out: Output,
  options: { readonly hasBrowser: boolean },
): LoginTerminal {
  const { io } = invocation;
  let opened: Asker | undefined;
  const asker = (): Asker => {
    if (!isTerminal(io)) throw noTerminal();
    opened ??= openAsker(io);
    return opened;
  };
  const isBlind = !options.hasBrowser || isHeadless(io.env);
  return {
    isHeadless: isBlind,
    confirm: (notice) => asker().confirm(`${notice}\nGo on?`, false),
    showPage: ({ url, userCode }) =>
      out.note(userCode === undefined ? `Open ${url}` : `Open ${url}\nand enter the code ${userCode}`),
    openBrowser: async (url) => !isBlind && (await openInBrowser(url, io)),
    paste: (prompt) => asker().text(prompt),
    [Symbol.dispose]: () => opened?.[Symbol.dispose](),
  };
}

function noTerminal(): UserError {
  return new UserError("This login asks questions, which needs a terminal.", {
    code: "terminal_needed",
    hint: "Run it in a terminal, or use an API key: hermes auth add <provider> --api-key -",
  });
}
