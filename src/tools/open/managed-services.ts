import { deadline, linkSignals } from "#foundation/lifecycle/abort";
import type { ManagedGateway } from "../web/managed-gateway.ts";
import type { ToolsBase } from "./tools-base.ts";

/** A service that the subscription can pay for, and whether it does here. */
export interface ManagedService {
  /** What a person would call it. */
  readonly label: string;
  /** The tools it stands behind. */
  readonly toolNames: readonly string[];
  readonly isActive: boolean;
}

/** Longer than this nobody waits to learn who pays. */
const limitMs = 5_000;

/** An own key counts first, unless the settings say otherwise; the same rules choose the service when a tool runs. */
export async function managedServices(
  { config, env }: Pick<ToolsBase, "config" | "env">,
  gateway: ManagedGateway,
  signal: AbortSignal,
): Promise<readonly ManagedService[]> {
  const { web, browser, image_gen: images, tts } = config;
  const hasNone = (...names: readonly string[]): boolean => names.every((name) => (env[name] ?? "").trim() === "");
  const services = [
    {
      vendor: "firecrawl",
      label: "Web search and pages",
      toolNames: ["web_search", "web_extract"],
      isWanted:
        ["auto", "firecrawl"].includes(web.backend) &&
        (web.use_gateway || hasNone("FIRECRAWL_API_KEY", "FIRECRAWL_API_URL")),
    },
    {
      vendor: "browser-use",
      label: "Browser",
      toolNames: ["browser_navigate"],
      isWanted: browser.cloud_provider === "browser-use" && hasNone("BROWSER_USE_API_KEY"),
    },
    {
      vendor: "fal-queue",
      label: "Images",
      toolNames: ["image_generate"],
      isWanted: images.provider === "fal" && (images.use_gateway || hasNone("FAL_KEY")),
    },
    {
      vendor: "openai-audio",
      label: "Speech",
      toolNames: ["text_to_speech"],
      isWanted: tts.provider === "openai" && hasNone("VOICE_TOOLS_OPENAI_KEY", "OPENAI_API_KEY"),
    },
  ] as const;
  using limit = deadline(limitMs);
  try {
    const within = linkSignals(signal, limit.signal);
    const pays = async ({ vendor, isWanted }: (typeof services)[number]): Promise<boolean> =>
      isWanted && (await gateway(vendor, within)) !== undefined;
    return await Promise.all(
      services.map(async (one) => ({ label: one.label, toolNames: one.toolNames, isActive: await pays(one) })),
    );
  } catch (error) {
    if (signal.aborted || !limit.signal.aborted) throw error;
    return [];
  }
}
