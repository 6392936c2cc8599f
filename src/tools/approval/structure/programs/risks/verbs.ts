import { keys } from "../../keys.ts";
import { type RiskRow, row } from "./row.ts";

/** What only looks, in whatever program has sub-commands. */
const looks =
  "list, ls, show, get, describe, status, st, stat, info, view, log, logs, tail, diff, search, find, inspect, check, validate, verify, version, help, whoami, top, ps, stats, events, history, images, config get/list/show/view, completion, doctor, ping, explain, tree, why, outdated";

const looksAnywhere =
  "~list, ~ls, ~show, ~get, ~describe, ~status, ~info, ~view, ~logs, ~log, ~tail, ~search, ~inspect, ~check, ~validate, ~version, ~help, ~whoami, ~open, ~ps, ~history, ~completion, ~doctor";

/**
 * Programs of a class by what is everyday with them: any other word in the place of a verb needs a person's say. A list of what is harmful never
 * ends; that of what people do each day is short.
 */
export const verbRisks: readonly RiskRow[] = [
  row(keys.git, "jj", {
    except: `${looks}, st, new, describe, desc, commit, ci, edit, next, prev, squash, split, rebase, bookmark list/create/set/track, b, git clone/fetch/init/push, evolog, obslog, interdiff, file, cat, workspace, resolve, fix, absorb, parallelize, duplicate, op log/show, operation log/show, root, tag list, sparse list, config list/get/path`,
  }),
  row(keys.git, "jj", { sub: "git push", any: "--all --deleted --mirror --allow-new --allow-empty-description" }),
  row(keys.git, "svn", {
    except: `${looks}, checkout, co, update, up, add, commit, ci, cat, blame, annotate, propget, proplist, resolve, mkdir, mv, move, cp, copy, export, changelist, cleanup, auth`,
  }),
  row(keys.git, "hg", {
    except: `${looks}, add, addremove, commit, ci, pull, push, update, up, checkout, co, clone, init, branch, branches, bookmark, bookmarks, heads, tip, parents, id, identify, summary, annotate, blame, cat, grep, manifest, merge, resolve, rename, mv, copy, cp, rm, remove, forget, revert, tag, tags, graft, rebase, shelve, unshelve, bisect, files, locate, paths, root, incoming, in, outgoing, out, export, import, archive, evolve, amend, next, prev, topic, phase, verify, debug*`,
  }),
  row(keys.git, "fossil bzr darcs pijul", {
    except: `${looks}, add, addremove, commit, ci, pull, push, update, up, checkout, co, clone, init, branch, changes, timeline, annotate, blame, cat, merge, resolve, mv, rm, rename, extras, record, whatsnew, ui, open, sync, diff`,
  }),
  row(keys.git, "p4", {
    except: `${looks}, sync, edit, add, opened, submit, shelve, unshelve, changes, change, filelog, annotate, files, have, where, client, clients, resolve, reconcile, describe, print, users, user, depots, login, fstat, sizes`,
  }),
  row(keys.cloud, "vault", {
    except: `${looksAnywhere}, status, login, read, kv get/list, list, path-help, print, lookup, capabilities, agent, server, version`,
  }),
  row(keys.cloud, "consul", {
    except: `${looksAnywhere}, members, catalog, kv get, agent, monitor, info, operator raft list-peers`,
  }),
  row(keys.cloud, "nomad", {
    except: `${looksAnywhere}, job status/plan/validate/inspect/history, node status, alloc status/logs, agent, monitor, fmt`,
  }),
  row(keys.cloud, "heroku", {
    except: `${looksAnywhere}, apps, logs, ps, config, releases, addons, pg:info, local, open, login, git:remote, buildpacks, domains, run, create, accounts, features, pipelines`,
  }),
  row(keys.cloud, "fly flyctl railway render", {
    except: `${looksAnywhere}, apps, logs, launch, deploy, dev, run, up, link, login, auth, dashboard, proxy, environment, secrets list`,
  }),
  row(keys.cloud, "vercel netlify firebase wrangler supabase amplify", {
    except: `${looksAnywhere}, dev, build, link, login, env pull, serve, start, stop, emulators:start, init, deploy, pull, functions list/serve/new, types, gen types, db diff, migration new/list, logs, whoami, tail, kv:key get, d1 list, preview, use, projects list, inspect, dev:exec`,
  }),
  row(keys.container, "buildah", {
    except: `${looks}, bud, build, from, images, containers, copy, add, run, config, commit, mount, unmount, tag, pull`,
  }),
  row(keys.cloud, "helm", {
    except: `${looks}, template, lint, dependency, dep, package, create, pull, repo list/update/add, search, env, install, upgrade, test, show, get, history, uninstall, delete, rollback, plugin list, diff, secrets view, registry, push, del, un, fetch`,
  }),
  row(keys.system, "snap", {
    except: `${looks}, find, services, changes, connections, interfaces, run, known, warnings, model, refresh --list`,
  }),
  row(keys.system, "flatpak", { except: `${looks}, run, remotes, remote-ls, history, ps` }),
  row(keys.supply, "dart flutter", { sub: "pub global" }),
  row(keys.persistence, "aws gcloud az doctl", { sub: "configure set/import/add-model/sso, config set/set-value" }),
  row(keys.container, "vboxmanage VBoxManage", {
    except: "list, showvminfo, showhdinfo, --version, guestproperty get/enumerate, metrics list/query",
  }),
  row(keys.secret, "security", {
    except: "find-identity, list-keychains, default-keychain, cms, verify-cert, help, error",
  }),
  row(keys.optionRuns, "groff troff nroff", { any: "-U --unsafe" }),
  row(keys.optionRuns, "redis-cli valkey-cli keydb-cli", { any: "--eval" }),
  row(keys.supply, "kubectl oc", { sub: "apply, create", any: "-k --kustomize", operand: /^[\w-]+(?:\.[\w-]+)+\// }),
  row(keys.supply, "mix", {
    sub: "archive.install, archive.uninstall, escript.install, local.hex, local.rebar, local.phx, hex.user, hex.organization, hex.repo, local.public_keys",
  }),
  row(keys.optionRuns, "swift", {
    sub: "package plugin",
    any: "--disable-sandbox --allow-writing-to-directory --allow-network-connections",
  }),
  row(
    keys.privilege,
    "proot fakechroot schroot systemd-nspawn bubblewrap bwrap arch-chroot debootstrap udocker charliecloud ch-run apptainer",
  ),
  row(
    keys.unknownScript,
    "cmd cmd.exe powershell.exe wsl.exe wsl mshta rundll32 regsvr32 certutil.exe bitsadmin.exe wmic wscript cscript",
  ),
];
