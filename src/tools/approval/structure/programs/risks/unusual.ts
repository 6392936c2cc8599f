import { keys } from "../../keys.ts";
import { type RiskRow, row } from "./row.ts";

const machine: readonly RiskRow[] = [
  row(keys.service, "systemctl", {
    except:
      "status, show, cat, list-units, list-unit-files, list-timers, list-jobs, list-sockets, list-dependencies, list-machines, list-paths, list-automounts, is-active, is-enabled, is-failed, is-system-running, get-default, help, show-environment, whoami, stop, restart, try-restart, reload-or-restart, disable, mask, kill, revert, clean, freeze, reset-failed, daemon-reload, enable, reenable, start, link, edit, add-wants, add-requires, preset, set-property, import-environment, set-environment, unmask",
  }),
  row(keys.system, "loginctl", {
    except:
      "list-sessions, list-users, list-seats, session-status, user-status, seat-status, show-session, show-user, show-seat, help",
  }),
  row(keys.system, "kexec"),
  row(keys.disk, "smartctl", { any: "-t -X -s --test --abort --smart" }),
  row(keys.system, "busctl", {
    except: "list, status, monitor, capture, tree, introspect, get-property, help",
  }),
  row(keys.system, "gdbus", { except: "introspect, monitor, wait, help" }),
  row(keys.system, "dbus-send qdbus qdbus6", {
    operand: /(?:^|\.)(?!Introspect$|Get\w*$|List\w*$|NameHasOwner$|Ping$)[A-Z]\w+$/,
  }),
  row(keys.system, "journalctl", { any: "--vacuum-size --vacuum-time --vacuum-files --rotate --flush --setup-keys" }),
  row(keys.system, "dmesg", { any: "-C -c -n -D -E --clear --read-clear --console-off --console-on --console-level" }),
  row(keys.system, "launchctl", {
    except:
      "list, print, print-cache, print-disabled, blame, dumpstate, help, version, getenv, managername, unload, bootout, remove, kill, stop, disable, load, bootstrap, submit, enable, start, kickstart, setenv, config, asuser, limit",
  }),
  row(keys.service, "supervisorctl rc-service", { except: "status, avail, tail, pid, help, maintail" }),
  row(keys.firewall, "tailscale wg", { except: "status, ip, ping, netcheck, version, show, showconf, genkey, pubkey" }),
];

