export { LocalServer } from "./client/local-server.ts";
export { engineBytes, engineFolder, enginePlatform, hasEngine, installEngine } from "./engine/install.ts";
export { byFit, type CatalogueModel, catalogue, catalogueDate, suggestedModel } from "./files/catalogue.ts";
export { type LocalModelFile, ModelLibrary } from "./files/library.ts";
export { pullModel } from "./files/pull.ts";
