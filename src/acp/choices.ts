import type { SessionConfigOption, SessionModeState } from "@agentclientprotocol/sdk/unstable";
import { deadline, raceAbort } from "#foundation/lifecycle/abort";
import type { OpenSession, PickerItem, SessionInfo, SessionMode } from "#session";

const modes: readonly { readonly id: SessionMode; readonly name: string; readonly description: string }[] = [
  { id: "default", name: "Default", description: "Asks before anything risky" },
  { id: "plan", name: "Plan", description: "Looks and plans; changes nothing" },
  { id: "yolo", name: "Yolo", description: "Asks about nothing" },
];

export function isMode(id: unknown): id is SessionMode {
  return modes.some((mode) => mode.id === id);
}

export function modeOf({ isPlanning, isYolo }: SessionInfo): SessionMode {
  if (isPlanning) return "plan";
  return isYolo ? "yolo" : "default";
}

/** A model in the words of older editors, which choose it with `session/set_model`. */
interface ModelState {
  readonly currentModelId: string;
  readonly availableModels: readonly {
    readonly modelId: string;
    readonly name: string;
    readonly description: string;
  }[];
}

/** What a person can choose in a session, as its editor is told: by options, and in the two older ways. */
export interface SessionChoices {
  readonly modes: SessionModeState;
  readonly models: ModelState;
  readonly configOptions: SessionConfigOption[];
}

export function choicesOf(info: SessionInfo, listed: readonly PickerItem[]): SessionChoices {
  const current = `${info.provider}:${info.model}`;
  const own = { value: current, label: info.model, detail: info.providerLabel, isCurrent: true };
  const models = listed.some(({ value }) => value === current) ? listed : [own, ...listed];
  const mode = modeOf(info);
  return {
    modes: { currentModeId: mode, availableModes: modes.map((one) => ({ ...one })) },
    models: {
      currentModelId: current,
      availableModels: models.map(({ value, label, detail }) => ({ modelId: value, name: label, description: detail })),
    },
    configOptions: [
      {
        id: "mode",
        name: "Mode",
        category: "mode",
        type: "select",
        currentValue: mode,
        options: modes.map(({ id, name, description }) => ({ value: id, name, description })),
      },
      {
        id: "model",
        name: "Model",
        category: "model",
        type: "select",
        currentValue: current,
        options: models.map(({ value, label, detail }) => ({ value, name: label, description: detail })),
      },
    ],
  };
}

/** Lists of providers may have to be fetched; a session does not wait for them. */
const listedWithinMs = 1_000;

/** The models that are known at once; `later` gets them when they take longer. */
export async function listModels(
  session: OpenSession,
  later: (models: readonly PickerItem[]) => void,
): Promise<readonly PickerItem[]> {
  const listing = session
    .submit({ text: "/model" })
    .then((answer) => (answer.kind === "command" && answer.view.kind === "picker" ? answer.view.items : []));
  using soon = deadline(listedWithinMs);
  try {
    return await raceAbort(listing, soon.signal);
  } catch (error) {
    if (!soon.signal.aborted) throw error;
    void listing.then(later, () => undefined);
    return [];
  }
}
