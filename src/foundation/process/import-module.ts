/**
 * Imports a module that is not part of the program: a plugin, a hook, the commands of a memory provider. The built
 * program is one CommonJS file run from a code cache, where `import()` means something else; its launcher leaves the
 * real one under this name.
 */
export async function importModule(address: string): Promise<unknown> {
  const real: unknown = Reflect.get(globalThis, realImport);
  if (typeof real === "function") return await real(address);
  return await import(address);
}

/** Where the launcher leaves the import of the runtime itself. */
export const realImport = Symbol.for("hermes.import");
