// Required into a program under test: a test sets its clock by the file $CLOCK_FILE. `+61000` puts it a minute and a second
// forward, `=1700000000000` lets it stand still there. Timers run as they do; only what is asked for the time is told another.
const { readFileSync } = require("node:fs");

const now = Date.now;

Date.now = () => {
  const set = setting();
  return set.startsWith("=") ? Number(set.slice(1)) : now() + Number(set);
};

function setting() {
  try {
    return readFileSync(process.env.CLOCK_FILE, "utf8") || "0";
  } catch {
    return "0";
  }
}
