import { keys } from "../../keys.ts";
import { type RiskRow, row } from "./row.ts";

const remote = /^(?:git\+|git:|git@|ssh:|https?:|ftp:|file:|github:|gitlab:|bitbucket:|gist:|hg\+|svn\+)/i;
const reading = "--get --get-all --list -l --get-regexp --show-origin get list";

const persistence: readonly RiskRow[] = [
  row(keys.service, "crontab", { any: "-r" }),
  row(keys.persistence, "crontab", { unless: "-l -r" }),
  row(keys.persistence, "at batch atrm fcrontab incrontab", { unless: "-l" }),
  row(
    keys.persistence,
    "update-rc.d chkconfig rc-update insserv systemd-run systemd-tmpfiles systemd-sysusers systemd-firstboot systemd-creds " +
      "systemd-cryptenroll ssh-copy-id ssh-import-id ssh-import-id-gh ssh-import-id-lp kwriteconfig kwriteconfig5 kwriteconfig6 " +
      "xfconf-query xdg-settings gconftool-2",
    { unless: "show --list get check -l query" },
  ),
  row(keys.persistence, "loginctl", { sub: "enable-linger, disable-linger, attach" }),
  row(keys.persistence, "gsettings", { sub: "set, reset, reset-recursively" }),
  row(keys.persistence, "dconf", { sub: "write, reset, load, update" }),
  row(keys.persistence, "xdg-mime", { sub: "default, install, uninstall" }),
  row(keys.persistence, "defaults", { sub: "write, delete, import, rename" }),
  row(keys.persistence, "xdotool ydotool wtype cliclick"),
  row(keys.persistence, "git", {
    sub: "config",
    any: "--global --system --unset --unset-all --replace-all --remove-section --rename-section -e --edit --add",
    unless: reading,
  }),
  row(keys.persistence, "git", {
    sub: "config",
    operand:
      /^(?:alias|core\.(?:hookspath|pager|editor|sshcommand|fsmonitor|askpass|gitproxy|attributesfile|worktree|excludesfile)|credential|filter|diff|merge\..*\.driver|mergetool|difftool|sequence|gpg|url|include|includeif|remote|https?|protocol|receive|uploadpack|sendemail|browser|man|web|instaweb|safe|init\.templatedir|submodule|pager|interactive|trailer|tar|guitool|hook)(?:\.|$)/i,
    unless: reading,
  }),
  row(keys.persistence, "git", {
    sub: "maintenance start/register, credential approve/fill/reject, credential-store, credential-cache, daemon, instaweb, hook run",
  }),
  row(keys.persistence, "npm pnpm yarn", { sub: "config set/edit/delete, set, set-script" }),
  row(keys.persistence, "npm pnpm yarn", {
    sub: "pkg set",
    operand: /^(?:scripts|config|bin|publishConfig|main|exports|gypfile|overrides|workspaces)[.=[]/,
  }),
  row(keys.persistence, "pip pip3", { sub: "config set/edit/unset" }),
  row(keys.persistence, "go", { sub: "env", any: "-w -u" }),
  row(keys.persistence, "code code-insiders codium cursor windsurf", {
    any: "--install-extension --uninstall-extension --add-mcp",
  }),
  row(keys.persistence, "direnv", { sub: "allow, permit, grant" }),
  row(keys.persistence, "docker podman nerdctl", { any: "--restart" }),
  row(keys.persistence, "hash", { any: "-p" }),
  row(keys.persistence, "enable", { any: "-f" }),
  row(keys.optionRuns, "complete compgen", { any: "-C" }),
  row(keys.optionRuns, "bind", { any: "-x" }),
  row(keys.optionRuns, "fc", { any: "-s -e" }),
];

const javaScript: readonly RiskRow[] = [
  row(keys.supply, "npm pnpm yarn bun", {
    sub: "publish, unpublish, deprecate, dist-tag/dist-tags/tag add/rm, owner add/rm, access, team, token, adduser, add-user, login, logout, patch-commit, org, hook, npm publish, npm login, plugin import, trust, approve-builds, pm trust, edit, explore",
  }),
  row(keys.supply, "npm pnpm yarn bun", {
    sub: "install, i, add, in, update, up, upgrade, global add, isntall",
    operand: new RegExp(
      `${remote.source}|^[\\w.-]+\\/[\\w.-]+(?:#.*)?$|^(?:@[\\w.-]+\\/)?[\\w.-]+@(?:git\\+|git:|ssh:|https?:|file:|github:|npm:)|\\.t(?:ar\\.)?gz$|^(?:\\/|~|\\.\\.\\/)`,
      "i",
    ),
  }),
  row(keys.supply, "npm pnpm yarn bun npx", {
    any: "--registry --script-shell --unsafe-perm --git --node-gyp --userconfig --globalconfig --init-module --scripts-prepend-node-path --shell",
  }),
  row(keys.supply, "npm", { sub: "audit fix", any: "--force" }),
  row(keys.supply, "npm pnpm yarn", { sub: "rebuild, rb" }),
  row(keys.supply, "npm pnpm yarn", { any: "--ignore-scripts", operand: /^false$/ }),
];

const python: readonly RiskRow[] = [
  row(keys.supply, "pip pip3 uv pipx easy_install", {
    sub: "install, pip install, add, tool install, download, wheel, pip sync, inject",
    operand: new RegExp(
      `${remote.source}|@ ?(?:git\\+|https?:|file:)|\\.(?:whl|tar\\.gz|zip|tgz)$|^(?:\\/|~|\\.\\.\\/)`,
      "i",
    ),
  }),
  row(keys.supply, "pip pip3 uv uvx pipx poetry pdm hatch easy_install pipenv", {
    any: "-i --index-url --extra-index-url --find-links -f --trusted-host --index --default-index --pip-args --proxy --install-option --global-option",
  }),
  row(keys.supply, "poetry uv flit hatch pdm maturin rye twine anaconda", {
    sub: "publish, upload, source add, register, self add",
    unless: "--dry-run",
  }),
  row(keys.supply, "conda mamba micromamba", {
    sub: "install, create, env create, update",
    any: "-c --channel --override-channels",
    unless: "conda-forge defaults pytorch nvidia bioconda anaconda",
  }),
  row(keys.supply, "conda mamba", { sub: "config", any: "--add --prepend --append --set" }),
];

const otherLanguages: readonly RiskRow[] = [
  row(keys.supply, "cargo", { sub: "publish, yank, owner, login, logout", unless: "--dry-run -n" }),
  row(keys.supply, "cargo", { sub: "add, install", any: "--git --registry --index --path" }),
  row(keys.supply, "cargo", { any: "--config", operand: /wrapper|linker|runner|rustc|registry|source\./ }),
  row(keys.supply, "gem", { sub: "push, yank, owner, signin, cert, sources" }),
  row(keys.supply, "gem", { sub: "install, i, fetch", any: "--source -s --clear-sources --http-proxy -P --local" }),
  row(
    keys.supply,
    "gem cpan cpanm cpanp luarocks opam composer pear pecl mix rebar3 raco nimble shards dub haxelib conan pod carthage mint dart flutter",
    {
      sub: "install, add, require, remote, pin, repository, repo, config, source, sources, i, fetch, get, global, archive, activate, archive.install, escript.install, pub, pkg, local-install, *",
      operand: new RegExp(`${remote.source}|\\.(?:gem|rock|tar\\.gz|tgz)$`, "i"),
    },
  ),
  row(
    keys.supply,
    "composer pod mix luarocks dart flutter cabal stack opam nuget mvn gradle gradlew mvnw sbt lein jbang nimble raco shards dub",
    {
      sub: "~publish, ~upload, ~deploy, ~push, ~hex.publish, ~publishToMavenLocal, ~publishAllPublicationsToMavenRepository, ~publishPlugins, ~uploadArchives, ~trunk",
    },
  ),
  row(keys.supply, "dotnet nuget", {
    sub: "nuget add/push/delete/update/enable/disable, sources add, source add, push, delete, setapikey",
  }),
  row(keys.supply, "go", {
    sub: "install, run, get",
    operand:
      /^(?!(?:golang\.org|google\.golang\.org|github\.com|gitlab\.com|gopkg\.in|go\.uber\.org|k8s\.io|sigs\.k8s\.io|mvdan\.cc|honnef\.co|gotest\.tools|entgo\.io|cloud\.google\.com|go\.mongodb\.org|modernc\.org|filippo\.io|bitbucket\.org|go\.opentelemetry\.io|connectrpc\.com|buf\.build)\/)[\w-]+(?:\.[\w-]+)+(?::\d+)?\//,
  }),
  row(keys.supply, "go", { sub: "run", operand: /^[\w.-]+\.[a-z]+\/.*@/ }),
  row(keys.supply, "go", { sub: "mod edit", any: "-replace -toolchain" }),
  row(keys.supply, "deno", { operand: /^(?:https?:|npm:(?!@?(?:types|std)\/)|data:)/ }),
];

const systemPackages: readonly RiskRow[] = [
  row(keys.supply, "brew", {
    sub: "tap, uninstall, remove, rm, services start/stop/restart/run/kill, extract, create",
  }),
  row(keys.supply, "brew", { operand: /^[^-]*\/|\.rb$/ }),
  row(keys.supply, "apt apt-get aptitude nala", {
    any: "--allow-unauthenticated --force-yes --allow-downgrades --allow-remove-essential --allow-insecure-repositories -o --option",
  }),
  row(keys.supply, "apt apt-get aptitude nala dnf yum zypper pacman apk", {
    operand: /\.(?:deb|rpm|apk|pkg\.tar\.\w+)$|^https?:/,
  }),
  row(keys.packages, "apt apt-get aptitude nala dnf yum zypper apk pkg port", {
    sub: "remove, purge, autoremove, autopurge, full-upgrade, dist-upgrade, edit-sources, erase, rm, del, delete, uninstall, downgrade, history undo, swap, deinstall, config-manager, copr",
  }),
  row(
    keys.supply,
    "add-apt-repository apt-add-repository apt-key rpmkeys dpkg rpm alien pacman-key installpkg upgradepkg removepkg gdebi",
    {
      unless:
        "-l -L -s -S -W -p -I --list --status --search --get-selections --print-architecture -q --query list --info --contents -c -x --extract -K -V --verify --checksig",
    },
  ),
  row(keys.supply, "snap flatpak", {
    sub: "install, remove, uninstall, refresh, revert, remote-add, remote-delete, override, run, set, alias, connect, ack, try, update",
  }),
  row(keys.packages, "pacman yay paru", { any: "-R -U --remove --upgrade" }),
  row(keys.supply, "yum dnf zypper", {
    any: "--nogpgcheck --add-repo --allowerasing --no-gpg-checks --setopt",
  }),
  row(keys.supply, "zypper", { sub: "addrepo, ar" }),
  row(keys.supply, "nix nix-env nix-shell nix-build nix-channel guix home-manager nixos-rebuild darwin-rebuild", {
    operand: /^(?:github:|gitlab:|git\+|https?:|--add|--remove|switch|boot|tarball)/,
  }),
  row(keys.supply, "nix-env", { any: "-i -e -iA --install --uninstall" }),
  row(keys.packages, "nix-collect-garbage"),
  row(keys.supply, "asdf mise krew kubectl", { sub: "plugin add, plugins install, plugin-add, krew install" }),
  row(keys.supply, "ansible-galaxy puppet knife", {
    sub: "install, role install, collection install, module install, collection publish",
    operand: /^(?:https?:|git\+|git@)/,
  }),
  row(keys.supply, "helm", { sub: "repo add, pull, install, upgrade, plugin install", operand: /^(?:https?:|oci:)/ }),
  row(keys.supply, "kubectl oc", { sub: "apply, create, replace", operand: /^https?:/ }),
  row(keys.supply, "terraform tofu", { sub: "init", any: "-from-module -plugin-dir" }),
  row(keys.supply, "gh", { sub: "extension install/exec/upgrade/create" }),
  row(keys.supply, "docker podman nerdctl", { sub: "build, load, import", operand: /^(?:https?:|git@|git:)/ }),
];

const git: readonly RiskRow[] = [
  row(keys.git, "git", { sub: "reset", any: "--hard --merge --keep" }),
  row(keys.git, "git", { sub: "checkout", any: "-f --force -B" }),
  row(keys.git, "git", { sub: "switch", any: "-f --force --discard-changes -C --force-create" }),
  row(keys.git, "git", { sub: "rm", any: "-r -f --force", unless: "--cached -n --dry-run" }),
  row(keys.git, "git", { sub: "branch", any: "-D -f --force" }),
  row(keys.git, "git", { sub: "branch * *", any: "-M -C" }),
  row(keys.git, "git", { sub: "tag", any: "-d --delete -f --force" }),
  row(keys.git, "git", {
    sub: "stash drop/clear, reflog expire/delete, filter-branch, filter-repo, worktree prune, replace, prune, prune-packed, update-ref, read-tree, checkout-index, symbolic-ref HEAD *, fast-import, notes remove/prune, svn dcommit/reset, lfs prune/migrate, annex drop, clean",
    unless: "-n --dry-run list show",
  }),
  row(keys.git, "git", { sub: "worktree remove, submodule deinit", any: "-f --force --all" }),
  row(keys.git, "git", { sub: "fetch, pull", any: "-f --force" }),
  row(keys.git, "git", { sub: "fetch, pull", operand: /^\+/ }),
  row(keys.git, "git", {
    sub: "push",
    any: "-f --force --force-with-lease --force-if-includes --mirror --delete -d --prune",
  }),
  row(keys.git, "git", { sub: "push", operand: /^(?:\+|:.)/ }),
  row(keys.git, "git", { sub: "remote set-url/remove/rm/rename/prune/set-head/set-branches" }),
  row(keys.git, "git", { sub: "apply, am", any: "--unsafe-paths --directory" }),
  row(keys.git, "git", { sub: "restore", any: "--worktree -W --source -s" }),
  row(keys.send, "git", {
    sub: "push, send-pack, request-pull",
    operand: /^(?:https?:|ssh:|git:|ftp:|file:|rsync:|[\w.-]+@[\w.-]+:|\/|\.\.\/|ext::)/,
  }),
  row(keys.send, "git", { sub: "send-email, imap-send, http-push" }),
  row(keys.git, "hg svn jj p4 bzr fossil", {
    sub: "~abandon, ~revert, ~strip, ~purge, ~rollback, ~obliterate, ~cleanup, ~undo, ~uncommit, ~delete, ~shun, ~histedit",
    unless: "-n --dry-run",
  }),
  row(keys.git, "bfg git-filter-repo git-annex"),
];

const own: readonly RiskRow[] = [
  row(keys.ownSettings, "hermes", {
    except:
      "doctor, status, version, help, logs, insights, ~list, ~ls, ~show, ~get, ~path, ~status, ~search, ~view, ~stats, ~inspect, ~check, ~browse, completion, dump",
  }),
  row(keys.ownSettings, "hermes", {
    any: "--yolo -q -z --query --resume --continue --worktree --accept-hooks --ignore-rules",
  }),
];

/** What changes software: what runs later, what is installed or published, what version control keeps. */
export const softwareRisks: readonly RiskRow[] = [
  ...persistence,
  ...javaScript,
  ...python,
  ...otherLanguages,
  ...systemPackages,
  ...git,
  ...own,
];
