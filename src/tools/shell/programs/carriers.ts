import { type Argument, literal, unknownArgument, unknownName, withText } from "../simple-command.ts";
import { wordSet } from "./option-words.ts";

/** What a program runs: words as a command, or a text that a shell reads. */
export type Carried =
  | { readonly kind: "command"; readonly words: readonly Argument[] }
  | { readonly kind: "script"; readonly text: Argument };

/** A program whose words are another command. It is looked through, so that the other one is judged. */
interface Carrier {
  /** Options that take the next word as their value. */
  readonly valued?: string;
  /** Plain words before the command (`timeout 5 cmd`, `chroot /x cmd`). */
  readonly operands?: number;
  /** `NAME=value` words may stand before the command. */
  readonly assigns?: boolean;
  /** Options whose value is a script. */
  readonly script?: string;
  /** The words behind it are one script, as `watch` and `ssh` read them. */
  readonly joins?: boolean;
  /** Sub-commands that run what follows; without one of them nothing is run. */
  readonly actions?: string;
  /** Arguments that come from elsewhere are added to the command. */
  readonly adds?: boolean;
  /** The first word may be a script in JavaScript, which runs in node. */
  readonly scriptOperand?: boolean;
  /** The first word is a package, maybe with its version, and the program in it has its name. */
  readonly fetches?: boolean;
}

const npx: Carrier = {
  valued: "-p --package -w --workspace --node-arg -n --shell --cache --registry",
  script: "-c --call",
  fetches: true,
};

const container: Carrier = {
  actions: "exec run compose-exec",
  operands: 1,
  valued:
    "-e -u -w -v -p -h -l -m -c --env --user --workdir --name --volume --publish --network --net --entrypoint --env-file --detach-keys " +
    "--mount --label --memory --cpus --cpu-shares --hostname --platform --pull --restart --shm-size --tmpfs --ulimit --gpus --add-host " +
    "--cap-add --cap-drop --device --dns --expose --ip --ipc --link --log-driver --log-opt --pid --pids-limit --security-opt --stop-signal " +
    "--storage-opt --sysctl --userns --uts --volumes-from --cidfile --cgroupns --runtime -a --attach --index",
};

