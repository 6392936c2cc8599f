import { existsSync } from "node:fs";
import path from "node:path";
import { shippedSkills } from "./skills.ts";

/** The folder of the repository this program runs from; undefined when it was installed as a package. */
export function checkoutFolder(): string | undefined {
  const skills = shippedSkills();
  const root = path.dirname(skills);
  return skills !== "" && existsSync(path.join(root, ".git")) ? root : undefined;
}
