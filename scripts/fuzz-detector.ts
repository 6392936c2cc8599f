import { canFuzz, fuzz, shrink } from "../test/proofs/shell-fuzz.ts";

const argument = (name: string, otherwise: number): number => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
};

if (!canFuzz()) {
  console.log("This needs bash and bubblewrap.");
  process.exitCode = 1;
} else {
  const seed = argument("seed", Date.now() % 1_000_000);
  const { lines, programs, found } = await fuzz({
    seconds: argument("seconds", 60),
    seed,
    batch: argument("batch", 200),
  });
  console.log(`seed ${seed}: ${lines} lines, ${programs} programs started by bash, ${found.length} not seen`);
  const shown = [...new Set(found.map((one) => one.line))].slice(0, argument("show", 10));
  for (const line of shown) {
    const short = (await shrink(line)) ?? found.find((one) => one.line === line);
    console.log(`${JSON.stringify(short?.line)}\n    started ${JSON.stringify(short?.started)}`);
  }
  process.exitCode = found.length === 0 ? 0 : 1;
}
