/** The version this program writes. Versions 1 to 9 are those of the predecessor. */
export const schemaVersion = 13;
