import path from "node:path";
import { fileURLToPath } from "node:url";
import type { ContentBlock } from "@agentclientprotocol/sdk/unstable";
import type { UserInput } from "#session";

/**
 * What an editor sends as a prompt. Links to files become references, which are read as the person's own are. What the
 * editor puts into the prompt itself is only words: with it nothing in the prompt is a command or a reference, since a
 * file may hold both.
 */
export function promptInput(blocks: readonly ContentBlock[]): UserInput {
  const isPlain = blocks.some(({ type }) => type === "resource");
  const texts: string[] = [];
  const images: string[] = [];
  let untrusted: string | undefined;
  for (const block of blocks) {
    if (block.type === "text") texts.push(block.text);
    else if (block.type === "image") images.push(`data:${block.mimeType};base64,${block.data}`);
    else if (block.type === "resource_link") texts.push(linkText(block, isPlain));
    else if (block.type === "resource") {
      const { resource } = block;
      if (/^https?:/i.test(resource.uri)) untrusted ??= resource.uri;
      if ("text" in resource) texts.push(`<context ref="${resource.uri}">\n${resource.text}\n</context>`);
      else if (resource.mimeType?.startsWith("image/") === true)
        images.push(`data:${resource.mimeType};base64,${resource.blob}`);
      else texts.push(`[${resource.uri} was attached, but is neither text nor an image.]`);
    } else texts.push("[Audio was attached; it cannot be heard here.]");
  }
  return { text: joined(texts), images, isPlain, untrusted };
}

/** Editors split a sentence at what is mentioned in it; only blocks of several lines stand apart. */
function joined(texts: readonly string[]): string {
  return texts.reduce((all, text) => {
    if (all === "") return text;
    if (text.startsWith("<context ") || all.endsWith("</context>")) return `${all}\n\n${text}`;
    return /\s$/.test(all) || /^\s/.test(text) ? all + text : `${all} ${text}`;
  }, "");
}

function linkText({ uri, name }: { readonly uri: string; readonly name: string }, isPlain: boolean): string {
  const file = fileOf(uri);
  if (file === undefined) return `[${name}](${uri})`;
  if (isPlain || /["\n]/.test(file)) return `[${name}](${file})`;
  return `@file:"${file}"`;
}

function fileOf(uri: string): string | undefined {
  if (path.isAbsolute(uri)) return uri;
  try {
    const { protocol, pathname } = new URL(uri);
    return protocol === "file:" ? fileURLToPath(`file://${pathname}`) : undefined;
  } catch {
    // What is no address of a file is shown as it was written.
    return undefined;
  }
}
