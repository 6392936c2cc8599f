import { isCarrier } from "../../../shell/programs/carriers.ts";
import { interpreterOf } from "../../../shell/programs/interpreters.ts";
import { shells } from "../../../shell/reading/scripts.ts";
import { literal, type SimpleCommand } from "../../../shell/simple-command.ts";
import { keys } from "../keys.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import { isKnownProgram } from "../programs/known-programs.ts";
import { isRisky } from "../programs/risks/match.ts";
import { isElsewhere } from "./elsewhere.ts";

/** Says where a program is found: a path on the system, or undefined when there is none of this name. */
export type Resolve = (name: string) => string | undefined;

const systemFolders =
  /^(?:\/usr)?(?:\/local)?\/s?bin\/[^/]+$|^\/opt\/(?:homebrew|local)\/s?bin\/[^/]+$|^\/(?:snap\/bin|nix\/store\/[^/]+\/bin|run\/current-system\/sw\/bin|home\/linuxbrew\/\.linuxbrew\/bin|usr\/games)\/[^/]+$|^\/usr\/(?:lib|libexec|share)\//;
/** Folders of a home where tools of a language are installed. */
const toolFolders =
  /^\.(?:cargo\/bin|local\/bin|nvm\/versions\/.*\/bin|pyenv\/.*|rbenv\/.*|asdf\/.*|volta\/bin|bun\/bin|deno\/bin|go\/bin|npm-global\/bin|dotnet(?:\/tools)?|ghcup\/bin|sdkman\/.*\/bin|fnm\/.*|local\/share\/(?:mise|pnpm|fnm|uv)\/.*|yarn\/bin|poetry\/bin|composer\/vendor\/bin|krew\/bin|pulumi\/bin|foundry\/bin|fly\/bin)\/[^/]+$|^(?:go|miniconda3|anaconda3|mambaforge|miniforge3)\/.*bin\/[^/]+$/;
/** Variables that people set to the program of their choice. */
const chosenPrograms: ReadonlySet<string> = new Set(
  "$EDITOR $VISUAL $PAGER $BROWSER $CC $CXX $LD $AR $MAKE $PYTHON $PYTHON3 $NODE $NPM $GO $CARGO $RUSTC $JAVA $JAVA_HOME $RUBY $PERL $GIT $DOCKER $KUBECTL $TERMINAL $VIRTUAL_ENV $GOROOT $GOPATH $CONDA_PREFIX $npm_execpath $DIFF $GREP $SED $AWK $FC $F77 $CMAKE $SUDO_EDITOR".split(
    " ",
  ),
);

/** What is wrong with a command's name: nobody knows it, or it is known only when it runs. */
export function namingKeys(
  command: SimpleCommand,
  location: PathLocation & { readonly resolve?: Resolve | undefined },
): readonly string[] {
  const { name } = command;
  if (name === "") return [];
  if (name === undefined) return isChosen(command) ? [] : [keys.unknownName];
  if (isElsewhere(command) || namesItself(command)) return [];
  if (command.path.includes("/")) return isKnownPath(command, location) ? [] : [keys.unknownCommand];
  if (isKnownName(name) || location.resolve?.(name) !== undefined) return [];
  return [keys.unknownCommand];
}

function isChosen(command: SimpleCommand): boolean {
  return (
    /^\ufdd0(?:\/(?:s?bin\/)?[\w.-]+)?$/.test(command.path) &&
    command.nameFrom === "variable" &&
    command.sources.every((one) => chosenPrograms.has(one)) &&
    command.sources.length > 0
  );
}

export function isKnownName(name: string): boolean {
  return (
    isKnownProgram(name) || isRisky(name) || isCarrier(name) || shells.has(name) || interpreterOf(name) !== undefined
  );
}

function isKnownPath(
  command: SimpleCommand,
  location: PathLocation & { readonly resolve?: Resolve | undefined },
): boolean {
  const target = patternOf(literal(command.path), command, location);
  const name = command.name ?? "";
  if (target === undefined) return false;
  if (systemFolders.test(target)) return isKnownName(name) || location.resolve?.(target) !== undefined;
  const { workspace } = location;
  if (workspace !== undefined && isInside(target, workspace)) return !/\/\.git\//.test(target);
  if (isInside(target, location.home)) {
    const inHome = target.slice(location.home.length + 1);
    return toolFolders.test(inHome) && (isKnownName(name) || location.resolve?.(target) !== undefined);
  }
  return false;
}

/** A name that the line gave as an alias, or a package that a runner fetches; both are judged for themselves. */
function namesItself(command: SimpleCommand): boolean {
  return /^(?:alias|npx|bunx|pnpx|uvx|pipx|dlx)$/.test(command.wrappers.at(-1) ?? "");
}
