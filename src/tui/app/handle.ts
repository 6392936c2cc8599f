import { defined } from "#foundation/defined";
import { linkSignals } from "#foundation/lifecycle/abort";
import type { TuiExtension } from "../extension.ts";
import type { TuiFacts, TuiHandle } from "../handle.ts";
import type { UserAction } from "../state/action.ts";
import { type Emojis, mergeEmojis } from "../state/output/tool-line.ts";
import type { BannerFacts } from "../view/banner.ts";
import type { OwnApprovals } from "./own-approvals.ts";

/** What the terminal was told about the program around it, at the start and since. */
export class KnownFacts {
  banner: BannerFacts;
  #toolEmojis: Emojis;

  constructor(banner: BannerFacts, toolEmojis: Emojis = {}) {
    this.banner = banner;
    this.#toolEmojis = toolEmojis;
  }

  learn({ banner, toolEmojis }: TuiFacts): void {
    this.banner = { ...this.banner, ...banner };
    this.#toolEmojis = toolEmojis ?? this.#toolEmojis;
  }

  emojis(ofSkin: Emojis): Emojis {
    return mergeEmojis(ofSkin, this.#toolEmojis);
  }
}

export interface HandleDeps {
  readonly facts: KnownFacts;
  readonly approvals: OwnApprovals;
  readonly signal: AbortSignal;
  readonly skinEmojis: () => Emojis;
  readonly dispatch: (action: UserAction) => void;
  readonly extend: (extensions: readonly TuiExtension[]) => void;
}

export function handleOf(deps: HandleDeps): TuiHandle {
  const { facts, approvals, dispatch } = deps;
  return {
    say: (level, text) => dispatch({ type: "say", level, text }),
    approve: (question, signal) => approvals.ask(question, linkSignals(signal, deps.signal)),
    tell({ branch, isConfigChanged, settings, ...told }) {
      facts.learn(told);
      const { skin, ...display } = settings ?? {};
      const toolEmojis = facts.emojis(deps.skinEmojis());
      dispatch({ type: "settings", settings: { ...display, toolEmojis } });
      if (skin !== undefined) dispatch({ type: "surface", action: { do: "set-skin", name: skin } });
      dispatch({
        type: "facts",
        ...defined({ branch, isConfigChanged }),
      });
    },
    extend: deps.extend,
  };
}
