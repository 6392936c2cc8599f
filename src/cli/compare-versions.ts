/** Numbers by value; a pre-release is older than its release. */
export function compareVersions(left: string, right: string): number {
  const [a, b] = [left, right].map((text) => {
    const [numbers = "", pre] = text.split("+")[0]?.split(/-(.*)/s) ?? [];
    return { numbers: numbers.split(".").map(Number), pre };
  });
  for (const index of [0, 1, 2]) {
    const difference = (a?.numbers[index] ?? 0) - (b?.numbers[index] ?? 0);
    if (difference !== 0) return Math.sign(difference);
  }
  if (a?.pre === b?.pre) return 0;
  if (a?.pre === undefined || b?.pre === undefined) return a?.pre === undefined ? 1 : -1;
  return a.pre < b.pre ? -1 : 1;
}
