import { readOptions, valuesOf, wordSet } from "../../../shell/programs/option-words.ts";
import type { Argument, SimpleCommand } from "../../../shell/simple-command.ts";
import { styleOf } from "./styles.ts";

/** Options whose value is a file that the program runs: a script in its own language, statements, commands. */
const options: Readonly<Record<string, string>> = {
  awk: "-f --file -i --include -E --exec -l --load",
  sed: "-f --file",
  bc: "",
  dc: "-f --file",
  psql: "-f --file",
  pgcli: "",
  mysql: "--defaults-file --defaults-extra-file",
  mongosh: "-f --file",
  cqlsh: "-f --file",
  sqlcmd: "-i --input-file",
  duckdb: "-init -f -file --init",
  "clickhouse-client": "--queries-file",
  "redis-cli": "--eval",
  usql: "-f --file",
  trino: "-f --file",
  hive: "-f -i",
  beeline: "-f -i",
  "spark-sql": "-f -i",
  "cypher-shell": "-f --file",
  influx: "-f --file",
  lftp: "-f",
  sftp: "-b",
  ip: "-b -batch --batch",
  bridge: "-b -batch",
  tc: "-b -batch",
  nft: "-f --file",
  java: "-jar -cp -classpath --class-path",
  groovy: "-cp --classpath",
  scala: "-cp -classpath",
  php: "-f -B",
  R: "-f --file",
  Rscript: "",
  julia: "-L --load -J",
  guile: "-l -s -L",
  sbcl: "--load --script --core",
  racket: "-f -r -u -t",
  swipl: "-f -l -s",
  ghci: "-ghci-script",
  perl: "-I -x",
  ruby: "-I",
  node: "-r --require --import --loader --experimental-loader",
  gdb: "-x -ix --command --init-command",
  lldb: "-s -S --source --source-before-file",
  expect: "-f",
  gnuplot: "-c -p",
  screen: "-c",
  tmux: "-f",
  mplayer: "-input",
  xargs: "-a --arg-file",
  parallel: "-a --arg-file --argfile",
  at: "-f",
  crontab: "",
  make: "-f --file --makefile -C --directory",
  ninja: "-f -C",
  just: "-f --justfile -d --working-directory",
  task: "-t --taskfile -d --dir",
  rake: "-f --rakefile -R --rakelibdir",
  ant: "-f -file -buildfile -lib",
  mvn: "-f --file -s --settings -gs",
  gradle: "-p --project-dir -b --build-file -I --init-script -c --settings-file",
  npm: "--prefix",
  pnpm: "-C --dir",
  yarn: "--cwd",
  cargo: "--manifest-path -C",
  bundle: "--gemfile",
  tox: "-c",
  nox: "-f --noxfile",
  invoke: "-r --search-root",
  fab: "-r --search-root",
  pytest: "-c --rootdir --confcutdir",
  docker: "-f --file",
  "docker-compose": "-f --file",
  podman: "-f --file",
  terraform: "-chdir",
  "ansible-playbook": "-i --inventory -M --module-path",
  supervisord: "-c --configuration",
  uwsgi: "--ini --wsgi-file --pythonpath",
  gunicorn: "-c --config --chdir --pythonpath",
  celery: "--workdir",
  flask: "--app -A --env-file",
  uvicorn: "--app-dir --env-file",
};

/** Programs whose plain words are files that they run. */
const operands: Readonly<Record<string, number>> = {
  bc: 9,
  wine: 1,
  wine64: 1,
  mono: 1,
  "qemu-x86_64": 1,
  "qemu-aarch64": 1,
  "qemu-i386": 1,
  "ansible-playbook": 9,
  lftp: 0,
  newman: 2,
  jmeter: 0,
  k6: 2,
  bats: 9,
  behave: 1,
  streamlit: 2,
  papermill: 1,
  molecule: 0,
  crontab: 1,
  box64: 1,
  logrotate: 9,
  "run-parts": 1,
};

/** Programs that run a source file or a folder of code behind one of these words. */
const running: Readonly<Record<string, string>> = {
  go: "run test generate",
  deno: "run test bench serve",
  bun: "run test",
  zig: "run test build",
  dart: "run test",
  crystal: "run spec",
  nim: "r run c compile e",
  v: "run test",
  odin: "run test",
  "scala-cli": "run test",
  dotnet: "run exec fsi test",
  tsx: "watch",
  flutter: "run test",
  swift: "run",
  cargo: "script",
  streamlit: "run",
  k6: "run",
  newman: "run",
  jupyter: "nbconvert execute",
  "docker-compose": "",
};
/** Programs whose first word is a source file that is built and run at once. */
const direct =
  /^(?:swift|jbang|rust-script|runghc|runhaskell|kotlin|scala|scala-cli|tcc|rdmd|cling|evcxr|marimo|locust)$/;

const aliases: Readonly<Record<string, string>> = {
  gawk: "awk",
  mawk: "awk",
  nawk: "awk",
  gsed: "sed",
  mariadb: "mysql",
  mongo: "mongosh",
  gmake: "make",
  mvnw: "mvn",
  gradlew: "gradle",
  nodejs: "node",
  tsx: "node",
  "ts-node": "node",
  inv: "invoke",
  "py.test": "pytest",
  "valkey-cli": "redis-cli",
};

/** Files that a program takes its orders from; interpreters' script operands are not among them. */
export function programFiles(command: SimpleCommand): readonly Argument[] {
  const called = command.name ?? "";
  const name = Object.hasOwn(aliases, called) ? (aliases[called] ?? called) : called;
  const listed = Object.hasOwn(options, name) ? (options[name] ?? "") : "";
  const started = startedFiles(command, name);
  const count = Object.hasOwn(operands, name) ? (operands[name] ?? 0) : 0;
  if (listed === "" && count === 0) return started;
  const style = styleOf(name);
  const words = readOptions(command.args, { ...style, valued: `${style.valued ?? ""} ${listed}` });
  return [...started, ...valuesOf(words, listed), ...words.operands.slice(0, count)].filter(
    (file) => file.text !== "-",
  );
}

/** `go run ../x`, `deno run /tmp/x.ts`: words behind the verb that lead somewhere else. */
function startedFiles({ args }: SimpleCommand, name: string): readonly Argument[] {
  const verbs = wordSet(Object.hasOwn(running, name) ? (running[name] ?? "") : "");
  const words = args.filter(({ text }) => !text.startsWith("-"));
  const [first] = words;
  if (first === undefined || !(verbs.has(first.text) || direct.test(name))) return [];
  return words.filter(({ text }) => /^(?:[/~]|\.\.(?:\/|$))/.test(text)).slice(0, 2);
}
