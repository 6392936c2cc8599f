import { hasAny, readOptions, valuesOf } from "../../../shell/programs/option-words.ts";
import type { Argument, SimpleCommand } from "../../../shell/simple-command.ts";
import { keys } from "../keys.ts";
import { isInside, type PathLocation, patternOf } from "../paths.ts";
import { styleOf } from "../programs/styles.ts";

/** Words by which programs take something in that is run later: packages, plugins, templates, modules. */
const takingVerb =
  /^(?:add|install|i|get|require|import|load|plugins?|extensions?|addons?|tap|try-repo|use|upgrade|apply|create|new|init|generate|scaffold|link|source|sources|repo|repos|repository|registry|remote|module|modules|package|packages|pkg|template|templates|feed|channel|bucket|archive\.install|self-update|bootstrap|clone|run|x|exec|deploy|up|sideload|flash)$/i;
const remote =
  /^(?:gh:|gl:|bb:|git\+|git:|git@|ssh:|https?:|ftp:|github:|gitlab:|bitbucket:|gist:|hg\+|svn\+|oci:|s3:)/i;
const local = /^\w+:\/\/(?:localhost|127\.|\[::1\]|0\.0\.0\.0)/i;
/** Programs for which an address is what they work on, or whose own tables say what they may take. */
export const everydayAddresses =
  /^(?:curl|wget2?|aria2c|axel|https?|httpie|xh|curlie|hurl|lynx|w3m|e?links|open|xdg-open|sensible-browser|firefox|chromium|google-chrome|git|gh|glab|hub|tea|jj|hg|svn|ssh|scp|rsync|psql|pgcli|mysql|mongosh|redis-cli|sqlite3|ab|wrk2?|hey|vegeta|k6|oha|siege|lighthouse|playwright|cypress|yt-dlp|youtube-dl|gallery-dl|echo|printf|grep|rg|sed|awk|jq|yq|test|\[|\[\[|ping|dig|docker|podman|nerdctl|kubectl|hermes|ffmpeg|mpv|lychee|muffet|websocat|wscat|grpcurl|newman|locust|export|alias|read|claude|codex|node|python[\d.]*|ruby|perl|php|prisma|alembic|migrate|dbmate|atlas|goose|supabase|stripe|twilio|vercel|netlify|fly|flyctl|heroku|wait-on|nc|openssl|certbot|step|mkcert|aws|gcloud|az|terraform|cd|cat|tee|man|apt|apt-get|skopeo|crane|cosign|trivy|zap|nuclei|httpx|ffuf|gobuster|rclone|restic|ollama|llm|yarn|npm|pnpm)$/;

/** A program takes in from an address what it runs later: by a verb of whatever program, and an address behind it. */
export function takesFromElsewhere(command: SimpleCommand): readonly string[] {
  const name = command.name ?? "";
  if (name === "" || everydayAddresses.test(name)) return [];
  const words = readOptions(command.args, styleOf(name));
  const isTaking = words.operands.slice(0, 3).some(({ text }) => takingVerb.test(text)) || takingName.test(name);
  const sources = [...words.operands, ...words.options.flatMap(({ value }) => (value === undefined ? [] : [value]))];
  return isTaking && sources.some(({ text }) => remote.test(text) && !local.test(text)) ? [keys.supply] : [];
}

/** Programs that do nothing but take in. */
const takingName =
  /^(?:easy_install|degit|tiged|cookiecutter|copier|create-[\w-]+|giter8|g8|yo|boilr|gitpick|degit-\w+|plugin-\w+|vundle|eget|ubi|bin|stew|webi|install-\w+|nativefier|pake|wasmer|spin|fermyon|waypoint|jbang|ghcup|rustup-init|foundryup)$/;

const servers =
  /^(?:serve|http-server|live-server|servor|sirv|browser-sync|caddy|miniserve|darkhttpd|lighttpd|thttpd|webfsd|static-server|simple-http-server|sfz|dufs|filebrowser|gohttpserver|nginx|webpack-dev-server|httpd|busybox|npx|bunx|pnpx|rclone|ruby|vite|anywhere|quick-share|smbd|vsftpd|proftpd|rsync|goshs|updog|twistd|uploadserver|chfs|python-http)$/;

/** A server hands out files that are not the work: a home folder, the root, a folder above. */
export function servesElsewhere(command: SimpleCommand, location: PathLocation): readonly string[] {
  const { name = "", args } = command;
  if (!servers.test(name)) return [];
  const isServing =
    !/^(?:busybox|npx|bunx|pnpx|rclone|ruby|rsync|twistd)$/.test(name) ||
    args.some(({ text }) => /^(?:httpd|serve|http-server|live-server|-run|--daemon|web)$/.test(text));
  if (!isServing) return [];
  const folders = args.filter(({ text }) => /^(?:[/~]|\.\.(?:\/|$))/.test(text.replace(/^--?[\w-]+=/, "")));
  const isForeign = (one: Argument): boolean => {
    const target = patternOf({ ...one, text: one.text.replace(/^--?[\w-]+=/, "") }, command, location);
    return (
      target === undefined ||
      location.workspace === undefined ||
      (!isInside(target, location.workspace) && !isSetting(target))
    );
  };
  const isHomeNow =
    command.cwd !== undefined && location.workspace !== undefined && !isInside(command.cwd, location.workspace);
  return folders.some(isForeign) || (isHomeNow && folders.length === 0) ? [keys.backdoor] : [];
}

function isSetting(target: string): boolean {
  return /^\/(?:etc|usr|dev|proc)\//.test(target) || /\.(?:conf|ya?ml|json|toml|crt|key|pem|log|pid)$/.test(target);
}

const importers: ReadonlySet<string> = new Set(
  "mongoimport mongorestore pg_restore mysqlimport influx cqlsh clickhouse-client clickhouse dynamodump elasticdump logstash filebeat sqlcmd bcp tsql".split(
    " ",
  ),
);

/** Data of files goes into a database on another machine. */
export function fillsElsewhere(command: SimpleCommand): readonly string[] {
  const { name = "", args, input, reads } = command;
  const words = readOptions(args, {
    valued: "-h --host --hostname -H --uri -U --url -d --dbname --server -S -b --brokers",
  });
  const named = [
    ...valuesOf(words, "-h --host --hostname -H --uri --url --server -S"),
    ...words.operands.filter(({ text }) => /^\w+:\/\//.test(text)),
  ];
  const isForeign = named.some(
    ({ text }) =>
      !/^(?:\w+(?:\+\w+)?:\/\/)?(?:[^@/]*@)?(?:localhost|127\.|\[?::1|0\.0\.0\.0|host\.docker\.internal|\/|db\b|postgres\b|mysql\b|mongo\b|redis\b)/i.test(
        text,
      ),
  );
  if (!isForeign) return [];
  if (importers.has(name)) return hasAny(words, "--version --help") ? [] : [keys.send];
  if (!/^(?:psql|mysql|mariadb|redis-cli|valkey-cli|mongosh|cypher-shell|usql)$/.test(name)) return [];
  const texts = [...args.map(({ text }) => text), input ?? ""];
  const isFilling = texts.some((text) =>
    /\\copy\b.*\bfrom\b|load\s+data\s+local|copy\b.*\bfrom\s+(?:stdin|program)/i.test(text),
  );
  return isFilling || reads.length > 0 || hasAny(words, "--pipe -x --local-infile") ? [keys.send] : [];
}
