import { atom, bind, bundle, type Phases } from "./phases.ts";
import { wordsOf } from "./words.ts";

/** Changes whenever a fact would be encoded differently; older encodings are made anew. */
export const encodingVersion = 1;

const contentRole = atom("hermes:role:content");
const entityRole = atom("hermes:role:entity");

/** What a text says, without order. */
function encodeText(text: string): Phases {
  const words = wordsOf(text);
  return bundle(words.length === 0 ? [atom("hermes:empty")] : words.map((word) => atom(`word:${word}`)));
}

/** A fact holds what it says and each thing it is about, each in its role, in one vector. */
export function encodeFact(content: string, entities: readonly string[]): Phases {
  return bundle([sayingKey(content), ...entities.map(aboutKey)]);
}

/** A fact is like this key as far as it says what the text says. */
export function sayingKey(text: string): Phases {
  return bind(encodeText(text), contentRole);
}

/** A fact is like this key when it is about the entity; about 0 when it merely mentions the word. */
export function aboutKey(entity: string): Phases {
  return bind(atom(`entity:${entity.toLowerCase()}`), entityRole);
}
