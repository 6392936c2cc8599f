import { provePrefix } from "./prefix.ts";

const report = await provePrefix();
const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
const verdicts = [
  ["bytes that extend the request before, outside compression", percent(report.keptShare), report.keptShare >= 0.98],
  ["the same on the wire", percent(report.keptShareOnWire), report.keptShareOnWire >= 0.98],
  ["breaks nobody explained", String(report.unexplained.length), report.unexplained.length === 0],
  [
    "cost with the simulated cache, compression included, against the same work undisturbed",
    `${report.costRatio.toFixed(3)}x`,
    report.costRatio <= 1.15,
  ],
  ["turns that did not complete", String(report.failed.length), report.failed.length === 0],
] as const;
const lines = [
  `${report.steps} steps, ${report.requests} requests, ${report.compressions} compressions, ${report.resumes} resumes, ${report.modelChanges} model changes, ${percent(report.readShare)} of prompt tokens read from the cache`,
  ...verdicts.map(([what, value, isMet]) => `${isMet ? "met   " : "MISSED"} ${what}: ${value}`),
  ...report.breaks.map((text) => `break  ${text.slice(0, 240)}`),
  ...report.failed,
];
process.stdout.write(`${lines.join("\n")}\n`);
process.exitCode = verdicts.every(([, , isMet]) => isMet) ? 0 : 1;
