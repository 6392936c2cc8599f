const imageName = /\.(png|jpe?g|gif|webp|bmp|tiff?|heic)$/i;

/** Whether pasted text is most likely a file dragged into the window: one path, nothing else. */
export function looksDropped(text: string): boolean {
  const path = droppedPath(text);
  return path !== undefined && imageName.test(path);
}

/** The path a terminal writes for a dragged file: quoted, with escaped spaces, as a `file://` address, or bare. */
export function droppedPath(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed === "" || trimmed.includes("\n") || trimmed.length > 4_096) return undefined;
  const quoted = /^(['"])(.+)\1$/.exec(trimmed)?.[2];
  const bare = quoted ?? trimmed;
  if (/^file:\/\//i.test(bare)) return fromFileUrl(bare);
  if (!/^(~[/\\]|\.{0,2}\/|\/|[a-z]:[/\\])/i.test(bare)) return undefined;
  if (quoted !== undefined || /^[a-z]:[/\\]/i.test(bare)) return bare;
  const unescaped = bare.replace(/\\(.)/g, "$1");
  // An unescaped space means words, not one path.
  return /(?<!\\)\s/.test(bare) ? undefined : unescaped;
}

function fromFileUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  try {
    const path = decodeURIComponent(new URL(url).pathname);
    return /^\/[a-z]:\//i.test(path) ? path.slice(1) : path;
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}
