import type { MessageStructureObject } from "imapflow";
import type { Attachment } from "../../platform/inbound.ts";
import { kindOfMime } from "../support/media.ts";

export interface MailBody {
  /** The part that holds the words; text is preferred to HTML. */
  readonly text?: { readonly part: string; readonly isHtml: boolean } | undefined;
  readonly files: readonly MailFile[];
}

export type MailFile = Pick<Attachment, "kind" | "name" | "mimeType" | "bytes"> & { readonly part: string };

const mostFiles = 20;

export function readStructure(root: MessageStructureObject | undefined): MailBody {
  const leaves = root === undefined ? [] : leavesOf(root);
  const words = leaves.filter((leaf) => /^text\/(?:plain|html)$/iu.test(leaf.type) && !isFile(leaf));
  const chosen = words.find(({ type }) => type.toLowerCase() === "text/plain") ?? words[0];
  return {
    text:
      chosen === undefined
        ? undefined
        : { part: chosen.part ?? "1", isHtml: chosen.type.toLowerCase() === "text/html" },
    files: leaves
      .filter((leaf) => !words.includes(leaf))
      .slice(0, mostFiles)
      .map(fileOf),
  };
}

/** A mail inside a mail is one file. */
function leavesOf(node: MessageStructureObject): readonly MessageStructureObject[] {
  if (node.childNodes === undefined || node.type.toLowerCase() === "message/rfc822") return [node];
  return node.childNodes.flatMap(leavesOf);
}

function isFile({ disposition, dispositionParameters, parameters }: MessageStructureObject): boolean {
  const name = dispositionParameters?.["filename"] ?? parameters?.["name"];
  return disposition?.toLowerCase() === "attachment" || (disposition !== undefined && name !== undefined);
}

function fileOf(node: MessageStructureObject): MailFile {
  const mimeType = node.type.toLowerCase();
  const isBase64 = node.encoding?.toLowerCase() === "base64";
  return {
    part: node.part ?? "1",
    kind: kindOfMime(mimeType),
    mimeType,
    name: node.dispositionParameters?.["filename"] ?? node.parameters?.["name"],
    // In letters, four stand for three bytes, and lines end.
    bytes: node.size === undefined ? undefined : Math.floor(isBase64 ? (node.size / 78) * 57 : node.size),
  };
}
