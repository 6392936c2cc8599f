import { shells } from "../../../shell/reading/scripts.ts";
import { type Argument, hasUnknown, type SimpleCommand } from "../../../shell/simple-command.ts";
import { keys } from "../keys.ts";
import { isInside, type PathLocation } from "../paths.ts";

/** Variables that make other programs load or run something: never by the way. */
const loading =
  /^(?:LD_(?:PRELOAD|AUDIT|DEBUG_OUTPUT)|DYLD_.*|BASH_ENV|ENV|SHELLOPTS|BASHOPTS|BASH_FUNC_.*|PROMPT_COMMAND|GIT_(?:SSH|SSH_COMMAND|PROXY_COMMAND|EXTERNAL_DIFF|ASKPASS|EXEC_PATH|CONFIG.*|TEMPLATE_DIR|ALTERNATE_.*|DIR|WORK_TREE|HOOKS_PATH|SSL_NO_VERIFY|ALLOW_PROTOCOL)|SSH_ASKPASS|SSH_AUTH_SOCK|SUDO_ASKPASS|LESSOPEN|LESSCLOSE|PYTHON(?:STARTUP|HOME|BREAKPOINT|INSPECT|USERBASE|PLATLIBDIR|EXECUTABLE)|PERL5(?:OPT|DB|LIB)|PERLLIB|RUBYOPT|RUBYLIB|RUBYSHELL|LUA_INIT.*|PHPRC|PHP_INI_SCAN_DIR|R_(?:PROFILE|ENVIRON).*|TCLLIBPATH|JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|RUSTC_WRAPPER|RUSTC_WORKSPACE_WRAPPER|RUSTC|CARGO_(?:BUILD_RUSTC.*|TARGET_.*_(?:RUNNER|LINKER)|HOME)|GCONV_PATH|GTK_MODULES|GIO_EXTRA_MODULES|QT_PLUGIN_PATH|LOCPATH|NLSPATH|TERMINFO|TERMCAP|VIMINIT|EXINIT|MYVIMRC|INPUTRC|TAR_OPTIONS|RSYNC_(?:RSH|CONNECT_PROG)|CVS_RSH|SVN_SSH|GREP_OPTIONS|DOTNET_STARTUP_HOOKS|CORECLR_PROFILER.*|COR_PROFILER.*|OPENSSL_(?:CONF|ENGINES|MODULES)|CURL_HOME|WGETRC|NETRC|MAKEFILES|MAKEFLAGS|MFLAGS|GDBINIT|ZDOTDIR|XDG_(?:CONFIG_HOME|CONFIG_DIRS|DATA_DIRS)|HERMES_.*|NODE_TLS_REJECT_UNAUTHORIZED|PYTHONHTTPSVERIFY|SSL_CERT_(?:FILE|DIR)|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|NODE_EXTRA_CA_CERTS|GOINSECURE|GONOSUMCHECK|GONOSUMDB|GOFLAGS|GOPROXY|PIP_(?:INDEX_URL|EXTRA_INDEX_URL|TRUSTED_HOST|CONFIG_FILE|FIND_LINKS)|UV_(?:INDEX.*|DEFAULT_INDEX|EXTRA_INDEX_URL)|YARN_(?:REGISTRY|NPM_REGISTRY_SERVER)|NPM_CONFIG_.*|npm_config_.*|BUN_CONFIG_REGISTRY|DOCKER_HOST|DOCKER_CONFIG|HISTFILE|HISTSIZE|FPATH|CDPATH|GLOBIGNORE|FIGNORE|EXECIGNORE|KRB5_CONFIG|GNUPGHOME|SYSTEMD_EDITOR)$/;
