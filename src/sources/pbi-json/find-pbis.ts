import type { MetadataValue } from '../../core/metadata.js';
import { childPath, fieldOf, isJsonObject, type JsonObject, nameOfType } from './pbi-schema.js';

/** Something that stands where a PBI is expected. */
export interface PbiCandidate {
  /** JSON path inside the file: `$.scored_pbis[0].pbi`. */
  readonly path: string;
  readonly pbi: JsonObject;
}

export interface FoundPbis {
  readonly candidates: readonly PbiCandidate[];
  /** Places that should hold a PBI and hold something else. */
  readonly misplaced: readonly { readonly path: string; readonly actual: string }[];
  /** Whether there was any place for PBIs at all, even an empty one. */
  readonly hasPlace: boolean;
}

/**
 * Where PBIs stand in a pipeline output. One of these, and nowhere else:
 *
 * 1. the file itself, or each element where the file is an array;
 * 2. each element of an array under a key named `pbis` or ending in `_pbis`, `PBIs` or `Pbis`, at any depth;
 * 3. in both cases, the object under its key `pbi` where there is one (`{ "pbi": {...}, "scores": {...} }`).
 *
 * Rule 1 takes an object for a PBI when it has `id` and `title`, and for a wrapper around rule 2 otherwise. A run may
 * carry both as well: it is a wrapper when it has neither `description` nor `acceptance_criteria` and one of its own
 * members is an array of rule 2 with an object in it. Nothing inside a PBI is searched, so its `related_pbis` stay its own.
 */
export function findPbis(file: MetadataValue): FoundPbis {
  const finder = new PbiFinder();
  if (Array.isArray(file)) finder.takeElements(file, '$');
  else finder.takeFile(file);
  return finder;
}

const CONTAINER_NAME = /^(?:pbis|PBIs|.+(?:_pbis|PBIs|Pbis))$/;

const isContainer = (name: string, value: MetadataValue): value is readonly MetadataValue[] =>
  CONTAINER_NAME.test(name) && Array.isArray(value);

const has = (object: JsonObject, ...names: string[]): boolean =>
  names.every((name) => Object.hasOwn(object, name));

function isPbi(object: JsonObject): boolean {
  if (!has(object, 'id', 'title')) return false;
  if (has(object, 'description') || has(object, 'acceptance_criteria')) return true;
  return !Object.entries(object).some(
    ([name, value]) => isContainer(name, value) && value.some((element) => isJsonObject(element)),
  );
}

class PbiFinder implements FoundPbis {
  readonly candidates: PbiCandidate[] = [];
  readonly misplaced: { path: string; actual: string }[] = [];
  hasPlace = false;

  takeFile(file: MetadataValue): void {
    if (!isJsonObject(file)) return;
    const isBroken = has(file, 'id') || has(file, 'title');
    if (isPbi(file) || has(file, 'pbi') || (!this.#searchWrapper(file, '$') && isBroken))
      this.#take(file, '$');
  }

  /** Elements of the file's own array: PBIs, or whole outputs one after another. */
  takeElements(elements: readonly MetadataValue[], path: string): void {
    this.hasPlace = true;
    for (const [i, element] of elements.entries()) {
      const at = `${path}[${i}]`;
      const isWrapper = isJsonObject(element) && !isPbi(element) && !has(element, 'pbi');
      if (!isWrapper || !this.#searchWrapper(element, at)) this.#take(element, at);
    }
  }

  #take(value: MetadataValue, path: string): void {
    this.hasPlace = true;
    const inner = isJsonObject(value) ? fieldOf(value, 'pbi') : undefined;
    const [found, at] = inner === undefined || inner === null ? [value, path] : [inner, `${path}.pbi`];
    if (isJsonObject(found)) this.candidates.push({ path: at, pbi: found });
    else this.misplaced.push({ path: at, actual: nameOfType(found) });
  }

  /** Whether any place of rule 2 was found. */
  #searchWrapper(value: JsonObject, path: string): boolean {
    let found = false;
    for (const [name, member] of Object.entries(value)) {
      const at = childPath(path, name);
      if (isContainer(name, member)) {
        found = true;
        this.hasPlace = true;
        for (const [i, element] of member.entries()) this.#take(element, `${at}[${i}]`);
      } else if (this.#searchMember(member, at)) found = true;
    }
    return found;
  }

  #searchMember(value: MetadataValue, path: string): boolean {
    if (Array.isArray(value)) {
      return value
        .map((element: MetadataValue, i) => this.#searchMember(element, `${path}[${i}]`))
        .includes(true);
    }
    return isJsonObject(value) && !isPbi(value) && this.#searchWrapper(value, path);
  }
}
