import { assertApproved } from "../../approval/assert-approved.ts";
import type { ApprovalGate } from "../../contract/approval-request.ts";
import type { ToolContext } from "../../contract/context.ts";
import { defineTool } from "../../contract/define-tool.ts";
import type { ToolResult } from "../../contract/result.ts";
import type { Availability, Tool } from "../../contract/tool.ts";
import type { TrainingSteps } from "../../contract/training.ts";
import type { BuiltinTools } from "../builtin-deps.ts";

export interface TrainingDeps {
  readonly gate: ApprovalGate;
  /** Whether there is a trainer to start. */
  check(): Availability;
  steps(): Promise<TrainingSteps>;
}

/** The ten steps of a training: find an environment, set it up, try it, train, look at what came of it. */
function createTrainingTools(deps: TrainingDeps): readonly Tool[] {
  const check = (): Availability => deps.check();
  return [...preparing(deps, check), ...running(deps, check)];
}

function shared(deps: TrainingDeps, check: () => Availability) {
  const common = {
    toolset: "rl",
    emoji: "🎯",
    requiresEnv: ["TINKER_API_KEY", "WANDB_API_KEY"],
    check,
  };
  const reader = { ...common, concurrency: "safe", effects: "none" } as const;
  const writer = { ...common, effects: "elsewhere", isIdempotent: false } as const;
  const through =
    (name: string) =>
    (args: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult> =>
      ask(deps, { name, args }, context);
  return { reader, writer, through };
}

const nothing = { type: "object", properties: {} } as const;
const ofRun = {
  type: "object",
  properties: { run_id: { type: "string", description: "As rl_start_training named it" } },
  required: ["run_id"],
} as const;

function preparing(deps: TrainingDeps, check: () => Availability): readonly Tool[] {
  const { reader, writer, through } = shared(deps, check);
  return [
    defineTool({
      ...reader,
      name: "rl_list_environments",
      description: "First step of a training: list the environments there are.",
      parameters: nothing,
      run: through("rl_list_environments"),
    }),
    defineTool({
      ...writer,
      name: "rl_select_environment",
      description: "Second step of a training: choose the environment; its configuration starts from the usual values.",
      parameters: {
        type: "object",
        properties: { name: { type: "string", description: "As rl_list_environments names it" } },
        required: ["name"],
      },
      run: through("rl_select_environment"),
    }),
    defineTool({
      ...reader,
      name: "rl_get_current_config",
      description:
        "Third step of a training: see the fields of the chosen environment, those that can be set and those that are locked.",
      parameters: nothing,
      run: through("rl_get_current_config"),
    }),
    defineTool({
      ...writer,
      name: "rl_edit_config",
      description: "Third step of a training: set one field of the chosen environment; locked ones are refused.",
      parameters: {
        type: "object",
        properties: { field: { type: "string" }, value: { description: "Text, number, true, false, or a list" } },
        required: ["field", "value"],
      },
      run: through("rl_edit_config"),
    }),
    defineTool({
      ...writer,
      name: "rl_test_inference",
      description:
        "Fourth step, always before training: let a few models try the environment, to see that its rewards work.",
      parameters: {
        type: "object",
        properties: {
          num_steps: { type: "integer", description: "Items to try (3)" },
          group_size: { type: "integer", description: "Attempts at each item (16)" },
          models: {
            type: "array",
            items: { type: "string" },
            description: "Models to try; absent: a small, a medium and a large one",
          },
        },
      },
      run: async (args, context) => {
        await assertWanted(deps, { name: "rl_test_inference", does: "start test rollouts, which cost money" }, context);
        return await ask(deps, { name: "rl_test_inference", args }, context);
      },
    }),
  ];
}

function running(deps: TrainingDeps, check: () => Availability): readonly Tool[] {
  const { reader, writer, through } = shared(deps, check);
  return [
    defineTool({
      ...writer,
      name: "rl_start_training",
      description: "Fifth step of a training: start it. It goes on in the background, for hours.",
      parameters: nothing,
      run: async (args, context) => {
        await assertWanted(
          deps,
          { name: "rl_start_training", does: "start a training run, which costs money" },
          context,
        );
        return await ask(deps, { name: "rl_start_training", args }, context);
      },
    }),
    defineTool({
      ...reader,
      name: "rl_check_status",
      description: "Sixth step of a training: see how a run is doing, at most every 30 minutes.",
      parameters: ofRun,
      run: through("rl_check_status"),
    }),
    defineTool({
      ...writer,
      name: "rl_stop_training",
      description: "Stop a training run that goes wrong or is good enough.",
      parameters: ofRun,
      run: through("rl_stop_training"),
    }),
    defineTool({
      ...reader,
      name: "rl_get_results",
      description: "Last step of a training: see what came of a run.",
      parameters: ofRun,
      run: through("rl_get_results"),
    }),
    defineTool({
      ...reader,
      name: "rl_list_runs",
      description: "List all training runs, those of earlier sessions too.",
      parameters: nothing,
      run: through("rl_list_runs"),
    }),
  ];
}

interface Wanted {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

async function ask(deps: TrainingDeps, { name, args }: Wanted, context: ToolContext): Promise<ToolResult> {
  const { scope, signal } = context;
  const steps = await deps.steps();
  const answer = await steps.answer(name, args, { sessionKey: scope.key, cwd: scope.cwd, signal });
  return { content: JSON.stringify(answer, undefined, 2), isError: "error" in answer };
}

/** What is started are programs the person configured, never words of the model; they cost money, so somebody has to want it. */
async function assertWanted({ gate }: TrainingDeps, action: { name: string; does: string }, context: ToolContext) {
  const { name, does } = action;
  const asked = { tool: name, summary: name, key: `rl ${does}`, description: does, cwd: context.scope.cwd };
  await assertApproved(gate, asked, context);
}

export const builtin: BuiltinTools = ({ training }) => (training === undefined ? [] : createTrainingTools(training));
