import { truncateEnd } from "#foundation/text/text";
import type { SkillCapability } from "../library/capability.ts";
import { readSkillText } from "../library/skill.ts";
import { type GuardFinding, type Severity, type Verdict, verdictOf } from "./finding.ts";
import { inferCapabilities, undeclaredFindings } from "./infer-capabilities.ts";
import { guardRules } from "./rules.ts";
import { readSkillTree, type SkillTree } from "./skill-tree.ts";
import { checkStructure, isRead } from "./structure.ts";
import { invisible, type LogicalLine, logicalLines } from "./text-lines.ts";

/** What the guard has to say about a skill. */
export interface GuardReport {
  readonly verdict: Verdict;
  /** Worst first. */
  readonly findings: readonly GuardFinding[];
  readonly capabilities: {
    /** Undefined: the skill declares nothing. */
    readonly declared: readonly SkillCapability[] | undefined;
    readonly used: readonly SkillCapability[];
  };
}

const order: readonly Severity[] = ["critical", "high", "medium", "low", "notice"];
/** The same pattern is reported a few times per file, not hundreds of times. */
const maxPerRuleAndFile = 3;

export async function scanFolder(folder: string): Promise<GuardReport> {
  return await scanTree(await readSkillTree(folder));
}

export async function scanTree(tree: SkillTree): Promise<GuardReport> {
  const texts = tree.files
    .filter((file) => isRead(file.path, file.bytes))
    .map(({ path, bytes }) => {
      const text = new TextDecoder().decode(bytes).replaceAll("\0", "");
      return { path, text, lines: logicalLines(text) };
    });
  const main = texts.find(({ path }) => path === "SKILL.md");
  const declared = (await readSkillText(main?.text ?? "", "")).facts.capabilities;
  const inferred = inferCapabilities(texts);
  const findings = [
    ...checkStructure(tree),
    ...texts.flatMap(({ path, text }) => invisibleFindings(path, text)),
    ...texts.flatMap(({ path, lines }) => patternFindings(path, lines)),
    ...undeclaredFindings(inferred, declared),
  ].sort((left, right) => order.indexOf(left.severity) - order.indexOf(right.severity));
  return {
    verdict: verdictOf(findings),
    findings,
    capabilities: { declared, used: inferred.map(({ capability }) => capability) },
  };
}

function patternFindings(file: string, lines: readonly LogicalLine[]): readonly GuardFinding[] {
  return guardRules.flatMap(({ id, category, severity, says, pattern }) =>
    lines
      .flatMap(({ text, line }) => {
        const match = pattern.exec(text);
        return match === null
          ? []
          : [{ id, category, severity, says, file, line, excerpt: excerptOf(text, match.index) }];
      })
      .slice(0, maxPerRuleAndFile),
  );
}

function excerptOf(text: string, at: number): string {
  return truncateEnd(text.slice(Math.max(0, at - 20)).trim(), 120);
}

/** A joiner inside an emoji is how emoji are written; everything else that cannot be seen is there for a reason. */
const emojiJoiner = /(?<=\p{Extended_Pictographic}|\ufe0f|[\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})/gu;

function invisibleFindings(file: string, text: string): readonly GuardFinding[] {
  const lines = text
    .replace(/^\ufeff/, "")
    .replace(emojiJoiner, "")
    .split("\n");
  return lines
    .flatMap((line, index) => {
      const seen = line.match(invisible);
      if (seen === null) return [];
      const isTag = seen.some((one) => one.length > 1);
      const isDirection = seen.some((one) => /[\u202a-\u202e\u2066-\u2069]/.test(one));
      return [
        {
          id: isTag ? "tag-characters" : isDirection ? "direction-override" : "invisible-characters",
          category: "invisible" as const,
          severity: isTag ? ("critical" as const) : ("high" as const),
          says: isTag ? "carries text that only a model can see" : "contains characters that cannot be seen",
          file,
          line: index + 1,
        },
      ];
    })
    .slice(0, maxPerRuleAndFile);
}
