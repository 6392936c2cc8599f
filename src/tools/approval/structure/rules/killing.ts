import { readOptions, valuesOf } from "../../../shell/programs/option-words.ts";
import { hasUnknown, type SimpleCommand, unknownNumber } from "../../../shell/simple-command.ts";

/** Signals that ask a program to end, to read its settings again, or whether it is there. */
const plainSignals = /^(?:0|1|2|3|9|10|12|15|28|(?:SIG)?(?:HUP|INT|QUIT|KILL|USR1|USR2|TERM|WINCH|EXIT))$/i;
/** What a project starts while it is worked on, by the name of its process. */
const workNames =
  /^(?:node|nodejs|npm|npx|pnpm|yarn|bun|deno|tsx|ts-node|tsc|nodemon|vite|vitest|jest|mocha|next|nuxt|astro|webpack|rollup|esbuild|parcel|turbo|storybook|react-scripts|ng|expo|metro|http-server|live-server|serve|json-server|playwright|cypress|chromedriver|geckodriver|electron|wrangler|python[\d.]*|flask|django|uvicorn|gunicorn|hypercorn|celery|pytest|jupyter|streamlit|mkdocs|sphinx-autobuild|ruby|rails|puma|sidekiq|jekyll|php|artisan|cargo|rustc|go|air|dlv|gradle|mvn|dotnet|mix|hugo|zola|webpack-dev-server|ts-node-dev|dev-server|test-server|my-?server|my-?app|server|app)$/;
const workFile = /^[\w./-]+\.(?:[cm]?[jt]sx?|py|rb|php|go|jar|sh)$/;

/** Whether a command sends signals to processes that nobody says are its own. */
export function killsOthers(command: SimpleCommand): boolean {
  switch (command.name) {
    case "kill":
      return killsByNumber(command);
    case "pkill":
      return killsByPattern(command);
    case "killall":
      return !command.args.some(({ text }) => /^(?:-l|--list|-V|--version|-0)$/.test(text)) && command.args.length > 0;
    default:
      return false;
  }
}

/** Process ids that a line found out itself belong to it; those of the system and of whatever a search finds do not. */
function killsByNumber(command: SimpleCommand): boolean {
  if (hasUnusualSignal(command)) return true;
  const targets = command.args.filter((arg, index) => !(index === 0 && /^-/.test(arg.text)) && arg.text !== "--");
  return targets.some((arg) => {
    if (/^-?[01]$/.test(arg.text)) return true;
    if (arg.sources.some((one) => one === "$PPID")) return true;
    if (arg.text === unknownNumber && arg.sources.length > 0) return false;
    if (!hasUnknown(arg.text)) return /^-[1-9]\d*$/.test(arg.text) && arg !== command.args[0];
    return (
      !arg.sources.every((one) => (one.startsWith("$") ? one !== "$PPID" : one === "lsof" || one === "cat")) ||
      arg.sources.length === 0
    );
  });
}

/** `pkill node` ends what a project runs; any other pattern may find anything. */
function killsByPattern(command: SimpleCommand): boolean {
  if (hasUnusualSignal(command)) return true;
  const { operands } = readOptions(command.args, { valued: "-F -G -g -P -s -t -U -u --signal --pidfile" });
  return operands.some((arg) => {
    if (hasUnknown(arg.text)) return true;
    const [first = "", ...rest] = arg.text.trim().split(/\s+/);
    const name = first.split("/").at(-1) ?? "";
    return !(
      workNames.test(name) ||
      workFile.test(first) ||
      (rest.length > 0 && rest.some((one) => workNames.test(one)))
    );
  });
}

/** Stopping, going on and crashing are no way to end one's own work. */
function hasUnusualSignal(command: SimpleCommand): boolean {
  const words = readOptions(command.args, { valued: "-s -n -q --signal --queue" });
  const named = valuesOf(words, "-s -n --signal").map(({ text }) => text);
  const [first] = command.args;
  const dashed = /^-((?:SIG)?[A-Z][A-Z0-9+]{2,}|\d{1,2})$/i.exec(first?.text ?? "")?.[1];
  const isName = dashed !== undefined && !/^[a-z]+$/.test(dashed);
  return [...named, ...(isName ? [dashed] : [])].some((one) => !plainSignals.test(one));
}
