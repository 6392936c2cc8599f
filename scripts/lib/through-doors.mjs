import { existsSync, readFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";

/**
 * Lets an import of a door (`import { a } from "#store"`) load the module behind it and nothing else. A bundler takes whatever
 * a door names for needed by everybody who imports one thing of it, and then a part cannot wait behind an `import()`.
 * A door names what it hands on and has no logic of its own, so nothing else changes; one that did would be left alone.
 *
 * @param {string} root of the repository.
 * @param {{ imports: Record<string, Record<string, string>> }} manifest names the doors.
 * @returns {import("esbuild").Plugin}
 */
export function throughDoors(root, manifest) {
  const doors = new Map();
  const namesOf = (door) => {
    if (!doors.has(door)) doors.set(door, readDoor(door));
    return doors.get(door);
  };
  const fileOf = (specifier, from) => {
    if (specifier.startsWith(".")) return path.resolve(path.dirname(from), specifier);
    const target = manifest.imports[specifier]?.["hermes-source"];
    return target === undefined ? undefined : path.resolve(root, target);
  };
  const origin = (name, file) => {
    const next = namesOf(file)?.get(name);
    return next === undefined ? { name, file } : origin(next.name, next.file);
  };
  return {
    name: "through-doors",
    setup(build) {
      build.onLoad({ filter: /\/src\/.*\.tsx?$/ }, async ({ path: file }) => {
        const text = await readFile(file, "utf8");
        const contents = text.replace(/^import \{([^}]*)\} from "([^"]+)";/gm, (statement, list, specifier) => {
          const door = fileOf(specifier, file);
          if (door === undefined || namesOf(door) === undefined) return statement;
          return valuesIn(list)
            .map((one) => importOf(origin(one.name, door), one.as))
            .join(" ");
        });
        return { contents, loader: file.endsWith("x") ? "tsx" : "ts" };
      });
    },
  };
}

/** What a door hands on, by the name it has outside; undefined for a file that is no door. */
function readDoor(file) {
  if (path.basename(file) !== "index.ts" || !existsSync(file)) return undefined;
  const handedOn = /export (type )?\{([^}]*)\} from "([^"]+)";/g;
  const text = readFileSync(file, "utf8");
  const rest = text.replace(handedOn, "").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  if (rest.trim() !== "") return undefined;
  const names = new Map();
  for (const [, types, list, from] of text.matchAll(handedOn)) {
    const behind = path.resolve(path.dirname(file), from);
    if (types === undefined) for (const { name, as } of valuesIn(list)) names.set(as, { name, file: behind });
  }
  return names;
}

/** The names in the braces of an import or export that exist at run time. */
function valuesIn(list) {
  return list
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "" && !one.startsWith("type "))
    .map((one) => {
      const [name, as = name] = one.split(/\s+as\s+/);
      return { name, as };
    });
}

function importOf({ name, file }, as) {
  return `import { ${name} as ${as} } from ${JSON.stringify(file)};`;
}
