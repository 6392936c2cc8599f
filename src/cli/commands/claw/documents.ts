import path from "node:path";
import { defaultIdentity, scanThreats } from "#agent";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { archiveFile, maxDocumentBytes as maxBytes } from "./archive.ts";
import { isFolder, readOldText } from "./old-home.ts";
import type { Migration, Step } from "./step.ts";

/** `SOUL.md` becomes ours; `AGENTS.md` goes into the folder that was named for it. */
export async function planDocuments(migration: Migration): Promise<readonly Step[]> {
  const { old, home, wanted } = migration;
  const soul = { name: "SOUL.md", file: path.join(old.workspace, "SOUL.md"), target: home.soul };
  const agents = path.join(old.workspace, "AGENTS.md");
  const steps = await planDocument(migration, soul);
  if (wanted.workspaceTarget !== undefined)
    return [
      ...steps,
      ...(await planDocument(migration, {
        name: "AGENTS.md",
        file: agents,
        target: path.join(wanted.workspaceTarget, "AGENTS.md"),
      })),
    ];
  if ((await readOldText(agents, maxBytes)) === undefined) return steps;
  const why = "name the folder it is for with --workspace-target";
  return [...steps, archiveFile(migration, { area: "character", file: agents, as: "workspace/AGENTS.md", why })];
}

interface Document {
  readonly name: string;
  readonly file: string;
  readonly target: string;
}

async function planDocument(migration: Migration, { name, file, target }: Document): Promise<readonly Step[]> {
  const item = { area: "character", item: name } as const;
  const text = await readOldText(file, maxBytes);
  if (text === undefined) return [];
  if (text.trim() === "") return [{ ...item, kind: "skip", why: "it is empty" }];
  const archived = (why: string) => [archiveFile(migration, { area: "character", file, as: `workspace/${name}`, why })];
  const threats = scanThreats(text, "context");
  if (threats.length > 0) return archived(`it is not imported: ${threats.join(", ")}`);
  if (migration.redact(text) !== text) return archived("it is not imported: it seems to hold a credential");
  const present = ((await readTextFile(target, { maxBytes })) ?? "").trim();
  if (present === text.trim()) return [{ ...item, kind: "skip", why: "it is the same here" }];
  // The text a new home begins with was written by nobody.
  const isFree = present === "" || present === defaultIdentity.trim();
  if (!isFree && !migration.wanted.overwrites)
    return [{ ...item, kind: "conflict", why: `${target} says something else; --overwrite replaces it` }];
  return [
    {
      ...item,
      kind: "take",
      into: target,
      ...(isFree ? {} : { note: "what was there is kept beside the report" }),
      apply: async () => {
        if (!isFree) await keepCopy(migration, name, present);
        if (!(await isFolder(path.dirname(target)))) await ensureDir(path.dirname(target));
        await writeFileAtomic(target, text.endsWith("\n") ? text : `${text}\n`);
      },
    },
  ];
}

async function keepCopy({ folder }: Migration, name: string, text: string): Promise<void> {
  await ensureDir(path.join(folder, "replaced"), 0o700);
  await writeFileAtomic(path.join(folder, "replaced", name), `${text}\n`);
}
