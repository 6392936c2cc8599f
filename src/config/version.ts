/** Layout of `config.yaml` this program writes. Older files are migrated in memory, newer ones are read only. */
export const currentConfigVersion = 22;
