import { type SimpleCommand, withText } from "../../../shell/simple-command.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import { zoneOf } from "../zones.ts";
import { isElsewhere } from "./elsewhere.ts";

/** Words in the name of an option by which a program takes code or settings that make it run some, and words of options that name an output. */
const loadingWord =
  /overlay|recipe|registry|repo|config|plugin|require|import|load|preset|rules|setup|init|script|module|extension|provider|template|filter|theme|lib|path|include|toolchain|runner|transform|driver|engine|agent|hook|formatter|reporter|resolver|rcfile|workspace|directory|sysroot|build|home/i;
export const outputWord =
  /out|dest|log(?!g?er|in)|report|target|cache|te?mp|save|data|dist|coverage|result|junit|download|backup|socket|pid|prefix|trace|profile|dump|input|store|basetemp/i;
/** Options by which a program takes code or settings that make it run some. */
const loadingName =
  /^--?(?:[\w-]*[-_])?(?:config|conf|config-?file|config-?path|rc|rc-?file|plugins?|plugin-?dir|plugin-?path|plugins-relative-to|require|import|loader|preload|load|load-path|preset|rules-?dir|setup|global-?setup|globalSetup|globalTeardown|setupFiles|init|init-script|init-file|script|kubeconfig|rootdir|root-dir|basedir|makefile|file|inventory|module-?path|modules|extension|provider|typeshed-dir|template|filter|theme|path|library|lib|dir|cwd|env-file|taskfile|justfile|toolchain|resolver|runner|reporter|environment|transform|ext|extensions-dir|data-dir|user-data-dir|homedir)$|^-[cCfFILpPuUlrBSsiRmM]$/i;
export const codeFile =
  /\.(?:[cm]?[jt]sx?|py|pyz|rb|pl|pm|lua|php|sh|bash|zsh|fish|el|vim|tcl|groovy|gradle|cmake|mk|so(?:\.\d+)*|dylib|dll|jar|class|ya?ml|toml|ini|cfg|conf|json|xml|nix|star|bzl|rc|awk|sed|exp|gdb|service)$/i;
