// Loaded into the gateway before its program: how long its event loop keeps others waiting. SIGUSR2 begins anew.
const { monitorEventLoopDelay } = require("node:perf_hooks");
const { writeFileSync } = require("node:fs");

const file = process.env.BENCH_LOOP_FILE;
const resolution = 5;
const delays = monitorEventLoopDelay({ resolution });
delays.enable();
process.on("SIGUSR2", () => delays.reset());
const beyond = (ns) => Math.max(0, ns / 1e6 - resolution);
setInterval(() => {
  const figures = { p99: beyond(delays.percentile(99)), max: beyond(delays.max), pid: process.pid };
  if (file !== undefined) writeFileSync(`${file}.${process.pid}`, JSON.stringify(figures));
}, 200).unref();
