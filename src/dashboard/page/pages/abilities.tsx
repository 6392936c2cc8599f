import type { VNode } from "preact";
import { useState } from "preact/hooks";
import type { PageProps } from "../shell/page-props.tsx";
import { useAction } from "../shell/use-action.tsx";
import { useLoaded } from "../shell/use-loaded.tsx";
import { Loading } from "./loading.tsx";
import { Problem } from "./problem.tsx";

interface Skill {
  readonly name: string;
  readonly category: string;
  readonly description: string;
  readonly source: string;
  readonly trust: string;
  readonly state: "usable" | "disabled" | "unsupported";
  readonly pin: string | null;
}

interface Toolset {
  readonly name: string;
  readonly description: string;
  readonly tools: readonly string[];
  readonly is_on: boolean;
  readonly is_available: boolean;
  readonly pinned: readonly string[];
}

const surfaces = ["dashboard", "cli", "cron"];

/** What Hermes can do, where it came from, and what of it is switched on for a surface. */
export function AbilitiesPage({ api }: PageProps): VNode {
  const [words, setWords] = useState("");
  const [surface, setSurface] = useState("dashboard");
  const [skills, lookAtSkills] = useLoaded<{ readonly skills: readonly Skill[] }>(api, `skills?platform=${surface}`);
  const [tools, lookAtTools] = useLoaded<{ readonly toolsets: readonly Toolset[] }>(
    api,
    `tools/toolsets?platform=${surface}`,
  );
  const skillAction = useAction(lookAtSkills);
  const toolAction = useAction(lookAtTools);
  const isFound = (...texts: readonly string[]): boolean =>
    texts.join(" ").toLowerCase().includes(words.trim().toLowerCase());
  const body = (name: string, isOn: boolean) => ({ name, platform: surface, state: isOn ? "on" : "off" });
  return (
    <>
      <h1>Skills and tools</h1>
      <input
        type="search"
        aria-label="Search skills and tools"
        placeholder="Search skills and tools"
        value={words}
        onInput={(event) => setWords(event.currentTarget.value)}
      />{" "}
      <label>
        For{" "}
        <select value={surface} onChange={(event) => setSurface(event.currentTarget.value)}>
          {surfaces.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </label>
      <p class="hint">Changes apply to the next conversation.</p>
      <Problem text={skillAction.problem + toolAction.problem} />
      <h2>Toolsets</h2>
      <Loading of={tools}>
        {({ toolsets }) => (
          <ToolsetRows
            toolsets={toolsets.filter((one) => isFound(one.name, one.description, ...one.tools))}
            onSwitch={(name, isOn) => void toolAction.run(api.send("PUT", "tools/toolsets/toggle", body(name, isOn)))}
          />
        )}
      </Loading>
      <h2>Skills</h2>
      <Loading of={skills}>
        {(loaded) => (
          <SkillRows
            skills={loaded.skills.filter((one) => isFound(one.name, one.description, one.category, one.source))}
            onSwitch={(name, isOn) => void skillAction.run(api.send("PUT", "skills/toggle", body(name, isOn)))}
          />
        )}
      </Loading>
    </>
  );
}

function ToolsetRows({
  toolsets,
  onSwitch,
}: {
  readonly toolsets: readonly Toolset[];
  onSwitch(name: string, isOn: boolean): void;
}): VNode {
  return (
    <ul class="rows">
      {toolsets.map(({ name, description, tools, is_on: isOn, is_available: isAvailable, pinned }) => (
        <li key={name}>
          <label>
            <input
              type="checkbox"
              checked={isOn}
              disabled={!isAvailable}
              onChange={(event) => onSwitch(name, event.currentTarget.checked)}
            />{" "}
            <strong>{name}</strong>
          </label>{" "}
          {description} <small>{isAvailable ? tools.join(", ") : "not available in this version"}</small>
          {pinned.length > 0 && <small> Pinned as first seen: {pinned.join(", ")}</small>}
        </li>
      ))}
      {toolsets.length === 0 && <li>Nothing was found.</li>}
    </ul>
  );
}

function SkillRows({
  skills,
  onSwitch,
}: {
  readonly skills: readonly Skill[];
  onSwitch(name: string, isOn: boolean): void;
}): VNode {
  return (
    <ul class="rows">
      {skills.map(({ name, description, category, source, trust, state, pin }) => (
        <li key={`${category}/${name}`}>
          <label>
            <input
              type="checkbox"
              checked={state === "usable"}
              disabled={state === "unsupported"}
              onChange={(event) => onSwitch(name, event.currentTarget.checked)}
            />{" "}
            <strong>{name}</strong>
          </label>{" "}
          {description}{" "}
          <small>
            {category}, {source === trust ? source : `${source}, ${trust}`}
            {state === "unsupported" ? ", not for this machine" : ""}
            {pin === null ? "" : `, pinned at ${pin.slice(0, 12)}`}
          </small>
        </li>
      ))}
      {skills.length === 0 && <li>Nothing was found.</li>}
    </ul>
  );
}
