import type { ListedModel } from "./model-entry.ts";

/** The entry meant by a name: the same id, else the only one there is, else the id closest to it that contains it or is contained. */
export function findListed(models: readonly ListedModel[], wanted: string): ListedModel | undefined {
  const exact = models.find(({ id }) => id === wanted);
  if (exact !== undefined || models.length === 1) return exact ?? models[0];
  const name = wanted.toLowerCase();
  const distance = ({ id }: ListedModel): number => Math.abs(id.length - wanted.length);
  const isNear = (id: string): boolean => id.includes(name) || name.includes(id);
  return models
    .filter(({ id }) => isNear(id.toLowerCase()))
    .toSorted((one, other) => distance(one) - distance(other))[0];
}
