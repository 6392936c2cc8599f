// A conversation inside another program:
//   npm install hermes-ts
//   node chat.mjs list files
// It runs on the built-in demo model, which needs no key. Any other works the same way: leave `model` out to
// take the configured one, or name one as provider:model.
import { createHermes } from "hermes-ts";

const question = process.argv.slice(2).join(" ") || "list files";

const hermes = await createHermes({
  model: process.env.MODEL ?? "demo",
  // Nothing is kept beyond this process. Leave it out, and `resume` goes on with the conversation later.
  isIncognito: true,
  // Commands that could do harm come here first. Without `approve` they are denied.
  approve: ({ summary }) => {
    console.error(`Denied: ${summary}`);
    return "deny";
  },
  onEvent: (event) => {
    if (event.type === "tool-start") console.error(`  ${event.name} ${event.preview}`);
  },
});
try {
  console.log((await hermes.chat(question)) ?? "There was no answer.");
} finally {
  await hermes[Symbol.asyncDispose]();
}
