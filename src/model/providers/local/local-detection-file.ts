import { dirname } from "node:path";
import { defined } from "#foundation/defined";
import { systemErrorCode } from "#foundation/errors";
import { ensureDir, readTextFile, writeFileAtomic } from "#foundation/files/files";
import { isRecord, parseJson } from "#foundation/text/json";
import { type LocalModel, type LocalServer, type LocalServerKind, localServerFacts } from "./local.ts";

/** What was learned about the server at one address; without a server it is none we know. */
export interface Detection {
  readonly atMs: number;
  readonly server?: LocalServer;
  /** Windows by model, where they had to be asked for. */
  readonly windows: Readonly<Record<string, number>>;
}

const maxBytes = 1_048_576;

/** The file is only a memory: one that cannot be read holds nothing. */
export async function readDetections(file: string): Promise<ReadonlyMap<string, Detection>> {
  const text = await readTextFile(file, { maxBytes }).catch(() => undefined);
  const parsed = text === undefined ? undefined : parseJson(text);
  if (parsed?.ok !== true || !isRecord(parsed.value)) return new Map();
  return new Map(
    Object.entries(parsed.value).flatMap(([baseUrl, value]): [string, Detection][] => {
      const detection = detectionOf(value);
      return detection === undefined ? [] : [[baseUrl, detection]];
    }),
  );
}

/** A disk that cannot be written to costs only the memory. */
export async function writeDetections(file: string, detections: ReadonlyMap<string, Detection>): Promise<void> {
  try {
    await ensureDir(dirname(file), 0o700);
    const text = `${JSON.stringify(Object.fromEntries(detections))}\n`;
    await writeFileAtomic(file, text, { mode: 0o600, fsync: false });
  } catch (error) {
    if (systemErrorCode(error) === undefined) throw error;
  }
}

function detectionOf(value: unknown): Detection | undefined {
  if (!isRecord(value) || typeof value["atMs"] !== "number") return undefined;
  const windows = isRecord(value["windows"]) ? value["windows"] : {};
  const server = value["server"] === undefined ? undefined : serverOf(value["server"]);
  if (value["server"] !== undefined && server === undefined) return undefined;
  return {
    atMs: value["atMs"],
    windows: Object.fromEntries(
      Object.entries(windows).flatMap(([model, window]) => (isSize(window) ? [[model, window]] : [])),
    ),
    ...defined({ server }),
  };
}

function serverOf(value: unknown): LocalServer | undefined {
  if (!isRecord(value) || !isKind(value["kind"]) || !Array.isArray(value["models"])) return undefined;
  const { kind, models, contextWindow } = value;
  return { kind, models: models.flatMap(modelOf), ...(isSize(contextWindow) ? { contextWindow } : {}) };
}

function modelOf(value: unknown): readonly LocalModel[] {
  if (!isRecord(value) || typeof value["id"] !== "string") return [];
  const { id, contextWindow, isLoaded } = value;
  return [
    {
      id,
      ...(isSize(contextWindow) ? { contextWindow } : {}),
      ...(typeof isLoaded === "boolean" ? { isLoaded } : {}),
    },
  ];
}

function isKind(value: unknown): value is LocalServerKind {
  return typeof value === "string" && Object.hasOwn(localServerFacts, value);
}

function isSize(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value > 0;
}
