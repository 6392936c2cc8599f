/** Colours, symbols and words of the terminal. */
export { type ReadSkin, readSkin } from "./read-skin.ts";
export type { Skin } from "./skin.ts";
export { builtInSkins, defaultSkin } from "./skins.ts";
export { type ColorDepth, colorDepthOf, readColor, type Style, type StyleMap, sgrOf } from "./style.ts";
export { stylesOf } from "./styles.ts";
