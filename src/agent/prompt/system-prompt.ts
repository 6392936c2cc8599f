import { createHash } from "node:crypto";
import { canonicalJson } from "#foundation/text/json";
import { codePointLength } from "#foundation/text/text";
import type { PromptInputs } from "./inputs.ts";
import { type Layer, type LayerName, layers } from "./layers.ts";
import { type FrozenSession, freezeSession, sessionText } from "./session-line.ts";

export interface BuiltLayer {
  readonly name: LayerName;
  /** In characters (code points). */
  readonly length: number;
  /** Of the text. */
  readonly sha256: string;
  /** SHA-256 of what the layer was made from; tells whether it has to be rebuilt. */
  readonly inputsSha256: string;
}

export interface BuiltPrompt {
  readonly text: string;
  /** The layers that have content, in order. */
  readonly layers: readonly BuiltLayer[];
  /** Over the inputs of every layer except the session's own lines. */
  readonly fingerprint: string;
  readonly session: FrozenSession;
}

/**
 * The system prompt of a session. Invariants:
 *
 * 1. It is built once; a session that goes on reuses the stored text byte for byte.
 * 2. The text is the layers that have content, trimmed, in this order, with one blank line between them.
 * 3. Everything needed to reuse or to rebuild single layers after a resume is in {@link BuiltPrompt}, which is
 *    plain JSON; the inputs themselves are not kept.
 */
export function buildPrompt(inputs: PromptInputs): BuiltPrompt {
  return assemble(
    layers.map((layer) => freshLayer(layer, inputs)),
    freezeSession(inputs.session),
  );
}

export interface Rebuilt {
  readonly prompt: BuiltPrompt;
  /** Layers whose text is new, appeared or went away; empty means that the old text was kept whole. */
  readonly changed: readonly LayerName[];
}

/**
 * Brings a prompt up to date after compression or a change of model. A layer whose inputs are the same keeps
 * its bytes, and the session's lines keep their time and id. Where the old layers are not known (a session
 * stored by an older program) everything is new.
 */
export function rebuildChanged(old: BuiltPrompt, next: PromptInputs): Rebuilt {
  const kept = cutLayers(old);
  if (kept === undefined) {
    const prompt = buildPrompt(next);
    return { prompt, changed: prompt.layers.map(({ name }) => name) };
  }
  const pieces = layers.map((layer) => {
    if (layer.name === "session") return sessionPiece(layer, old.session, next);
    const before = kept.get(layer.name);
    const isSame = before !== undefined && before.inputsSha256 === inputsHash(layer, next);
    return isSame ? before : freshLayer(layer, next);
  });
  const prompt = assemble(pieces, old.session);
  const changed = pieces.filter(({ name, text }) => (kept.get(name)?.text ?? "") !== text).map(({ name }) => name);
  return { prompt: changed.length === 0 ? { ...prompt, text: old.text } : prompt, changed };
}

interface Piece {
  readonly name: LayerName;
  readonly text: string;
  readonly inputsSha256: string;
}

const separator = "\n\n";

function freshLayer(layer: Layer, inputs: PromptInputs): Piece {
  return { name: layer.name, text: layer.render(inputs).trim(), inputsSha256: inputsHash(layer, inputs) };
}

function sessionPiece(layer: Layer, frozen: FrozenSession, inputs: PromptInputs): Piece {
  return { name: layer.name, text: sessionText(frozen, inputs).trim(), inputsSha256: inputsHash(layer, inputs) };
}

function assemble(pieces: readonly Piece[], session: FrozenSession): BuiltPrompt {
  const present = pieces.filter(({ text }) => text !== "");
  const relevant = present.filter(({ name }) => name !== "session");
  return {
    text: present.map(({ text }) => text).join(separator),
    layers: present.map(({ name, text, inputsSha256 }) => ({
      name,
      length: codePointLength(text),
      sha256: sha256(text),
      inputsSha256,
    })),
    fingerprint: sha256(relevant.map(({ name, inputsSha256 }) => `${name}:${inputsSha256}\n`).join("")),
    session,
  };
}

/** The old text cut back into its layers; undefined when lengths or hashes do not fit the text. */
export function cutLayers(old: BuiltPrompt): ReadonlyMap<LayerName, Piece> | undefined {
  if (old.layers.length === 0) return undefined;
  const characters = Array.from(old.text);
  const pieces = new Map<LayerName, Piece>();
  let at = 0;
  for (const { name, length, sha256: expected, inputsSha256 } of old.layers) {
    const text = characters.slice(at, at + length).join("");
    if (sha256(text) !== expected) return undefined;
    pieces.set(name, { name, text, inputsSha256 });
    at += length + separator.length;
  }
  return pieces;
}

function inputsHash(layer: Layer, inputs: PromptInputs): string {
  return sha256(canonicalJson(layer.inputs(inputs)));
}

function sha256(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
