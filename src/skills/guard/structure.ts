import { extname } from "node:path";
import { isBinary } from "../library/linked-files.ts";
import type { GuardFinding, Severity } from "./finding.ts";
import type { SkillTree } from "./skill-tree.ts";

const maxFiles = 50;
const maxTotalBytes = 1_024 * 1_024;
const maxFileBytes = 256 * 1_024;

const programs = new Set(
  ".exe .dll .so .dylib .dmg .bin .msi .app .deb .rpm .pkg .apk .jar .class .com .scr .node .wasm .o .a .pyc".split(
    " ",
  ),
);
const archives = new Set(".zip .gz .tgz .tar .xz .bz2 .7z .rar .zst".split(" "));
const media = new Set(
  ".png .jpg .jpeg .gif .webp .ico .bmp .pdf .ttf .otf .woff .woff2 .mp3 .wav .ogg .mp4 .webm".split(" "),
);
const scripts = new Set(".sh .bash .zsh .py .js .mjs .cjs .ts .rb .pl .php .fish .ps1 .awk .lua".split(" "));

/** What is wrong with a skill before a word of it is read. */
export function checkStructure(tree: SkillTree): readonly GuardFinding[] {
  const total = tree.files.reduce((sum, file) => sum + file.size, 0);
  const findings: GuardFinding[] = [];
  const note = (id: string, severity: Severity, [file, says]: readonly [string, string]): void => {
    findings.push({ id, category: "structure", severity, says, file });
  };
  if (tree.files.length > maxFiles)
    note("too-many-files", "medium", [".", `has ${tree.files.length} files; ${maxFiles} are usual at most`]);
  if (total > maxTotalBytes)
    note("too-large", "high", [
      ".",
      `has ${Math.ceil(total / 1_024)} KB; ${maxTotalBytes / 1_024} KB are usual at most`,
    ]);
  for (const file of tree.files) {
    const extension = extname(file.path).toLowerCase();
    if (file.size > maxFileBytes)
      note("large-file", "medium", [file.path, `is a file of ${Math.ceil(file.size / 1_024)} KB`]);
    if (programs.has(extension) || isProgram(file.bytes))
      note("binary-program", "critical", [file.path, "is a compiled program, which nobody can review"]);
    else if (file.isExecutable && !scripts.has(extension) && !hasInterpreterLine(file.bytes))
      note("executable-bit", "medium", [file.path, "is marked as a program but is not a script"]);
    else if (archives.has(extension))
      note("archive", "medium", [file.path, "is an archive, whose content was not looked at"]);
    else if (isBinary(file.bytes) && !media.has(extension))
      note("unknown-binary", "medium", [file.path, "is a binary file of unknown kind"]);
  }
  for (const link of tree.links) {
    if (link.leavesSkill)
      note("link-outside", "critical", [link.path, `is a link out of the skill, to ${link.target}`]);
  }
  return findings;
}

/** Whether the patterns look into a file: all but pictures, sounds and fonts, so that a zero byte hides no script. */
export function isRead(path: string, bytes: Uint8Array): boolean {
  return !isBinary(bytes) || !media.has(extname(path).toLowerCase());
}

/** ELF, PE and Mach-O, whatever the file is called. */
function isProgram(bytes: Uint8Array): boolean {
  const [a, b, c, d] = bytes;
  if (a === 0x7f && b === 0x45 && c === 0x4c && d === 0x46) return true;
  if (a === 0x4d && b === 0x5a && isBinary(bytes)) return true;
  return (a === 0xcf || a === 0xce) && b === 0xfa && c === 0xed && d === 0xfe;
}

function hasInterpreterLine(bytes: Uint8Array): boolean {
  return bytes[0] === 0x23 && bytes[1] === 0x21;
}
