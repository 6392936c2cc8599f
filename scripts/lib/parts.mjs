// Turns the ES chunks that esbuild writes into a few script files of "parts" (docs/decisions/0006).
// A part is one chunk as a function. It runs when it is first asked for, so what a command does not use is neither
// compiled nor kept in the code cache. Chunks of esbuild never import each other in a circle, and they export what no
// longer changes once they ran, so an import is a plain constant.
import path from "node:path";
import ts from "typescript";

/**
 * @param {import("esbuild").BuildResult} built with `splitting` and a `metafile`, not written.
 * @param {Record<string, string[]>} roots for each file the sources whose chunks go there. What two files need goes to the first one.
 * @returns {Record<string, string>} file name (without ending) to script.
 */
export function packParts(built, roots) {
  const chunks = chunksOf(built);
  const places = placesOf(chunks, roots);
  const files = Object.fromEntries(Object.keys(roots).map((name) => [name, []]));
  for (const [key, { file, index }] of places) files[file][index] = partOf(chunks.get(key), places);
  return Object.fromEntries(Object.entries(files).map(([name, parts]) => [name, scriptOf(parts)]));
}

function chunksOf({ metafile, outputFiles }) {
  const texts = new Map(outputFiles.map((file) => [path.basename(file.path), file.text]));
  return new Map(
    Object.entries(metafile.outputs).map(([key, output]) => [
      path.basename(key),
      {
        text: texts.get(path.basename(key)),
        source: output.entryPoint,
        inputs: Object.keys(output.inputs),
        imports: output.imports.map((one) => ({ ...one, path: one.external ? one.path : path.basename(one.path) })),
      },
    ]),
  );
}

/** Where each chunk goes. A chunk that several files need belongs to the first file, which is always loaded. */
function placesOf(chunks, roots) {
  const [first, ...others] = Object.keys(roots);
  const last = others.at(-1);
  const needs = Object.entries(roots).map(([file, sources]) => [file, closureOf(sources, chunks)]);
  const counts = Object.fromEntries(Object.keys(roots).map((file) => [file, 0]));
  const places = new Map();
  // The program begins with part 0 of the first file.
  const start = keyOf(roots[first][0], chunks);
  for (const key of new Set([start, ...chunks.keys()])) {
    const wanted = needs.filter(([, closure]) => closure.has(key)).map(([file]) => file);
    const file = wanted.length === 0 ? last : wanted.length === 1 ? wanted[0] : first;
    places.set(key, { file, index: counts[file] });
    counts[file] += 1;
  }
  return places;
}

/** The chunks of these sources with all that they import before they run. */
function closureOf(sources, chunks) {
  const found = new Set();
  const visit = (key) => {
    if (found.has(key)) return;
    found.add(key);
    for (const one of chunks.get(key).imports) if (one.kind === "import-statement" && !one.external) visit(one.path);
  };
  for (const source of sources) visit(keyOf(source, chunks));
  return found;
}

function keyOf(source, chunks) {
  const keys = [...chunks.keys()];
  const key =
    keys.find((one) => chunks.get(one).source === source) ??
    keys.find((one) => chunks.get(one).inputs.includes(source));
  if (key === undefined) throw new Error(`No chunk has ${source}; is it still part of the program?`);
  return key;
}

function partOf(chunk, places) {
  const reference = (name) => {
    const place = places.get(path.basename(name));
    return place === undefined ? `require(${JSON.stringify(name)})` : `__part("${place.file}",${place.index})`;
  };
  const { text, head } = withoutModuleSyntax(chunk.text, reference);
  return `()=>{"use strict";let __exported;${head}${withoutImportCalls(text, chunk, reference)}\nreturn __exported}`;
}

/** Import statements become constants in front, the export statement becomes the object that others read. */
function withoutModuleSyntax(text, reference) {
  const file = ts.createSourceFile("chunk.js", text, ts.ScriptTarget.ESNext, false, ts.ScriptKind.JS);
  let head = "";
  let rest = "";
  let at = 0;
  for (const statement of file.statements) {
    const start = statement.getStart(file);
    let instead;
    if (ts.isImportDeclaration(statement)) {
      head += constantsOf(statement, reference(statement.moduleSpecifier.text));
      instead = "";
    } else if (ts.isExportDeclaration(statement) && statement.moduleSpecifier === undefined) {
      instead = `__exported={${statement.exportClause.elements.map(({ name, propertyName = name }) => `${name.text}:${propertyName.text}`)}};`;
    } else if (ts.isExportAssignment(statement)) {
      instead = `__exported={default:${text.slice(statement.expression.getStart(file), statement.expression.end)}};`;
    } else if (ts.isExportDeclaration(statement) || statement.modifiers?.some(isExport)) {
      throw new Error(`An export of a form that parts do not know: ${text.slice(start, start + 80)}`);
    } else continue;
    rest += text.slice(at, start) + instead;
    at = statement.end;
  }
  return { head, text: rest + text.slice(at) };
}

const isExport = (modifier) => modifier.kind === ts.SyntaxKind.ExportKeyword;

function constantsOf({ importClause }, from) {
  if (importClause === undefined) return `${from};`;
  const { name, namedBindings } = importClause;
  let text = name === undefined ? "" : `const ${name.text}=__default(${from});`;
  if (namedBindings === undefined) return text;
  if (ts.isNamespaceImport(namedBindings)) return `${text}const ${namedBindings.name.text}=__namespace(${from});`;
  const pairs = namedBindings.elements.map((one) => [(one.propertyName ?? one.name).text, one.name.text]);
  for (const [key, local] of pairs) if (key === "default") text += `const ${local}=__default(${from});`;
  const named = pairs.filter(([key]) => key !== "default").map(([key, local]) => `${key}:${local}`);
  return named.length === 0 ? text : `${text}const{${named}}=${from};`;
}

/** `import()` of a part or a package. Code from a code cache has no `import()` of its own. */
function withoutImportCalls(text, { imports }, reference) {
  let rest = text;
  for (const one of imports.filter(({ kind }) => kind === "dynamic-import")) {
    const name = one.external ? one.path : `./${one.path}`;
    const loaded = one.external ? `__namespace(${reference(name)})` : reference(name);
    rest = rest.replaceAll(`import(${JSON.stringify(name)})`, `Promise.resolve().then(()=>${loaded})`);
  }
  return rest;
}

/** The names in front are what `src/cli/parts.ts` calls the function with. */
function scriptOf(parts) {
  return `(function(__part,require,__default,__namespace,__importMetaUrl){return[\n${parts.join(",\n")}\n]})`;
}
