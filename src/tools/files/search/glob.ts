import path from "node:path";

/** Whether files below a root match a glob. Without a slash it matches the name at any depth, as in ignore files. */
export async function globMatcher(glob: string, root: string): Promise<(file: string) => boolean> {
  const { default: picomatch } = await import("picomatch");
  const isNegated = glob.startsWith("!");
  const plain = isNegated ? glob.slice(1) : glob;
  const anchored = plain.includes("/") ? plain.replace(/^\//, "") : `**/${plain}`;
  const matches = picomatch(anchored, { dot: true });
  return (file) => matches(relative(root, file)) !== isNegated;
}

function relative(root: string, file: string): string {
  const inside = path.relative(root, file);
  return inside === "" ? path.basename(file) : inside.split(path.sep).join("/");
}
