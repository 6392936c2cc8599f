import { getParser, listParsers } from "#model";

const calls = 40;
const rounds = 30;

/** How fast each text parser reads a reply with forty calls and some words around them. */
export function parserTable(): readonly { readonly parser: string; readonly mbPerSecond: number }[] {
  return listParsers().map((name) => {
    const parser = getParser(name);
    const words = "I will look at the files first and then run the tests. ".repeat(20);
    const rendered = parser.render(
      Array.from({ length: calls }, (_, index) => ({
        name: "write_file",
        arguments: `{"path": "src/file-${index}.ts", "content": "${"const value = 1; ".repeat(40)}"}`,
      })),
    );
    const text = `${words}\n${rendered}`;
    for (let warm = 0; warm < 5; warm += 1) parser.parse(text);
    const startedAt = performance.now();
    for (let round = 0; round < rounds; round += 1) parser.parse(text);
    const seconds = (performance.now() - startedAt) / 1000;
    return { parser: name, mbPerSecond: Math.round((text.length * rounds) / seconds / 1e6) };
  });
}
