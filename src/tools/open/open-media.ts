import { tmpdir } from "node:os";
import { defined } from "#foundation/defined";
import { findExecutable, ownEnvironment } from "#foundation/process/platform";
import type { BuiltinDeps } from "../builtin/builtin-deps.ts";
import type { WebExits } from "../confinement/web-exits.ts";
import type { GuardedFiles } from "../files/task-files.ts";
import { opusWith } from "../media/speech/opus.ts";
import type { SpeechSettings } from "../media/speech/provider.ts";
import type { SafeFetch } from "../network/safe-fetch.ts";
import { childEnvironment } from "../terminals/environment-variables.ts";
import type { ManagedGateway } from "../web/managed-gateway.ts";
import type { ToolsBase } from "./tools-base.ts";

export interface MediaOptions {
  readonly fetch: SafeFetch;
  readonly exits: WebExits;
  readonly files: GuardedFiles;
  readonly gateway: ManagedGateway;
  readonly shrink: NonNullable<NonNullable<BuiltinDeps["vision"]>["shrink"]>;
}

type Part<K extends keyof BuiltinDeps> = NonNullable<BuiltinDeps[K]>;

/** `vision_analyze`; without a model it is listed with the reason why it cannot be used. */
export function visionDeps(
  { machine, config }: ToolsBase,
  { fetch, exits, files, shrink }: MediaOptions,
): Part<"vision"> {
  const { vision } = config.auxiliary;
  return {
    fetch,
    exits,
    clock: machine.clock,
    readFile: (input, maxBytes, context) => files.read(input, maxBytes, context),
    shrink,
    downloadTimeoutMs: vision.download_timeout * 1000,
    timeoutMs: vision.timeout * 1000,
    temperature: vision.temperature,
  };
}

/** `text_to_speech` */
export function speechDeps({ machine, config, env }: ToolsBase, { files, gateway }: MediaOptions): Part<"speech"> {
  const ffmpeg = (): string | undefined => findExecutable("ffmpeg", ownEnvironment(env, [machine.cwd, tmpdir()]));
  return {
    speech: {
      provider: config.tts.provider,
      settings: Object.fromEntries(
        Object.entries(config.tts).flatMap(([name, service]) =>
          typeof service === "string" ? [] : [[name, speechSettings(service)]],
        ),
      ),
      env,
      clock: machine.clock,
      gateway,
    },
    folder: machine.home.audioCache,
    toOpus: (source, target, signal) => {
      const program = ffmpeg();
      if (program === undefined) return Promise.resolve(false);
      return opusWith(program, childEnvironment(env, { policy: "minimal" }))(source, target, signal);
    },
    writablePath: (input, context) => files.writable(input, context),
  };
}

interface SpeechService {
  readonly voice: string;
  readonly model: string;
  readonly base_url?: string | undefined;
  readonly max_text_length?: number | undefined;
  readonly speed: number;
  readonly options: Readonly<Record<string, unknown>>;
}

/** An empty word in the settings leaves the choice to the service. */
function speechSettings({ voice, model, base_url, max_text_length, speed, options }: SpeechService): SpeechSettings {
  return {
    ...(voice === "" ? {} : { voice }),
    ...(model === "" ? {} : { model }),
    ...(base_url === undefined || base_url === "" ? {} : { baseUrl: base_url }),
    ...defined({ maxTextLength: max_text_length }),
    ...(speed === 1 ? {} : { speed }),
    ...(Object.keys(options).length === 0 ? {} : { options }),
  };
}

/** `mixture_of_agents` */
export function mixtureDeps({ machine, config }: ToolsBase): Part<"mixture"> {
  const { moa } = config;
  return {
    clock: machine.clock,
    options: {
      referenceModels: moa.reference_models,
      aggregatorModel: moa.aggregator_model,
      timeoutMs: moa.timeout_seconds * 1000,
      ...defined({ maxUsd: moa.max_usd }),
    },
  };
}
