import { credentialExposure } from "./patterns/credential-exposure.ts";
import { destructive } from "./patterns/destructive.ts";
import { execution } from "./patterns/execution.ts";
import { exfiltration } from "./patterns/exfiltration.ts";
import { injection } from "./patterns/injection.ts";
import { mining } from "./patterns/mining.ts";
import { network } from "./patterns/network.ts";
import { obfuscation } from "./patterns/obfuscation.ts";
import { persistence } from "./patterns/persistence.ts";
import { privilegeEscalation } from "./patterns/privilege-escalation.ts";
import { supplyChain } from "./patterns/supply-chain.ts";
import { traversal } from "./patterns/traversal.ts";
import type { GuardRule } from "./rule.ts";

/** Every pattern of the guard, by category. */
export const guardRules: readonly GuardRule[] = [
  ...exfiltration,
  ...injection,
  ...destructive,
  ...persistence,
  ...network,
  ...obfuscation,
  ...execution,
  ...traversal,
  ...mining,
  ...supplyChain,
  ...privilegeEscalation,
  ...credentialExposure,
];