const carriers: Readonly<Record<string, Carrier>> = {
  sudo: {
    valued:
      "-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --close-from --role --type --chroot --other-user --command-timeout",
    assigns: true,
  },
  doas: { valued: "-u -C -a", assigns: true },
  pkexec: { valued: "--user" },
  run0: { valued: "-u -g -D --user --group --chdir --unit --setenv --property" },
  env: { valued: "-u -C --unset --chdir --argv0 -a", assigns: true, script: "-S --split-string" },
  command: {},
  builtin: {},
  exec: { valued: "-a" },
  nohup: {},
  setsid: {},
  time: { valued: "-o -f --output --format" },
  nice: { valued: "-n --adjustment" },
  ionice: { valued: "-c -n -p -P -u --class --classdata" },
  chrt: { valued: "-T -P -D", operands: 1 },
  taskset: { operands: 1 },
  numactl: { valued: "-N -m -i -C -p -l --cpunodebind --membind --interleave --physcpubind --preferred" },
  timeout: { valued: "-s -k --signal --kill-after", operands: 1 },
  gtimeout: { valued: "-s -k --signal --kill-after", operands: 1 },
  stdbuf: { valued: "-i -o -e --input --output --error" },
  unbuffer: {},
  busybox: {},
  toybox: {},
  chroot: { valued: "--userspec --groups", operands: 1 },
  unshare: { valued: "-S -G -R -w --setuid --setgid --root --wd --map-user --map-group --propagation --kill-child" },
  nsenter: { valued: "-t -S -G -w --target --setuid --setgid --wd --root" },
  setarch: { operands: 1 },
  linux32: {},
  linux64: {},
  prlimit: { valued: "-p -o --pid --output" },
  setpriv: { valued: "--reuid --regid --groups --inh-caps --ambient-caps --bounding-set --securebits" },
  capsh: { script: "-c" },
  strace: { valued: "-o -e -p -s -u -E -a -b -I -O -P -S -X --output --trace" },
  ltrace: { valued: "-o -e -p -s -u -l -a -n -A -D -F -w -x" },
  perf: {
    actions: "stat record trace",
    valued: "-e -o -p -t -r -F -c -C -g -d -I --event --output --pid --call-graph",
  },
  valgrind: {},
  heaptrack: {},
  hyperfine: {
    valued: "-w -r -m -M -L -P -n -S -i --warmup --runs --export-json --export-markdown --parameter-list --shell",
    joins: true,
  },
  flock: { operands: 1, valued: "-w -E --timeout --conflict-exit-code", script: "-c --command" },
  xargs: {
    adds: true,
    valued:
      "-I -n -P -L -s -d -E -a -i --max-args --max-procs --max-lines --max-chars --delimiter --arg-file --replace --eof",
  },
  parallel: {
    adds: true,
    valued:
      "-j -I -n -N -a -S --jobs --colsep --results --joblog --timeout --delay --retries --tmpdir --arg-file --sshlogin",
    joins: true,
  },
  watch: { valued: "-n --interval", joins: true },
  entr: {},
  // A script of node stands there as often as a command does.
  nodemon: { valued: "-w -e -i --watch --ext --ignore --delay", script: "-x --exec", scriptOperand: true },
  su: { valued: "-s -g -G -w --shell --group --supp-group", script: "-c --command --session-command" },
  runuser: { valued: "-u -s -g -G --user --shell --group", script: "-c --command --session-command" },
  sg: { operands: 1, script: "-c" },
  script: { script: "-c --command" },
  scriptreplay: {},
  ssh: {
    valued: "-p -i -l -o -F -J -L -R -D -b -c -E -S -W -B -e -I -m -O -Q -w",
    operands: 1,
    joins: true,
  },
  mosh: { operands: 1, valued: "-p --ssh --port" },
  sshpass: { valued: "-p -f -d -P" },
  autossh: { valued: "-M -p -i -l -o -F -J -L -R -D", operands: 1, joins: true },
  rsh: { operands: 1, joins: true },
  adb: { actions: "shell", joins: true },
  caffeinate: { valued: "-t -w" },
  proot: { valued: "-r -b -w" },
  fakeroot: { valued: "-l -s -i -b" },
  firejail: {},
  bwrap: {
    valued:
      "--setenv --unsetenv --chdir --uid --gid --hostname --proc --dev --tmpfs --dir --remount-ro --file --seccomp --lock-file --perms --size",
  },
  "systemd-run": {
    valued:
      "-p -u -E -M -H -t --unit --property --on-calendar --on-active --on-boot --setenv --slice --uid --gid --working-directory --description",
  },
  "systemd-inhibit": { valued: "--what --who --why --mode" },
  "systemd-nspawn": { valued: "-D -i -M -u --directory --image --machine --user --bind --bind-ro" },
  "dbus-run-session": {},
  "xvfb-run": { valued: "-s -n -e -f -w --server-args --server-num" },
  dotenv: { valued: "-e -c -f" },
  "dotenv-cli": { valued: "-e" },
  "cross-env": { assigns: true },
  "cross-env-shell": { assigns: true, joins: true },
  direnv: { actions: "exec", operands: 1 },
  chpst: { valued: "-u -U -b -e -/ -n -l -L -m -d -o -p -f -c -r -t" },
  "start-stop-daemon": {
    valued: "-p -u -n -c -d --pidfile --user --name --chuid --chdir",
    script: "-x -a --exec --startas",
  },
  daemonize: { valued: "-c -e -o -p -l -u -E" },
  daemon: { valued: "-n -u -D -P -F -o -O -E -l --name --user --chdir --pidfile --output" },
  dtach: { operands: 1, valued: "-e -r" },
  abduco: { operands: 1, valued: "-e" },
  expect: { script: "-c" },
  gdb: { script: "" },
  rlwrap: { valued: "-f -H -s -p -C -b" },
  tmux: {
    actions:
      "new new-session new-window neww split-window splitw respawn-pane respawn-window run-shell run if-shell send-keys",
    valued: "-s -n -c -t -x -y -F -e -L -S -f",
    joins: true,
  },
  screen: { valued: "-S -c -e -h -p -s -t -T -X" },
  docker: container,
  podman: container,
  nerdctl: container,
  "docker-compose": { ...container, actions: "exec run" },
  kubectl: { actions: "exec", operands: 1, valued: "-n -c -f --namespace --container --filename" },
  oc: { actions: "exec rsh", operands: 1, valued: "-n -c -f --namespace --container --filename" },
  lxc: { actions: "exec", operands: 1 },
  machinectl: { actions: "shell", operands: 1 },
  vagrant: { actions: "ssh", script: "-c --command" },
  uv: {
    actions: "run",
    valued: "-p -m --python --with --extra --group --directory --project --env-file --with-requirements --package",
  },
  poetry: { actions: "run" },
  pipenv: { actions: "run" },
  pdm: { actions: "run" },
  hatch: { actions: "run" },
  rye: { actions: "run" },
  conda: { actions: "run", valued: "-n -p --name --prefix" },
  mamba: { actions: "run", valued: "-n -p --name --prefix" },
  micromamba: { actions: "run", valued: "-n -p --name --prefix" },
  bundle: { actions: "exec" },
  mise: { actions: "exec x", valued: "-c -C --command --cd" },
  asdf: { actions: "exec" },
  nvm: { actions: "exec", operands: 1 },
  fnm: { actions: "exec" },
  volta: { actions: "run" },
  pyenv: { actions: "exec" },
  rbenv: { actions: "exec" },
  nodenv: { actions: "exec" },
  rustup: { actions: "run", operands: 1 },
  npx,
  bunx: npx,
  pnpx: npx,
  uvx: { valued: "--from --with -p --python --index --index-url --extra-index-url --with-editable", fetches: true },
  pipx: { actions: "run", valued: "--spec --python --pip-args", fetches: true },
  pnpm: { actions: "exec dlx", valued: "-C --dir --filter -F -w --package", fetches: true },
  npm: {
    actions: "exec x",
    valued: "-c -w -p --call --package --prefix --workspace",
    script: "-c --call",
    fetches: true,
  },
  yarn: { actions: "exec dlx", valued: "--cwd -p --package", fetches: true },
  bun: { actions: "x", fetches: true },
  corepack: {},
  opam: { actions: "exec" },
  stack: { actions: "exec" },
  cabal: { actions: "exec" },
  nix: { actions: "develop shell run", script: "-c --command" },
  "nix-shell": { script: "--run --command", valued: "-p -I -A --argstr" },
  guix: { actions: "shell environment" },
  doppler: { actions: "run", valued: "-p -c -t --project --config --token --command", script: "--command" },
  op: { actions: "run", valued: "--env-file --account" },
  chamber: { actions: "exec", operands: 1 },
  "aws-vault": { actions: "exec", operands: 1 },
  infisical: { actions: "run", valued: "--env --path --projectId" },
  sops: { actions: "exec-env exec-file", operands: 1 },
  torsocks: {},
  proxychains: { valued: "-f" },
  proxychains4: { valued: "-f" },
  tsocks: {},
  catchsegv: {},
  eatmydata: {},
  ccache: {},
  sccache: {},
  distcc: {},
  bear: {},
  "scan-build": { valued: "-o" },
  coproc: {},
};