/** Variables that name a program of the user's choice; a plain known one is harmless. */
const choosing =
  /^(?:EDITOR|VISUAL|PAGER|MANPAGER|GIT_PAGER|GIT_EDITOR|GIT_SEQUENCE_EDITOR|BROWSER|SYSTEMD_PAGER|DELTA_PAGER|BAT_PAGER|AWS_PAGER|PSQL_PAGER|PSQL_EDITOR|FCEDIT|HGEDITOR|SVN_EDITOR|KUBE_EDITOR|SHELL|CC|CXX|LD|AR|CPP|AS|RUSTFLAGS|TERMINAL|FZF_DEFAULT_COMMAND|RIPGREP_CONFIG_PATH|ACK_PAGER|GH_PAGER|GH_EDITOR|GH_BROWSER|DIFFPROG|SUDO_EDITOR|LESS|MORE)$/;
const nodeOptions =
  /(?:^|\s)(?:-r|--require|--import|--loader|--experimental-loader|--inspect|--env-file|--openssl-config|--icu-data-dir)(?:[=\s]|$)/;
const harmlessValues: Readonly<Record<string, RegExp>> = {
  PERL5LIB: /^(?:\.\/)?lib(?:\/perl5)?(?::|$)/,
  GOFLAGS: /^(?:-mod=\w+|-count=\d+|-race|-v|-tags=[\w,]+|\s)*$/,
  GOPROXY: /^(?:https:\/\/proxy\.golang\.org|direct|off|,)*$/,
  MAKEFLAGS: /^-?-?j?\s*\d*$|^-j/,
  GIT_DIR: /^\.git$/,
  GIT_CONFIG_GLOBAL: /^\/dev\/null$/,
  GIT_CONFIG_NOSYSTEM: /^1$/,
  npm_config_loglevel: /./,
  NPM_CONFIG_LOGLEVEL: /./,
  npm_config_yes: /./,
  DOCKER_HOST: /^unix:\/\//,
  RUBYOPT: /^-W\S*$|^-w$/,
  HISTSIZE: /^[1-9]\d*$/,
  JAVA_TOOL_OPTIONS: /^(?:-X(?:mx|ms|ss)\w+|-D(?:file\.encoding|user\.timezone)=[\w/-]+|\s)*$/,
  ENV: /^[\w-]+$/,
  CARGO_HOME: /./,
  GIT_ALLOW_PROTOCOL: /^(?:https?|ssh|git|:)*$/,
};
const proxies = /^(?:https?|all|ftp)_proxy$/i;

/** What setting a variable does to the programs after it, when somebody should be asked. */
export function environmentKeys(command: SimpleCommand, location: PathLocation): readonly string[] {
  const isMake = /^g?make$/.test(command.name ?? "");
  const assigned = [...command.assigns, ...exported(command).filter(({ name }) => !isMake || choosing.test(name))];
  const dangerous = assigned.some(
    ({ name, value }) =>
      isDangerous(name, value, location) ||
      leadsToStrangers(name, value.text, location) ||
      (name === "LD_LIBRARY_PATH" && misleadsSystem(value.text, command)),
  );
  return dangerous ? [keys.environment] : [];
}

interface Assigned {
  readonly name: string;
  readonly value: Argument;
}

/** `export X=y`, `env X=y cmd`, `make X=y` carry assignments as words. */
function exported(command: SimpleCommand): readonly Assigned[] {
  if (
    !/^(?:export|declare|typeset|readonly|local|env|sudo|doas|cross-env|setx|launchctl|systemd-run|make|gmake|ninja)$/.test(
      command.name ?? "",
    )
  )
    return [];
  return command.args.flatMap((arg) => {
    const match = /^(?:-\w+=)?([A-Za-z_]\w*)=([\s\S]*)$/.exec(arg.text);
    return match?.[1] === undefined ? [] : [{ name: match[1], value: { ...arg, text: match[2] ?? "" } }];
  });
}

