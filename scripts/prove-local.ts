// Constrained tool calls with a real model: every call must be valid by the schema of its tool.
//   npm run prove:local -- --calls 500
import { constrainedCalls } from "../test/local-model/constrained-calls.ts";
import { ownTools } from "../test/local-model/own-tools.ts";
import { missing, serveRealModel } from "../test/local-model/real-model.ts";

if (missing !== undefined) process.exit(1);
const at = process.argv.indexOf("--calls");
const count = at < 0 ? 500 : Number(process.argv[at + 1]);
const tools = await ownTools(20);
await using model = await serveRealModel();
const startMs = performance.now();
const report = await constrainedCalls(model, tools, {
  count,
  maxTokens: 160,
  onCall(index, text) {
    if (index % 10 === 9) console.log(`${index + 1}: ${text.slice(0, 120)}`);
  },
});
const seconds = Math.round((performance.now() - startMs) / 1000);
for (const fault of report.faults) console.log(`✗ ${fault}`);
console.log(
  `${report.calls} calls of ${report.byTool.size} tools in ${seconds} s: ${report.valid} valid, ${report.faults.length} not, ${report.cutShort} cut short by the limit.`,
);
process.exitCode = report.faults.length === 0 ? 0 : 1;