/** Where the command would run, when that is another machine or another root. */
export const elsewhere: ReadonlySet<string> = new Set(
  "docker podman nerdctl docker-compose kubectl oc lxc ssh mosh autossh rsh adb machinectl vagrant chroot proot systemd-nspawn".split(
    " ",
  ),
);

/** What a call runs besides itself; empty when it runs nothing else. */
export function carriedBy(name: string, args: readonly Argument[]): readonly Carried[] {
  if (name === "find" || name === "gfind") return findCommands(args);
  if (name === "fd" || name === "fdfind") return fdCommands(args);
  if (name === "git") return gitCommands(args);
  if (name === "cmake") return cmakeCommands(args);
  if (/^(?:python|pypy)[\d.]*$/.test(name)) return moduleCommands(args);
  const carrier = Object.hasOwn(carriers, name) ? carriers[name] : undefined;
  if (carrier === undefined) return standingCommand(name, args);
  if (carrier.actions === undefined) return carried(carrier, args);
  return afterAction(carrier, args);
}

/** Programs that nobody names as a plain word unless they are to run. */
const acting =
  /^(?:(?:\/usr)?\/s?bin\/)?(?:rm|rmdir|unlink|shred|dd|mv|chmod|chown|truncate|mkfs(?:\.\w+)?|(?:ba|z|da|k|a|c|fi)?sh|python[\d.]*|perl|ruby|node|php|curl|wget|nc|ncat|socat|kill|killall|pkill|sudo|doas|su|eval)$/;