function isDangerous(name: string, value: Argument, location: PathLocation): boolean {
  const { text } = value;
  if (Object.hasOwn(harmlessValues, name) && !hasUnknown(text) && harmlessValues[name]?.test(text) === true)
    return false;
  if (loading.test(name)) return text !== "";
  if (name === "PATH") return leadsAstray(text, location);
  if (name === "NODE_OPTIONS") return nodeOptions.test(text);
  if (name === "LD_LIBRARY_PATH" || name === "PYTHONPATH") return location.tempDirs.some((one) => text.includes(one));
  if (proxies.test(name)) return text !== "" && !/localhost|127\.0\.0\.1|\[::1\]/.test(text);
  if (name === "RUSTFLAGS") return /linker|wrapper|link-arg/.test(text);
  if (!choosing.test(name) || text === "") return false;
  const [program = ""] = text.trim().split(/\s+/);
  if (name !== "SHELL" && shells.has(program)) return true;
  return hasUnknown(program) || program.includes("/./") || !isPlainProgram(program) || /[;&|`$<>()!]/.test(text);
}

/** Names by which programs are told where to find what they load, obey or run, and names of what they write. */
const loadingName =
  /(?:PATH|LIB|LIBS|LIBRARY|LOAD|LOADER|PLUGINS?|PRELOAD|MODULES?|RC|RCFILE|CONFIG|CONF|INIT|STARTUP|HOOKS?|EXEC|EXECUTABLE|CMD|COMMAND|PROGRAM|EDITOR|PAGER|SHELL|WRAPPER|LAUNCHER|LINKER|AGENT|OPTS|OPTIONS|FLAGS|PROFILE|SCRIPT|BIN|HOME|ROOT|PREFIX|CERT|CA|PROXY|INDEX|REGISTRY|RUNNER|COMPILER|INTERPRETER|STYLE|THEME)(?:_?(?:FILE|DIR|DIRS|PATH))?$/i;
const writtenName = /OUT|TMP|TEMP|CACHE|LOG|COVER|PROF(?!ILE$)|DUMP|TARGET|RESULT|REPORT|TRACE|DEST|INSTALL/i;

/** `GEM_PATH=/tmp/x bundle exec rake`: what is loaded comes from where anybody puts files. */
function leadsToStrangers(name: string, text: string, { tempDirs }: PathLocation): boolean {
  if (!loadingName.test(name) || writtenName.test(name)) return false;
  return text
    .split(/[\s:=,;@"']+/)
    .some((piece) => piece.startsWith("/") && tempDirs.some((one) => isInside(piece, one)));
}

/** Libraries out of the folder one is in, for a program that is not from there. */
function misleadsSystem(text: string, command: SimpleCommand): boolean {
  return (
    !command.path.includes("/") && text.split(":").some((folder) => /^\.?\/?$|^\.\.?\//.test(folder) && text !== "")
  );
}

const usualChoices =
  /^(?:cat|true|false|:|less|more|most|bat|batcat|delta|diff-so-fancy|head|tail|vim?|nvim|nano|pico|emacs(?:client)?|micro|code|codium|cursor|hx|helix|kak|joe|ne|ed|ex|view|gedit|kate|subl|zed|idea|firefox|chromium|google-chrome|w3m|lynx|xdg-open|open|wslview|none|echo|(?:[\w.]+-)*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|cpp|ld|ar|as|ranlib)(?:-[\d.]+)?|tcc|icc|icx|ccache|sccache|distcc|zig|mold|lld|ld\.\w+|gold|llvm-\w+|nasm|rustc|emcc|em\+\+|nvcc|musl-gcc|bash|zsh|sh|fish|dash|rg|fd|fdfind|find|ag|git|kitty|alacritty|xterm|wezterm|meld|vimdiff|opendiff|kdiff3)$/;

function isPlainProgram(program: string): boolean {
  if (/^[-+]/.test(program)) return true;
  return usualChoices.test(program.replace(/^(?:\/usr)?(?:\/local)?\/bin\//, ""));
}

/** Folders where anybody may put a program must not come into the search path. */
function leadsAstray(text: string, location: PathLocation): boolean {
  return text.split(":").some((folder) => {
    if (folder === "" || folder === "." || folder === "..") return text !== "";
    if (/(?:^|\/)(?:node_modules\/\.bin|\.?venv\/bin|vendor\/bin|\.bin|\.tools\/bin)\/?$/.test(folder)) return false;
    if (location.tempDirs.some((one) => isInside(folder, one))) return true;
    return /^\.{1,2}\//.test(folder) || (/^\w/.test(folder) && !folder.startsWith("$"));
  });
}
