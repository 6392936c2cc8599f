import { createHermes } from "hermes-ts";

const hermes = await createHermes({
  model: "demo", // or "openrouter:anthropic/claude-sonnet-4.6", …; without it, the configured model
  toolsets: ["file", "terminal"],
  approve: ({ summary }) => {
    console.log(`May it run "${summary}"? No.`);
    return "deny";
  },
});
try {
  console.log(await hermes.chat("list files"));
  const turn = await hermes.runConversation({ message: "run `rm -rf build`" });
  console.log(turn.exitReason, turn.usage.output > 0);
} finally {
  await hermes[Symbol.asyncDispose]();
}