/** Programs whose words are text, names of packages or files, or commands that are looked for elsewhere. */
const naming =
  /^(?:echo|printf|e?grep|fgrep|rg|ag|ack|sed|[gmn]?awk|jq|yq|man|which|whereis|type|command|hash|whatis|apropos|tldr|help|info|test|\[|\[\[|alias|unalias|export|declare|local|unset|trap|complete|read|for|case|apt|apt-get|aptitude|dpkg|dnf|yum|rpm|zypper|pacman|apk|brew|port|snap|pip3?|pipx|uv|npm|pnpm|yarn|conda|gem|cargo|go|choco|scoop|winget|nix-env|asdf|mise|nvm|pyenv|ls|cat|cp|mv|rm|ln|find|pgrep|pkill|pidof|killall|kill|ps|top|install|link|cmp|ldd|nm|strings|objdump|readelf|strip|xxd|hexdump|od|md5sum|sha\d+sum|b2sum|getcap|lsattr|getfacl|git|gh|glab|code|vim?|nvim|nano|open|file|stat|touch|mkdir|tee|head|tail|wc|sort|diff|hermes|say|logger|notify-send|wall|write|mail|cd|source|\.|rsync|scp|tar|zip|docker|podman|kubectl|update-alternatives|basename|dirname|realpath|readlink|getent|id|groups|systemctl|service|journalctl|crontab|xargs|parallel|env|ssh|shellcheck|ollama|expr|seq|tr|cut|column|set|pushd|popd|hyperfine|compgen|shopt|chsh|docker-compose)$/;

/** Whatever program it is: behind `--`, or as plain words, stands a command that it would run. */
function standingCommand(name: string, args: readonly Argument[]): readonly Carried[] {
  if (name === "" || naming.test(name)) return [];
  const at = args.findIndex((arg, index) => arg.isKnown && acting.test(arg.text) && args[index + 1] !== undefined);
  return at < 0 ? [] : [{ kind: "command", words: args.slice(at) }];
}

/** Arguments that the program adds to what it runs, from its input: `xargs`, `parallel`. */
export function addsArguments(name: string): boolean {
  return Object.hasOwn(carriers, name) && carriers[name]?.adds === true;
}

export function isCarrier(name: string): boolean {
  return Object.hasOwn(carriers, name);
}

/** `docker -H x compose exec web cmd`: what follows the sub-command that runs something. */
function afterAction(carrier: Carrier, args: readonly Argument[]): readonly Carried[] {
  const actions = wordSet(carrier.actions ?? "");
  const at = args.findIndex((arg, index) => actions.has(arg.text) && index < 8);
  if (at < 0 || args.slice(0, at).filter((arg) => !arg.text.startsWith("-")).length > 2) return [];
  return carried(carrier, args.slice(at + 1));
}

function carried(carrier: Carrier, args: readonly Argument[]): readonly Carried[] {
  const valued = wordSet(carrier.valued ?? "");
  const scripts = wordSet(carrier.script ?? "");
  let operands = carrier.operands ?? 0;
  let index = 0;
  for (; index < args.length; index += 1) {
    const arg = args[index] ?? literal("");
    const { text } = arg;
    if (text === "--") {
      index += 1 + operands;
      operands = 0;
      break;
    }
    if (text.startsWith("-") && text !== "-") {
      const at = text.startsWith("--") ? text.indexOf("=") : -1;
      const option = at < 0 ? text : text.slice(0, at);
      const script = scriptOf(
        scripts,
        { option, inline: at < 0 ? undefined : withText(arg, text.slice(at + 1)) },
        args[index + 1],
      );
      if (script !== undefined) return [withRest(script, args.slice(index + 2))];
      const isCluster = !text.startsWith("--") && text.length > 2;
      const takesNext =
        at < 0 &&
        (valued.has(option) || (isCluster && !valued.has(text.slice(0, 2)) && valued.has(`-${text.at(-1) ?? ""}`)));
      if (takesNext) index += 1;
      continue;
    }
    if (carrier.assigns === true && /^[A-Za-z_]\w*=/.test(text)) continue;
    if (operands === 0) break;
    operands -= 1;
  }
  const words = carrier.fetches === true ? fetched(args.slice(index)) : args.slice(index);
  if (words.length === 0) return [];
  if (carrier.scriptOperand === true && /^[\w./-]+\.[cm]?[jt]s$/.test(words[0]?.text ?? ""))
    return [{ kind: "command", words: [literal("node"), ...words] }];
  return [carrier.joins === true ? { kind: "script", text: joined(words) } : { kind: "command", words }];
}

/** Programs that delete or clean, whose words the tables of the runners judge themselves. */
const cleaners = /^(?:rimraf|del-cli|del|trash-cli|trash|shx|mkdirp|cross-env|dotenv-cli|kill-port)$/;

/** `npx prisma@5 db push` runs `prisma db push`; what a package from an address holds nobody knows. */
function fetched(words: readonly Argument[]): readonly Argument[] {
  const [first, ...rest] = words;
  const bare = first?.text.replace(/(?<=.)@[^/]*$/, "") ?? "";
  if (first === undefined || !/^(?:@[\w.-]+\/)?[\w.-]+$/.test(bare) || cleaners.test(bare)) return [];
  return [withText(first, bare), ...rest];
}

function scriptOf(
  scripts: ReadonlySet<string>,
  { option, inline }: { readonly option: string; readonly inline: Argument | undefined },
  next: Argument | undefined,
): Argument | undefined {
  if (scripts.has(option)) return inline ?? next;
  const short = option.slice(0, 2);
  if (!option.startsWith("--") && option.length > 2) {
    if (scripts.has(short)) return literal(option.slice(2));
    if (scripts.has(`-${option.at(-1) ?? ""}`)) return next;
  }
  return undefined;
}

/** `env -S 'a b' c` runs `a b c`. */
function withRest(text: Argument, rest: readonly Argument[]): Carried {
  return { kind: "script", text: rest.length === 0 ? text : joined([text, ...rest]) };
}

/** The commands behind `-exec`, `-execdir`, `-ok`; what is found stands as a name below the first folder. */
function findCommands(args: readonly Argument[]): readonly Carried[] {
  const [start] = args;
  const folder = start === undefined || /^[-(!]/.test(start.text) ? "." : start.text;
  const found: Carried[] = [];
  for (const [index, arg] of args.entries()) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(arg.text)) continue;
    const rest = args.slice(index + 1);
    const end = rest.findIndex((word) => word.text === ";" || word.text === "+");
    const words = rest.slice(0, end < 0 ? rest.length : end);
    found.push({ kind: "command", words: words.map((word) => filled(word, "{}", `${folder}/${unknownName}`)) });
  }
  return found;
}

/** `git bisect run cmd`, `git submodule foreach cmd`. */
function gitCommands(args: readonly Argument[]): readonly Carried[] {
  const at = args.findIndex(({ text }) => text === "bisect" || text === "submodule");
  if (at < 0) return [];
  const rest = args.slice(at + 1);
  const from = rest.findIndex(({ text }) => text === "run" || text === "foreach");
  const words = from < 0 ? [] : rest.slice(from + 1).filter(({ text }, index) => index > 0 || text !== "--recursive");
  if (words.length === 0 || rest.slice(0, from).some(({ text }) => !text.startsWith("-"))) return [];
  return [rest[from]?.text === "foreach" ? { kind: "script", text: joined(words) } : { kind: "command", words }];
}

/** `python3 -m pip install x`: modules that are programs, too. */
function moduleCommands(args: readonly Argument[]): readonly Carried[] {
  const at = args.findIndex(({ text }) => text === "-m");
  const module = args[at + 1];
  if (at < 0 || module === undefined || args.slice(0, at).some(({ text }) => !text.startsWith("-"))) return [];
  return asProgram.test(module.text) ? [{ kind: "command", words: args.slice(at + 1) }] : [];
}

const asProgram =
  /^(?:pip|pipx|twine|poetry|pdm|flit|hatch|uv|conda|tox|nox|pytest|coverage|mypy|black|isort|flake8|pylint|flask|uvicorn|gunicorn|celery|ansible|jupyter|streamlit|ipython|ptpython|virtualenv|pre_commit|scrapy|invoke|fabric|locust|mkdocs|sphinx|alembic|easy_install)$/;

/** `cmake -E env A=b cmd`, `cmake -E chdir folder cmd`, `cmake -E rm file`. */
function cmakeCommands(args: readonly Argument[]): readonly Carried[] {
  if (args[0]?.text !== "-E") return [];
  const action = args[1]?.text ?? "";
  if (action === "rm" || action === "remove" || action === "remove_directory")
    return [{ kind: "command", words: [literal("rm"), ...(action === "rm" ? [] : [literal("-r")]), ...args.slice(2)] }];
  if (action === "copy" || action === "rename")
    return [{ kind: "command", words: [literal(action === "copy" ? "cp" : "mv"), ...args.slice(2)] }];
  if (action === "env") return carried({ assigns: true }, args.slice(2));
  if (action === "time") return carried({}, args.slice(2));
  return action === "chdir" ? carried({ operands: 1 }, args.slice(2)) : [];
}

function fdCommands(args: readonly Argument[]): readonly Carried[] {
  const at = args.findIndex((arg) => /^(?:-x|-X|--exec|--exec-batch)$/.test(arg.text));
  if (at < 0) return [];
  const words = args.slice(at + 1).map((word) => filled(word, "{}", unknownName));
  return [
    {
      kind: "command",
      words: words.some((word) => word.text.includes(unknownName)) ? words : [...words, literal(unknownName)],
    },
  ];
}

export function filled(word: Argument, slot: string, value: string): Argument {
  return word.text.includes(slot) ? withText(word, word.text.replaceAll(slot, value)) : word;
}

function joined(words: readonly Argument[]): Argument {
  return {
    text: words.map((word) => word.text).join(" "),
    isKnown: words.every((word) => word.isKnown),
    hasGlob: words.some((word) => word.hasGlob),
    mayBeMany: words.some((word) => word.mayBeMany),
    sources: words.flatMap((word) => word.sources),
  };
}

/** What `xargs` makes of its input: the words it adds, as far as they are known. */
export function addedWords(input: string | undefined): readonly Argument[] {
  if (input === undefined || input.length > 2_000) return [unknownArgument("input")];
  const words = input.split(/\s+/).filter((word) => word !== "");
  if (words.length === 0 || words.length > 40) return [unknownArgument("input")];
  return words.map((word) => withText({ ...literal(word), mayBeMany: false, sources: ["input"] }, word));
}