const services: readonly RiskRow[] = [
  row(keys.cloud, "aws gcloud az doctl linode-cli hcloud oci openstack ibmcloud scw", {
    except:
      "~list, ~ls, ~describe, ~get, ~show, ~head, ~search, ~filter, ~lookup, ~wait, ~tail, ~help, ~version, ~status, ~info, ~validate, ~estimate, ~check, ~view, ~query, ~scan, ~test, ~export-credentials, ~account, ~login, ~login-status, ~read, ~preview, ~build, ~start-query, ~batch-get, ~cp, ~mv, ~sync, ~rsync, ~copy, ~configurations, ~config, ~configure",
  }),
  row(keys.cloud, "gh", {
    except:
      "auth status, repo view/list/clone/fork/sync/set-default, pr list/view/create/checkout/co/diff/status/checks/comment/review/ready/edit/reopen/merge/update-branch, issue list/view/create/comment/edit/status/reopen/develop, run list/view/watch/download/rerun, workflow list/view, release list/view/download/create, search, api, browse, status, label list/create, gist list/view/clone/create/edit, config get/list, help, version, secret list, variable list/get, extension list/search/browse/install/exec/upgrade/create, codespace list/view, ruleset, cache list, alias list, completion, project list/view, org list, attestation verify, copilot, models",
  }),
  row(keys.cloud, "gh glab", { sub: "api", any: "-f -F --field --raw-field --input", unless: "graphql" }),
  row(keys.cloud, "hub tea", {
    except: "clone, fork, pr, pull-request, issue, ci-status, browse, compare, sync, api, status, log, diff",
  }),
  row(keys.supply, "docker podman nerdctl", { sub: "import, load, image import/load" }),
  row(keys.secret, "printenv", { operand: /KEY|TOKEN|SECRET|PASS|CRED|AUTH|SESSION|COOKIE|PRIVATE/i }),
  row(keys.cloud, "glab", {
    except:
      "auth status, repo view/list/clone/fork/search, mr list/view/create/checkout/diff/note/approve/update/rebase/merge/issues, issue list/view/create/note/update/board, ci list/view/status/trace/lint/get/retry, pipeline list/view/status, release list/view/download, api, config get, help, version, label list, snippet list/view/create, variable list/get, job artifact, completion, user",
  }),
  row(keys.cloud, "kubectl oc", {
    except:
      "get, describe, logs, top, explain, api-resources, api-versions, version, cluster-info, config view/get-contexts/get-clusters/current-context/use-context, rollout status/history/restart, port-forward, wait, diff, apply, create, events, auth can-i/whoami, exec, kustomize, completion, label, annotate, scale, expose, run, attach, plugin list, set image, help, debug, rsh, project, projects, status, whoami",
  }),
  row(keys.cloud, "kubectl oc", { any: "--as --as-group --token --insecure-skip-tls-verify" }),
  row(keys.secret, "kubectl oc", {
    sub: "get secret/secrets",
    any: "-o --output --template",
    operand: /^(?:yaml|json|jsonpath.*|go-template.*|custom-columns.*)$/,
  }),
  row(keys.secret, "kubectl oc", { sub: "get", operand: /^secrets?\// }),
  row(keys.secret, "kubectl oc", { sub: "config view", any: "--raw" }),
  row(keys.cloud, "ansible-playbook ansible-pull ansible-console", {
    unless: "--check -C --syntax-check --list-tasks --list-hosts --list-tags",
  }),
  row(keys.cloud, "terraform tofu terragrunt pulumi cdk cdktf sam serverless sls eksctl kops packer", {
    sub: "apply, up, import, deploy, create, run-all, build",
    unless: "--dry-run --help",
  }),
  row(keys.cloud, "vagrant", {
    except: "status, global-status, box list, plugin list, ssh-config, port, validate, version, up, ssh, halt",
  }),
  row(keys.container, "lxc incus ctr crictl virsh multipass limactl colima machinectl", {
    except:
      "list, ls, ps, info, show, images, image list/ls, config show/get, version, status, top, stats, inspect, logs, dominfo, domstate, domblklist, net-list, pool-list, vol-list, nodeinfo, capabilities, help, find",
  }),
  row(keys.container, "docker podman nerdctl", {
    any: "-H --host --url --connection",
    operand: /^(?:tcp|ssh|https?|npipe|fd):/i,
  }),
  row(keys.container, "docker podman nerdctl", {
    sub: "context use/create/update/import, login, swarm, update, plugin, trust, checkpoint, generate, kube, service update/scale/create, stack deploy, node update",
  }),
  row(keys.send, "hg svn bzr fossil", {
    sub: "push, import, commit, sync, email, bundle",
    operand: /^(?:https?:|ssh:|svn(?:\+ssh)?:|ftp:|[\w.-]+@[\w.-]+:)/,
  }),
];

const git: readonly RiskRow[] = [
  row(keys.git, "git", {
    except:
      "status, log, diff, show, add, commit, push, pull, fetch, clone, init, branch, checkout, switch, merge, rebase, cherry-pick, revert, stash, tag, remote, config, blame, annotate, grep, ls-files, ls-tree, ls-remote, rev-parse, rev-list, describe, shortlog, reflog, bisect, worktree, submodule, mv, rm, restore, reset, clean, cat-file, name-rev, merge-base, merge-tree, merge-file, cherry, range-diff, whatchanged, diff-tree, diff-index, diff-files, show-ref, show-branch, for-each-ref, symbolic-ref, count-objects, fsck, archive, format-patch, apply, am, notes, var, help, version, verify-commit, verify-tag, check-ignore, check-attr, check-mailmap, check-ref-format, hash-object, lfs, flow, sparse-checkout, gc, maintenance, bundle, mergetool, difftool, rerere, update-index, stripspace, interpret-trailers, patch-id, mailinfo, gui, gitk, citool, credential, credential-store, credential-cache, daemon, instaweb, hook, filter-branch, filter-repo, replace, prune, prune-packed, update-ref, read-tree, checkout-index, fast-import, svn, annex, send-pack, request-pull, send-email, imap-send, http-push, crypt, cliff, absorb, st, co, br, ci, lg, last, unstage, df, dc, sw, subtree, diagnose, column, write-tree, mktree, commit-tree, commit-graph, multi-pack-index, pack-refs, repack, fast-export, get-tar-commit-id, ls, root",
  }),
  row(keys.git, "git", { sub: "commit", any: "-n --no-verify" }),
  row(keys.git, "git", { sub: "push, merge, am, rebase", any: "--no-verify" }),
  row(keys.git, "git", {
    sub: "update-index",
    any: "--assume-unchanged --skip-worktree --force-remove --remove --cacheinfo --index-info",
  }),
  row(keys.git, "git", { sub: "submodule update/sync/add/set-url", any: "-f --force --remote" }),
  row(keys.supply, "git", {
    sub: "submodule add/set-url, subtree add/pull",
    operand: /^(?:https?:|ssh:|git:|file:|\/|\.\.\/|[\w.-]+@)/,
  }),
  row(keys.git, "git", { sub: "gc, repack", any: "--prune --aggressive -A -a -d" }),
  row(keys.git, "git", { sub: "am, apply", any: "-R --reverse --reject" }),
  row(keys.git, "git", {
    sub: "bundle unbundle, lfs prune/migrate, rerere clear/forget, sparse-checkout set/disable, notes remove/prune/merge, fast-export, commit-graph write",
    any: "--force -f --all --stdin",
  }),
  row(keys.git, "git", {
    sub: "rerere clear/forget, unpack-objects, index-pack, pack-redundant, multi-pack-index expire",
  }),
  row(keys.persistence, "git", { sub: "lfs install, hook, maintenance run/start/register" }),
];

const software: readonly RiskRow[] = [
  row(keys.supply, "npm pnpm yarn bun", {
    sub: "install, i, add, in, update, up, upgrade, link, ln, uninstall, remove, rm, un",
    any: "-g --global",
  }),
  row(keys.supply, "npm pnpm yarn bun", { any: "--location", operand: /^global$/ }),
  row(keys.supply, "npm pnpm yarn bun", {
    sub: "global, link *, ln *, setup, self-update, env, rebuild *",
    unless: "list ls bin",
  }),
  row(keys.supply, "corepack", { sub: "enable, disable, prepare, use, install, up" }),
  row(keys.supply, "pip pip3 uv", {
    sub: "install, pip install, uninstall, pip uninstall",
    any: "--user --break-system-packages --system --target -t --root --prefix --force-reinstall --pre --ignore-installed --no-verify",
  }),
  row(keys.supply, "pipx uv", {
    sub: "install, inject, upgrade, upgrade-all, tool install/upgrade, python install, self update",
  }),
  row(keys.supply, "python python3", { sub: "setup.py install/develop/upload/register", unless: "--user-site" }),
  row(keys.supply, "python python2 python3", { any: "-m", operand: /^(?:easy_install|ensurepip|get-pip)$/ }),
  row(keys.supply, "cargo", { sub: "install, uninstall, binstall, install-update" }),
  row(keys.supply, "gem", { sub: "install, i, uninstall, update, cleanup", unless: "bundler" }),
  row(keys.supply, "cpan cpanm cpanp luarocks opam raco nimble cabal stack nuget easy_install", {
    sub: "install, i, update, upgrade, global-add, v1-install, v2-install, self-upgrade, self-contained",
    unless: "--only-dependencies --deps-only --installdeps --lib",
  }),
  row(keys.supply, "cpan cpanm", {
    operand: /^[A-Z]\w*(?:::\w+)*$|^[a-z]\w*$/,
    unless: "--installdeps -l --local-lib",
  }),
  row(keys.supply, "dotnet", {
    sub: "tool install/update/uninstall, workload install",
    any: "-g --global --tool-path --source --add-source",
  }),
  row(keys.supply, "dotnet", { any: "-s --source --add-source", operand: /^https?:/ }),
  row(keys.supply, "composer", { sub: "global", unless: "show outdated" }),
  row(keys.supply, "composer", {
    sub: "config",
    operand: /^(?:repositor|secure-http|disable-tls|allow-plugins|scripts)/,
  }),
  row(keys.supply, "rustup", {
    sub: "toolchain install/uninstall/link, install, self, default, override set, target add, component remove",
    unless: "list show",
  }),
  row(keys.supply, "sdk nvm fnm volta asdf mise pyenv rbenv", {
    sub: "uninstall, use -g, global, plugin, plugin-add, plugins, selfupdate, trust, settings, self-update",
    unless: "list ls current",
  }),
  row(keys.supply, "sdk asdf mise volta", { sub: "install *" }),
  // A version by its number comes from where all of them do.
  row(keys.supply, "nvm fnm pyenv rbenv", { sub: "install *", operand: /^(?!install$|v?\d+(?:\.\d+)*$|--lts$|-s$)/ }),
  row(
    keys.supply,
    "apt apt-get aptitude nala dnf yum zypper apk pkg port emerge xbps-install slackpkg urpmi eopkg tdnf microdnf",
    {
      sub: "install, reinstall, upgrade, dist-upgrade, full-upgrade, build-dep, add, localinstall, groupinstall, in, dup, up",
      unless: "-s --simulate --dry-run --just-print --download-only -d --assumeno",
    },
  ),
  row(keys.supply, "emerge xbps-install eopkg slackpkg urpmi", { unless: "-p --pretend -s --search -n --dry-run" }),
  row(keys.supply, "pacman yay paru pikaur trizen", {
    any: "-S -Sy -Syu -U --sync",
    unless: "-s --search -i --info -l --list -Ss -Si -Sl",
  }),
  row(keys.supply, "brew", { any: "--cask --HEAD --build-from-source --force", sub: "install, reinstall, upgrade" }),
  row(keys.supply, "nix", { sub: "profile install/add/remove/upgrade, registry add, channel" }),
  row(keys.supply, "guix", { sub: "install, package, pull, remove, system" }),
  row(keys.supply, "conda mamba micromamba", {
    sub: "install, update, remove, env remove",
    any: "--override-channels --force --force-reinstall --all",
  }),
  row(keys.supply, "cmake", { any: "--install", unless: "--prefix" }),
  row(keys.supply, "helm", { sub: "repo add, plugin install/update, registry login, push" }),
  row(keys.supply, "gradle gradlew", { any: "-I --init-script", operand: /^https?:|^\// }),
  row(keys.supply, "go", { sub: "env", any: "-w -u" }),
  row(keys.supply, "go", { any: "-insecure" }),
  row(keys.persistence, "husky lefthook pre-commit overcommit simple-git-hooks captainhook", {
    sub: "install, init, add, set, autoupdate, install-hooks, init-templatedir, uninstall, uninstall-hooks, migrate-config, -i",
  }),
  row(keys.persistence, "npx bunx pnpx pnpm yarn bun", {
    operand: /^(?:husky|lefthook|simple-git-hooks|pre-commit)(?:@.*)?$/,
  }),
  row(keys.persistence, "mkcert", { any: "-install -uninstall -i" }),
  row(keys.persistence, "keytool", { any: "-importcert -import -delete -importkeystore -genkeypair" }),
  row(keys.persistence, "gpg gpg2", {
    any: "--import-options --keyserver-options --allow-secret-key-import --trusted-key --edit-card",
  }),
  row(keys.persistence, "gh glab", {
    sub: "alias set/import/delete, extension install/upgrade, auth login/logout/refresh/setup-git, config set, ssh-key add, gpg-key add",
  }),
];

/** An address that is neither this machine nor where a package manager looks anyway. */
const foreignAddress =
  /(?:^|[=@])(?:sparse\+|git\+|registry\+)?https?:\/\/(?!(?:localhost|127\.|\[::1\]|registry\.npmjs\.org|registry\.yarnpkg\.com|pypi\.org|files\.pythonhosted\.org|repo\.maven\.apache\.org|repo1\.maven\.org|rubygems\.org|crates\.io|index\.crates\.io|static\.crates\.io|api\.nuget\.org|proxy\.golang\.org|download\.pytorch\.org)(?:[:/]|$))/i;

const reaching: readonly RiskRow[] = [
  row(
    keys.supply,
    "npm pnpm yarn bun npx pip pip3 uv uvx pipx poetry pdm pipenv hatch rye conda mamba micromamba cargo gem bundle composer mvn mvnw gradle gradlew sbt lein cabal stack opam luarocks nuget dotnet mix rebar3 pod vcpkg conan brew apt apt-get dnf yum zypper pacman apk opkg nimble raco cpanm cpan dub shards haxelib mise asdf nvm fnm volta sdk rustup xmake flutter dart stack zig go deno conda-build R",
    { operand: foreignAddress, unless: "pkg login ping open repo docs bugs view info show search" },
  ),
  row(keys.exhaustion, "openssl", { any: "-multi" }),
  row(keys.backdoor, "nmap zmap rustscan naabu arp-scan netdiscover nbtscan", {
    operand: /^(?!localhost$|127\.|::1$|-|\d{1,5}(?:[,-]\d{1,5})*$)[\w.:/*-]+$/,
  }),
  row(keys.privilege, "prlimit", { any: "-p --pid" }),
  row(keys.privilege, "taskset ionice chrt", { sub: "* *", any: "-p --pid" }),
  row(keys.secret, "ssh-add", { operand: /^[^-]/ }),
  row(keys.persistence, "alias", { operand: /^[\w.-]+=(?:\.{0,2}\/|~)/ }),
  row(keys.persistence, "kubectl oc", { sub: "create cronjob/job/daemonset", unless: "--dry-run" }),
  row(keys.git, "hg", { sub: "push", any: "-f --force" }),
  row(keys.git, "hg", { sub: "update/up/checkout/co/goto", any: "-C --clean" }),
  row(keys.git, "git", { sub: "sparse-checkout set/reapply/add/init" }),
  row(keys.git, "git", { sub: "rebase", any: "--root" }),
  row(keys.git, "git", { sub: "rm", any: "--cached", operand: /^(?:\.|\*|:\/)$/ }),
  row(keys.bulkDelete, "npx bunx pnpx", {
    sub: "rimraf/del-cli/del/trash-cli/trash/shx",
    operand:
      /^(?!rimraf$|del-cli$|del$|trash-cli$|trash$|shx$|-|\.?\/?(?:dist|build|out|lib|coverage|node_modules|\.next|\.turbo|\.cache|tmp)\/?$)/,
  }),
  row(keys.fileLoss, "unison", { any: "-force -prefer -batch" }),
  row(keys.fileLoss, "cpio", { any: "-u --unconditional" }),
  row(keys.privilege, "docker podman nerdctl buildah", { any: "--allow", operand: /insecure|network\.host|device/ }),
  row(keys.backdoor, "node nodejs tsx ts-node bun deno", {
    operand: /^(?!127\.|localhost)(?:0\.0\.0\.0|\[?::\]?|\*)(?::\d+)?$/,
    any: "--inspect --inspect-brk --inspect-wait",
  }),
  row(keys.backdoor, "jupyter jupyter-lab jupyter-notebook", { operand: /^(?:0\.0\.0\.0|\*|::)$/ }),
  row(keys.optionRuns, "tmux", { sub: "run-shell/run, if-shell/if, pipe-pane/pipep, source-file/source, set-hook" }),
  row(keys.privilege, "xattr", { operand: /quarantine/ }),
  row(keys.privilege, "xattr", { any: "-c -cr -rc" }),
  row(keys.optionRuns, "xdg-open open gio gtk-launch kde-open exo-open", {
    operand: /\.(?:desktop|sh|command|app|jar|run|appimage|pkg|dmg|exe|bat|workflow|scpt|terminal)$/i,
  }),
  row(keys.optionRuns, "sbt mill", { operand: /^\s*(?:eval|set|console)\b.*["(!]/ }),
  row(keys.supply, "gradle gradlew", { any: "--include-build", operand: /^(?:\/|~|\.\.\/)/ }),
  row(keys.send, "ffmpeg gst-launch-1.0 vlc cvlc sox", {
    operand: /^(?:rtmps?|srt|udp|tcp|ftp|sftp|icecast|rist|zmq):/,
  }),
  row(keys.exhaustion, "ab wrk wrk2 hey vegeta k6 locust bombardier oha h2load httperf tsung artillery autocannon", {
    operand:
      /^(?:https?:\/\/|wss?:\/\/)?(?!localhost|127\.|\[?::1|0\.0\.0\.0)[\w-]+(?:\.[\w-]+)+(?:[:/]|$)(?!.*\.(?:js|ts|ya?ml|json|lua|py)$)/,
  }),
  row(keys.exhaustion, "seq", { operand: /^\d{9,}$/ }),
  row(
    keys.exhaustion,
    "sort grep egrep fgrep rg strings sha1sum sha512sum b2sum cksum xxd hexdump bzip2 zstd lz4 openssl split csplit tee comm diff cmp join paste cut awk sed perl python3 node less more nl fold fmt uniq file",
    {
      operand: /^\/dev\/(?:zero|full|random|urandom)$/,
      unless: "-n -c --bytes rand -N --length",
    },
  ),
  row(
    keys.secret,
    "import xwd scrot maim grim gnome-screenshot spectacle flameshot fswebcam arecord parecord parec rec pw-record wf-recorder kmsgrab imagesnap streamer motion recordmydesktop byzanz-record simplescreenrecorder xinput xev showkey",
  ),
  row(keys.secret, "ffmpeg ffplay gst-launch-1.0 vlc cvlc mpv sox", {
    operand:
      /^(?:v4l2|x11grab|avfoundation|pulse|alsa|dshow|gdigrab|kmsgrab|pipewire|decklink|v4l2src|ximagesrc|pulsesrc|alsasrc|autovideosrc|autoaudiosrc|v4l2:.*|screen:.*|coreaudio)$/,
  }),
  row(
    keys.send,
    "mosquitto_pub kcat kafkacat nats amqp-publish rabbitmqadmin stomp zmq websocat grpcurl snmptrap snmpset ntfy apprise pushbullet wall write",
    {
      unless: "-L --list localhost 127.0.0.1 -V list describe",
    },
  ),
  row(keys.send, "logger", { any: "-n --server" }),
  row(keys.send, "lynx elinks links w3m", { any: "-post_data -post-data -post" }),
  row(keys.send, "curl", {
    any: "-x --proxy --preproxy --socks4 --socks4a --socks5 --socks5-hostname --connect-to --resolve --doh-url --dns-servers --haproxy-protocol",
    operand: /^(?!(?:\w+:\/\/)?(?:localhost|127\.|\[?::1|$)).*[\w]/,
    unless: "--noproxy",
  }),
  row(keys.backdoor, "curl wget http https xh", { any: "--unix-socket --abstract-unix-socket" }),
  row(keys.cloud, "aws", {
    any: "--endpoint-url --no-verify-ssl",
    operand: /^https?:\/\/(?!localhost|127\.|minio|localstack)/,
  }),
  row(keys.send, "ssh-add", { any: "-s -e -D -X -x" }),
  row(keys.backdoor, "ssh autossh", { any: "-A -X -Y" }),
  row(
    keys.privilege,
    "strace ltrace gdb lldb perf reptyr gcore dtrace dtruss sysdig bpftrace bpftool frida frida-trace rr uprobe",
    {
      any: "-p --pid --attach -attach",
    },
  ),
  row(keys.privilege, "reptyr gcore bpftrace bpftool dtrace dtruss sysdig frida frida-trace injectso"),
  row(keys.optionRuns, "mapfile readarray", { any: "-C" }),
  row(keys.fileLoss, "gzip bzip2 xz zstd lz4 lzma compress pigz", {
    any: "-r --recursive --rm",
    unless: "-c --stdout -t --test -l -k --keep",
  }),
];

/** Programs that do much by sub-commands: what is not everyday with them is asked about, whatever it is. */
export const unusualRisks: readonly RiskRow[] = [...machine, ...services, ...git, ...software, ...reaching];
