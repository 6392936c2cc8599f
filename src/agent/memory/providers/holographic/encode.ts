import { atom, bind, bundle, likeness, type Phases, unbind } from "./phases.ts";
import { wordsOf } from "./words.ts";

/** Changes whenever a fact would be encoded differently; older encodings are made anew. */
export const encodingVersion = 1;

const contentRole = atom("hermes:role:content");
const entityRole = atom("hermes:role:entity");

/** What a text says, without order. */
export function encodeText(text: string): Phases {
  const words = wordsOf(text);
  return bundle(words.length === 0 ? [atom("hermes:empty")] : words.map((word) => atom(`word:${word}`)));
}

/** A fact holds what it says and each thing it is about, each in its role, in one vector. */
export function encodeFact(content: string, entities: readonly string[]): Phases {
  return bundle([
    bind(encodeText(content), contentRole),
    ...entities.map((entity) => bind(encodeEntity(entity), entityRole)),
  ]);
}

export function encodeEntity(name: string): Phases {
  return atom(`entity:${name.toLowerCase()}`);
}

/** How much a fact says what the text says. */
export function saysLike(fact: Phases, text: Phases): number {
  return likeness(unbind(fact, contentRole), text);
}

/** How clearly a fact is about the entity; about 0 when it is not. */
export function isAbout(fact: Phases, entity: Phases): number {
  return likeness(unbind(fact, entityRole), entity);
}
