// Token exactness with a real model: what would be trained on is, id by id, what the server sampled.
//   npm run prove:tokens -- --rollouts 100
import { exactTokens } from "../test/local-model/exact-tokens.ts";
import { missing, serveRealModel } from "../test/local-model/real-model.ts";

if (missing !== undefined) process.exit(1);
const at = process.argv.indexOf("--rollouts");
const rollouts = at < 0 ? 100 : Number(process.argv[at + 1]);
await using model = await serveRealModel();
const startMs = performance.now();
const report = await exactTokens(model, rollouts);
const seconds = Math.round((performance.now() - startMs) / 1000);
for (const fault of report.faults) console.log(`✗ ${fault}`);
console.log(
  `${report.rollouts} rollouts in ${seconds} s: ${report.replies} replies, ${report.toolCalls} tool calls, ${report.tokens} tokens, ${report.trainedTokens} of them trained, ${report.breaks} breaks, ${report.faults.length} faults.`,
);
process.exitCode = report.faults.length === 0 ? 0 : 1;
