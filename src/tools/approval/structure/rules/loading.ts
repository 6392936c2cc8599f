import { type SimpleCommand, withText } from "../../../shell/simple-command.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import { zoneOf } from "../zones.ts";
import { isElsewhere } from "./elsewhere.ts";

/** Options by which a program takes code or settings that make it run some. */
const loadingName =
  /^--?(?:[\w-]*[-_])?(?:config|conf|config-?file|config-?path|rc|rc-?file|plugins?|plugin-?dir|plugin-?path|plugins-relative-to|require|import|loader|preload|load|load-path|preset|rules-?dir|setup|global-?setup|globalSetup|globalTeardown|setupFiles|init|init-script|init-file|script|kubeconfig|rootdir|root-dir|basedir|makefile|file|inventory|module-?path|modules|extension|provider|typeshed-dir|template|filter|theme|path|library|lib|dir|cwd|env-file|taskfile|justfile|toolchain|resolver|runner|reporter|environment|transform|ext|extensions-dir|data-dir|user-data-dir|homedir)$|^-[cCfFILpPuUlrBSsiRmM]$/i;
const codeFile =
  /\.(?:[cm]?[jt]sx?|py|pyz|rb|pl|pm|lua|php|sh|bash|zsh|fish|el|vim|tcl|groovy|gradle|cmake|mk|so(?:\.\d+)*|dylib|dll|jar|class|ya?ml|toml|ini|cfg|conf|json|xml|nix|star|bzl|rc|awk|sed|exp|gdb|service)$/i;
/** Programs that only look at such a file, carry it or make it. */
const looking =
  /^(?:cat|less|more|head|tail|grep|egrep|fgrep|rg|ls|stat|file|wc|diff|cmp|cp|mv|rm|ln|install|touch|mkdir|chmod|tee|sort|uniq|cut|jq|yq|curl|wget|tar|zip|unzip|gzip|md5sum|sha256sum|nm|objdump|readelf|ldd|strip|strings|xxd|hexdump|od|echo|printf|test|\[|\[\[|find|fd|du|df|git|sed|awk|python\d?|node|perl|ruby|rsync|scp|shellcheck|gcc|g\+\+|cc|clang|ld|ar|column|tr|cd|export|source|\.|sqlite3|psql|convert|ffmpeg|base64|openssl|mktemp|realpath|dirname|basename|readlink|pandoc)$/;

/** A config, plugin or library from a folder where anybody may put files, handed to a program that obeys it. */
export function loadsForeign(command: SimpleCommand, location: PathLocation): boolean {
  const name = command.name ?? "";
  if (name === "" || looking.test(name) || isElsewhere(command)) return false;
  return command.args.some((arg, index) => {
    const inline = /^(--?[A-Za-z][\w-]*)=([\s\S]+)$/.exec(arg.text);
    const before = command.args[index - 1]?.text ?? "";
    const option = inline?.[1] ?? before;
    const file = inline === null ? arg : withText(arg, inline[2] ?? "");
    if (!option.startsWith("-") || arg.text.startsWith("--") !== (inline !== null && arg.text.startsWith("--")))
      return false;
    if (/\.(?:so(?:\.\d+)*|dylib|dll)$/.test(file.text)) return true;
    if (!loadingName.test(option) || !/^[/~.]/.test(file.text)) return false;
    const zone = zoneOf(file, command, location);
    const target = patternOf(file, command, location) ?? "";
    if (/^\/(?:etc|usr|opt|nix|Library|System|dev|proc)\//.test(target)) return false;
    return zone === "temp" || (zone === "outside" && codeFile.test(target) && !isInside(target, location.home));
  });
}
