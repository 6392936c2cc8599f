import { type Argument, type SimpleCommand, withText } from "../../../shell/simple-command.ts";
import { type PathLocation, patternOf } from "../paths.ts";
import { zoneOf } from "../zones.ts";
import { isElsewhere } from "./elsewhere.ts";
import { inspecting, looking, outputWord } from "./loading.ts";

/**
 * Folders for temporary files are where anybody puts anything: a program that does more than look, carry or convert is asked about when one of its
 * words leads there, whatever the option is called. Nobody can list what every option of every program loads.
 */
export function pointsAtStrangers(command: SimpleCommand, location: PathLocation): boolean {
  const name = command.name ?? "";
  if (name === "" || isElsewhere(command) || command.path.includes("/") || shapesText.test(name)) return false;
  return ownWords(command).some((word) => !isHarmless(name, word) && leadsToStrangers(word.value, command, location));
}

/** Programs that show, check, shape or carry what they are pointed to and run none of it. */
const shapesText =
  /^(?:bat|batcat|code|vimdiff|open|xdg-open|prettier|black|ruff|isort|gofmt|goimports|rustfmt|clang-format|shfmt|shellcheck|hadolint|yamllint|markdownlint|tokei|cloc|scc|eza|exa|pygmentize|highlight|glow|pbcopy|xclip|wl-copy|colordiff|difft|sdiff|patch|gzip|gunzip|zcat|xz|zstd|bzip2|lz4|7z|7za|brotli|cpio|md5|shasum|sha1sum|sha512sum|b2sum|cksum|sum|iconv|dos2unix|unlink|shred|truncate|split|paste|nl|tac|rev|fold|fmt|comm|join|cmp|uniq|strace|ltrace|lsof|fuser|hermes|podman|docker|nerdctl|skopeo|aws|gsutil|gcloud|az|rclone|sftp|ssh|scp|ssh-keygen|ssh-keyscan|ssh-add|setfacl|getfacl|chattr|lsattr|xattr|chown|chgrp|mount|umount|df|lsblk|tree|ncdu|dust|pwd|pushd|popd|rmdir|mkfifo|mknod|mktemp|sync|flock|wait|trap|tmux|screen|kill|ps|pgrep|ctags|xdelta3|bsdiff|rdiff|git-lfs|gh|glab|pg_dump|pg_dumpall|mysqldump|mongodump|mongoexport|redis-cli|sqlite|duckdb|csvkit|xsv|mlr|dasel|hexyl|jless|fx|vd|visidata|man|info|watch|inotifywait|fswatch|entr|rename|say|afplay|notify-send|tail|dd|wget2|aria2c|axel|http|https|xh|curlie|ab|wrk|hey|scrot|maim|import|hyperfine|asciinema|script|logger|mail|mailx|envsubst|gettext|msgfmt|gpg|age|minisign|cosign|keytool|mkcert|certtool|step|hunspell|aspell|vale|cspell|codespell|lychee|sha224sum|sha384sum|b3sum|chronic|sponge|ts|pv|tput|stty|clear|time|timeout|nice|ionice|sudo|su|env|xargs|parallel|command|builtin|exec|eval|set|unset|alias|read|declare|local|typeset|readonly|mapfile|readarray|umask|ulimit|hash|type|which|whereis)$/;
/** Programs that take files as data: what they work on is no concern, what an option of another kind hands them is. */
const converting =
  /^(?:ffmpeg|ffprobe|ffplay|sox|soxi|convert|magick|identify|mogrify|composite|montage|compare|display|exiftool|pandoc|pdf\w+|qpdf|mutool|tesseract|ocrmypdf|rsvg-convert|inkscape|optipng|pngquant|pngcrush|oxipng|jpegoptim|cwebp|dwebp|gif\w+|mediainfo|mkv\w+|mpv|vlc|cvlc|mplayer|vips\w*|gm|potrace|dot|neato|fdp|sfdp|circo|plantuml|mmdc|gnuplot|xmllint|xmlstarlet|xsltproc|asciidoctor|typst|rst2html|lilypond|openscad|blender|protoc|thrift|capnp|flatc|wkhtmltopdf|weasyprint|prince|ebook-convert|calibre|libreoffice|soffice|unoconv|antiword|catdoc|enscript|a2ps|ps2pdf|gs|nm|tcpdump|tshark|editcap|mergecap|john|hashcat|jhead|gimp|feh|sxiv|imv|zathura|evince|okular|diff-so-fancy|delta|meld|jupytext|nbdime|csvtool|sqlite-utils|python[\d.]*|pypy[\d.]*|perl|ruby|node|nodejs|php|lua|luajit|gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|as|nasm|javac|kotlinc|scalac|rustc|swiftc|ghc|ocamlc|tsc|esbuild|swc|terser|sass|lessc|psql|pgcli|mysql|mariadb|sqlite3|mongosh|cqlsh)$/;
