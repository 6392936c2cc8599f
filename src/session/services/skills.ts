import { never } from "#foundation/lifecycle/abort";
import { renderInvocation, type SkillHub, type SkillLibrary, type SkillLoader, skillCommands } from "#skills";
import type { SessionScope } from "#tools";

export interface SkillService {
  /** Slash names of visible skills. */
  commands(): Promise<readonly { readonly slug: string; readonly description: string }[]>;
  /** Which skills cannot be called by a slash, where these names are taken, and why. */
  unreachable(taken: ReadonlySet<string>): Promise<readonly string[]>;
  /** The message a skill command becomes: what is sent and what is stored. */
  invoke(
    slug: string,
    text: string,
    signal: AbortSignal,
  ): Promise<{ readonly sent: string; readonly stored: string } | undefined>;
  /** Where other skills come from. */
  hub(): Promise<SkillHub>;
}

export interface SkillServiceDeps {
  /** Where other skills come from, for somebody in this folder; made at first use. */
  hub(cwd: string): Promise<SkillHub>;
  readonly library: SkillLibrary;
  readonly loader: SkillLoader;
  readonly scope: SessionScope;
  readonly sessionId: string;
}

export function skillService({ library, loader, scope, sessionId, hub }: SkillServiceDeps): SkillService {
  const none: ReadonlySet<string> = new Set();
  const all = async (signal: AbortSignal, taken = none) =>
    skillCommands(await library.visible(scope.source, signal), taken);
  return {
    unreachable: async (taken) => (await all(never, taken)).warnings,
    hub: () => hub(scope.cwd),
    commands: async () =>
      [...(await all(never)).commands.values()].map(({ slug, skill }) => ({
        slug,
        description: skill.facts.description,
      })),
    async invoke(slug, text, signal) {
      const command = (await all(signal)).commands.get(slug);
      if (command === undefined) return undefined;
      const outcome = await loader.load(command.skill.name, { scope, sessionId, signal });
      if (outcome.kind !== "loaded") return undefined;
      const line = text === "" ? `/${slug}` : `/${slug} ${text}`;
      const message = renderInvocation(outcome.loaded, { line, text });
      return { sent: message.userMessage, stored: message.persistUserMessage };
    },
  };
}
