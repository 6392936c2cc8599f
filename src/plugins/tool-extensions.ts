import { never } from "#foundation/lifecycle/abort";
import { isRecord } from "#foundation/text/json";
import type { ApprovalRequest, GeneratedImage, ImageProvider, ToolExtensions } from "#tools";
import type { ImageGenProvider } from "./api.ts";
import type { Contributions } from "./contributions.ts";
import { hookedCalls } from "./hooks/call-observer.ts";
import type { SessionHooks } from "./hooks/hooks.ts";

export interface ExtensionDeps {
  hooksFor(sessionKey: string): SessionHooks;
  readonly contributions: Pick<Contributions, "imageGenProviders" | "terminals">;
}

/** What plugins add to tools, in the words of tools. */
export function toolExtensions({ hooksFor, contributions }: ExtensionDeps): ToolExtensions {
  return {
    observe: (turn) => hookedCalls(hooksFor(turn.scope.key), turn),
    async onAsk(request, signal) {
      const hooks = hooksFor(request.sessionKey);
      if (hooks.has("approval_requested")) await hooks.notify("approval_requested", asked(request), signal);
    },
    async onAnswer(request, choice) {
      const hooks = hooksFor(request.sessionKey);
      if (hooks.has("approval_resolved"))
        await hooks.notify("approval_resolved", { ...asked(request), choice, by: "approver" }, never);
    },
    async transformOutput(output, { command, exitCode, taskId, scope, terminalKind }) {
      const hooks = hooksFor(scope.key);
      if (!hooks.has("transform_terminal_output")) return undefined;
      const payload = { command, output, returncode: exitCode, task_id: taskId, env_type: terminalKind };
      return await hooks.transform("transform_terminal_output", payload, never);
    },
    imageProviders: () =>
      [...contributions.imageGenProviders.values()].filter((one) => one.isAvailable()).map(imageProvider),
    terminals: () => contributions.terminals,
  };
}

function asked({ summary, findings }: ApprovalRequest) {
  return { command: summary, keys: findings.map((finding) => finding.key) };
}

/** A plugin's maker of images as one of ours; what it answers is checked by the tool. */
export function imageProvider(provider: ImageGenProvider): ImageProvider {
  return {
    name: provider.name,
    generate: async ({ prompt, aspectRatio }) => toImage(await provider.generate({ prompt, aspectRatio })),
  };
}

/** Plugins answer with an address, a path, or the map that the tool itself would give. */
export function toImage(answer: unknown): GeneratedImage {
  if (typeof answer === "string" && answer !== "") return imageAt(answer);
  if (!isRecord(answer)) return noImage("the plugin gave no image");
  if (answer["success"] === false) {
    const { error, error_type } = answer;
    const type = typeof error_type === "string" ? error_type : "provider_exception";
    return noImage(typeof error === "string" ? error : "the plugin could not make the image", type);
  }
  const { file_path, path, image, url } = answer;
  const location = [file_path, path, image, url].find((one) => typeof one === "string" && one !== "");
  return typeof location === "string" ? imageAt(location) : noImage("the plugin gave no image");
}

function imageAt(location: string): GeneratedImage {
  return /^(?:https?|data):/i.test(location) ? { kind: "image", url: location } : { kind: "file", path: location };
}

function noImage(error: string, type = "provider_contract"): GeneratedImage {
  return { kind: "failed", error, type };
}