const compilers =
  /^(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+|ld|as|nasm|javac|rustc|swiftc|ghc|ocamlc|protoc|thrift|flatc)$/;
/** Where compilers look for headers and libraries, and where they put things. */
const searched =
  /^-(?:[ILoMdD]\w*|isystem|iquote|idirafter|include|MF|MT|MQ|sourcepath|cp|classpath|h|s|-\w+_out|-proto_path)$/;
const inputs =
  /^(?:-i|--input|--in|--from-file|--infile|-f|--format|-t|--to|-r|--read|-c|-C|-p|-D|-d|-m|-e|-n|-s|-S|-l|-a|-u)$/;
/** Places that build tools keep what they fetched and made. */
const storing = /(?:^|[-_.])(?:local|store|dir|scratch|work|build|sock|uds|cov|html|xml|pidfile|lock)$/i;

interface Word {
  /** The option or the key in front of it; empty where it stands alone. */
  readonly key: string;
  readonly value: Argument;
}

/** The words of a program itself: behind `--`, and behind the script of an interpreter, stand words for another one. */
function ownWords({ name = "", args, reads }: SimpleCommand): readonly Word[] {
  const end = args.findIndex(({ text }) => text === "--");
  const own = end < 0 ? args : args.slice(0, end);
  const script = /^(?:python[\d.]*|pypy[\d.]*|perl|ruby|node|nodejs|php|lua|luajit)$/.test(name)
    ? own.findIndex(({ text }, at) => !text.startsWith("-") && !/^-/.test(own[at - 1]?.text ?? ""))
    : -1;
  const words = (script < 0 ? own : own.slice(0, script)).flatMap((arg, at) => wordOf(arg, own[at - 1]?.text ?? ""));
  return converting.test(name) ? words : [...words, ...reads.map((value) => ({ key: "<", value }))];
}

function wordOf(arg: Argument, before: string): readonly Word[] {
  const inline =
    /^(--?[A-Za-z][\w.:-]*?|[A-Za-z][\w.-]*)[=:@](?!\/\/)([\s\S]+)$/.exec(arg.text) ??
    /^(-[A-Za-z])([/~.][\s\S]*)$/.exec(arg.text);
  if (inline !== null) return [{ key: inline[1] ?? "", value: withText(arg, inline[2] ?? "") }];
  return [{ key: before.startsWith("-") && !before.includes("=") ? before : "", value: arg }];
}

function isHarmless(name: string, { key, value }: Word): boolean {
  if (value.text.startsWith("-")) return true;
  const speaks = speaking.test(key);
  if (!speaks && (outputWord.test(key) || storing.test(key) || /^-o$|^of$/.test(key))) return true;
  if ((looking.test(name) || inspecting.test(name)) && !converting.test(name)) return !speaks;
  if (!converting.test(name)) return false;
  return key === "" || key === "<" || inputs.test(key) || (compilers.test(name) && searched.test(key));
}

/** Options by which also a program that only looks takes settings. */
const speaking =
  /^--?(?:[\w-]+-)?(?:\w*rc|rc-?file|config(?:-?file)?|conf|plugins?|plugin-?dir|script|init|startup|preload|lesskey\S*|k|ackrc)$/;

/** A path, or several in one word, of which one lies where anybody puts files. */
function leadsToStrangers(value: Argument, command: SimpleCommand, location: PathLocation): boolean {
  const pieces =
    value.text.match(/(?<=^|[=:,;"'[({\s@+!|])(?:file:\/\/)?(?:\/|~\/|\.\.\/)[^\s=:,;"'()[\]{}|<>]+/g) ?? [];
  return pieces.some((piece) => {
    const path = withText(value, piece.replace(/^file:\/\//, ""));
    const zone = zoneOf(path, command, location);
    if (zone === "temp") return true;
    return zone === "outside" && runnable.test(patternOf(path, command, location) ?? "");
  });
}

/** What lies elsewhere counts where its name says that it runs. */
const runnable =
  /^(?!\/(?:etc|usr|opt|nix|Library|System|dev|proc)\/).*\.(?:[cm]?[jt]sx?|py|pyz|rb|pl|pm|lua|php|phar|sh|bash|zsh|fish|el|vim|tcl|groovy|gradle|cmake|mk|jar|war|class|nix|bzl|exp|gdb|ps1|exs?|jl|R|scm|lisp|clj|nim|cr|dart|swift|kts|service|desktop|exe|dll|so|dylib|run|bin|AppImage)$/;