/** Programs that only look at such a file, carry it or make it. */
export const looking =
  /^(?:cat|less|more|head|tail|grep|egrep|fgrep|rg|ls|stat|file|wc|diff|cmp|cp|mv|rm|ln|install|touch|mkdir|chmod|tee|sort|uniq|cut|jq|yq|curl|wget|tar|zip|unzip|gzip|md5sum|sha256sum|nm|objdump|readelf|ldd|strip|strings|xxd|hexdump|od|echo|printf|test|\[|\[\[|find|fd|du|df|git|sed|awk|python\d?|node|perl|ruby|rsync|scp|shellcheck|gcc|g\+\+|cc|clang|ld|ar|column|tr|cd|export|source|\.|sqlite3|psql|convert|ffmpeg|base64|openssl|mktemp|realpath|dirname|basename|readlink|pandoc)$/;

/** Programs that run what lies in the folder, or stands in the file, they are pointed to. */
export const building =
  /^(?:next|nuxt|nuxi|vite|vitest|astro|gatsby|ng|webpack|rollup|parcel|esbuild|tsup|turbo|nx|lerna|rush|storybook|jest|mocha|ava|karma|cypress|playwright|rspec|cucumber|phpunit|pest|behat|codecept|jekyll|eleventy|hexo|mkdocs|sphinx-build|bazel|bazelisk|buck2?|pants|please|plz|gradlew?|mvnw?|sbt|mill|lein|ant|cargo|go|rustup|dotnet|msbuild|nix|nix-build|nix-shell|nix-instantiate|guix|mix|rebar3|stack|cabal|dune|meson|scons|waf|xmake|tox|nox|pytest|py\.test|behave|robot|celery|flask|gunicorn|uvicorn|hypercorn|daphne|streamlit|gradio|jupyter|papermill|airflow|dagster|prefect|luigi|dbt|dvc|mlflow|ansible|ansible-playbook|terraform|tofu|terragrunt|pulumi|packer|vagrant|serverless|sls|sst|sam|cdk|helmfile|kubectl|kustomize|docker-compose|skaffold|tilt|earthly|dagger|act|just|task|rake|bundle|rails|drush|wp|artisan|symfony|composer|postcss|stylelint|babel|wireshark|tshark|scalac|kotlinc|javac|swift|swiftc|crystal|zig|nim|nimble|elixir|iex|erl|godot|unity|blender|gimp|inkscape|soffice|libreoffice|qemu-system-\w+|nginx|apache2|httpd|caddy|haproxy|envoy|supervisord|foreman|overmind|hivemind|pm2|nodemon|watchexec|capistrano|cap|puppet|chef-client|salt-call|fab|invoke|inv|cookiecutter|copier|yo|plop|hygen|cdktf|expo|flutter|dart|react-native|fastlane|pod|xcodebuild|tuist|wrangler|miniflare|netlify|vercel|firebase|supabase|mlr|trunk|wasm-pack|dfx|hardhat|forge|anchor|truffle|fprettify)$/;

/** Any word of such a program that leads out of the workspace, unless something is put there. */
function pointsOutside(command: SimpleCommand, location: PathLocation): boolean {
  if (!building.test(command.name ?? "")) return false;
  return command.args.some((arg, index) => {
    const before = command.args[index - 1]?.text ?? "";
    const isOutput = before.startsWith("-") && !before.includes("=") && outputWord.test(before);
    const path = /^(?:.*?[=:])?(?:file:\/\/)?((?:\/|~\/|\.\.\/)[^=:]*)$/s.exec(arg.text)?.[1];
    if (
      path === undefined ||
      isOutput ||
      (arg.text.startsWith("-") && outputWord.test(arg.text.slice(0, -path.length))) ||
      /^(?!file:)\w+:\/\//.test(arg.text) ||
      /^-o$/.test(before)
    )
      return false;
    const zone = zoneOf(withText(arg, path), command, location);
    const target = patternOf(withText(arg, path), command, location) ?? "";
    if (/^\/(?:etc|usr|opt|nix|Library|System|dev|proc|api|v\d)(?:\/|$)/.test(target)) return false;
    return (
      zone === "temp" ||
      target === "/" ||
      (zone === "outside" && (codeFile.test(target) || /^\/(?:var|srv|mnt|media|root)\//.test(target)))
    );
  });
}

const library = /\.(?:so(?:\.\d+)*|dylib|dll)$/;
/** Programs that look at libraries, carry or make them. */
export const inspecting =
  /^(?:cat|ls|stat|file|wc|cmp|diff|cp|mv|rm|ln|install|touch|chmod|chown|tar|zip|unzip|gzip|md5sum|sha\d+sum|nm|objdump|objcopy|readelf|ldd|ldconfig|strip|strings|xxd|hexdump|od|echo|printf|test|\[|\[\[|find|fd|du|git|rsync|scp|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|ar|ranlib|patchelf|install_name_tool|otool|codesign|lipo|base64|realpath|dirname|basename|readlink|pytest|unlink|docker|podman|curl|wget|make|cmake|cargo|go|rustc|swiftc|dlltool|size|abidiff|python[\d.]*|node)$/;

export function isLoading(option: string): boolean {
  if (loadingName.test(option)) return true;
  return option.length > 2 && loadingWord.test(option) && !outputWord.test(option);
}

/** A config, plugin or library from a folder where anybody may put files, handed to a program that obeys it. */
export function loadsForeign(command: SimpleCommand, location: PathLocation): boolean {
  const name = command.name ?? "";
  if (name === "" || isElsewhere(command)) return false;
  if (!inspecting.test(name) && command.args.some(({ text }) => library.test(text) && /^[/~.]/.test(text))) return true;
  if (pointsOutside(command, location)) return true;
  if (looking.test(name)) return false;
  return command.args.some((arg, index) => {
    const inline = /^(--?[A-Za-z][\w.-]*?)=([\s\S]+)$/.exec(arg.text) ?? /^(-[A-Z])(\/[\s\S]+)$/.exec(arg.text);
    const before = command.args[index - 1]?.text ?? "";
    const option = inline?.[1] ?? before;
    const file = withText(arg, (inline?.[2] ?? arg.text).replace(/^file:\/\/(?=\/)/, ""));
    if (!option.startsWith("-") || arg.text.startsWith("--") !== (inline !== null && arg.text.startsWith("--")))
      return false;
    if (library.test(file.text)) return true;
    if (!isLoading(option) || !/^[/~.]/.test(file.text)) return false;
    const zone = zoneOf(file, command, location);
    const target = patternOf(file, command, location) ?? "";
    if (/^\/(?:etc|usr|opt|nix|Library|System|dev|proc)\//.test(target)) return false;
    return zone === "temp" || (zone === "outside" && codeFile.test(target) && !isInside(target, location.home));
  });
}
