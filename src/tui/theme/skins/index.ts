import { applySkin, type Skin, type SkinChange } from "../skin.ts";
import { ares } from "./ares.ts";
import { charizard } from "./charizard.ts";
import { daylight } from "./daylight.ts";
import { defaultSkin } from "./default.ts";
import { mono } from "./mono.ts";
import { poseidon } from "./poseidon.ts";
import { sisyphus } from "./sisyphus.ts";
import { slate } from "./slate.ts";
import { warmLightmode } from "./warm-lightmode.ts";

const changes: readonly SkinChange[] = [ares, mono, slate, daylight, warmLightmode, poseidon, sisyphus, charizard];

/** The nine skins that come with Hermes, in the order they are listed. */
export const builtInSkins: readonly Skin[] = [defaultSkin, ...changes.map((change) => applySkin(defaultSkin, change))];

export { defaultSkin };
