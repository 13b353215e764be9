import type { TextRange } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { FOLDED_KEY, UNLIFTED_KEY } from '../../core/pushed-fields.js';
import { type Label, labelReader } from '../label-reader.js';
import { containersOf, type JsonContainer, type JsonPart } from './json-scanner.js';
import {
  type Header,
  headerOf,
  isAddress,
  isValue,
  type Part,
  pairedParts,
  recordLabels,
} from './paired-parts.js';
import { fieldsNamed, foldedNames, restNames, type StatedFields } from './stated-names.js';

/** Headers of one length: where the first stands, how many there are, and the names of all by their columns. */
interface HeaderGroup {
  readonly start: number;
  count: number;
  readonly columns: Map<number, readonly string[]>;
}

/** Headers by their length, of all lists and of those inside of one. */
class Headers {
  readonly #groups = new Map<string, HeaderGroup>();

  add({ length, columns }: Header, start: number, parent: number | undefined): void {
    for (const key of [`${length}`, `${length} in ${parent}`]) {
      const group = this.#groups.get(key) ?? { start, count: 0, columns: new Map() };
      group.count += 1;
      for (const [at, named] of columns)
        group.columns.set(at, [...new Set([...(group.columns.get(at) ?? []), ...named])]);
      this.#groups.set(key, group);
    }
  }

  /** What a list holds in the columns that a header names: items of a row or of a list beside it, or whole columns. */
  columnsOf({ isList, parts, start, parent }: JsonContainer): Header['columns'] {
    const { length } = parts;
    if (!isList || !this.#groups.has(`${length}`)) return NO_COLUMNS;
    const isOfColumns = parts.every(({ inner }) => inner?.isList === true && inner.parts.length !== length);
    const isAny = isOfColumns || parent?.isList === true || parent?.parent?.isList === true;
    const group = this.#groups.get(isAny ? `${length}` : `${length} in ${parent?.start}`);
    const isOther = group !== undefined && (group.count > 1 || group.start !== start);
    return isOther ? group.columns : NO_COLUMNS;
  }
}

/**
 * Where valid JSON, of whatever size, states fields: members of their name, members beside one whose value is the name, columns of rows below a
 * list of names, and texts that state one themselves.
 *
 * @param isStating whether a text that is a value does
 */
export function inJson(
  json: string,
  names: readonly string[],
  isStating: (text: string) => boolean,
): StatedFields[] {
  const labelOf = labelReader(names);
  const isNamed =
    labelOf.occursIn(json) || [FOLDED_KEY, UNLIFTED_KEY, '\\'].some((mark) => json.includes(mark));
  if (!isNamed) return [];
  const containers = [...containersOf(json)];
  const headers = headersIn(containers, labelOf);
  const stated: StatedFields[] = [];
  const named = namedInside(containers, labelOf);
  const folding = outermostFolding(containers);
  for (const container of containers) {
    const { parts, isList, parent } = container;
    const found = new Map(
      pairedParts(parts.map(partOf), { isList, isInList: parent?.isList === true, labelOf }),
    );
    const add = (at: number, named: readonly string[]): void => {
      if (named.length > 0) found.set(at, [...new Set([...(found.get(at) ?? []), ...named])]);
    };
    for (const [at, own] of [...headers.columnsOf(container), ...(named.get(container) ?? [])]) add(at, own);
    // Fields inside of others are lifted with these.
    const folded = folding.has(container)
      ? namesFolded(json.slice(container.start, container.end), names)
      : [];
    for (const [at, { key, text }] of parts.entries()) {
      if (key !== undefined) add(at, [...fieldsNamed(key, names), ...restNames(key, names)]);
      if (key === FOLDED_KEY) add(at, folded);
      if (text === undefined || !labelOf.occursIn(text) || !isStating(text)) continue;
      const own = names.filter((name) => labelReader([name]).occursIn(text));
      add(at, own);
      // Another member answers a question.
      if (!isList && /\?\s*$/.test(text)) for (const place of parts.keys()) add(place, own);
    }
    stated.push(...cutOut(parts, found));
  }
  return stated;
}

/** Values of a name that a record inside of theirs gives (`{"code": {"coding": [{"code": "salary"}]}, "value": 7}`). */
function namedInside(
  containers: readonly JsonContainer[],
  labelOf: Label,
): ReadonlyMap<JsonContainer, ReadonlyMap<number, readonly string[]>> {
  const found = new Map<JsonContainer, Map<number, readonly string[]>>();
  for (const container of containers) {
    const named = container.parts.filter((part) => !isAddress(part));
    const names = container.isList ? [] : recordLabels(named, labelOf);
    if (names.length === 0 || container.parts.some(isValue)) continue;
    let outer = container.parent;
    for (let depth = 0; depth < MOST_LEVELS && outer !== undefined; depth += 1) {
      // Of many records inside one the first tells.
      const isDone = found.has(outer);
      const values = isDone ? [] : [...outer.parts.entries()].filter(([, part]) => isValue(part));
      found.set(outer, found.get(outer) ?? new Map(values.map(([at]) => [at, names])));
      if ((found.get(outer)?.size ?? 0) > 0) break;
      outer = outer.parent;
    }
  }
  return found;
}

const MOST_LEVELS = 3;

/** All where it lies in itself too deep to be read. */
function namesFolded(json: string, names: readonly string[]): readonly string[] {
  try {
    return foldedNames(JSON.parse(json) as Metadata, names);
  } catch (error) {
    if (error instanceof RangeError) return names;
    throw error;
  }
}

/** Objects with fields that are lifted, but for those inside of such a field: it goes as a whole. */
function outermostFolding(containers: readonly JsonContainer[]): ReadonlySet<JsonContainer> {
  const folding = new Set(containers.filter(({ parts }) => parts.some(({ key }) => key === FOLDED_KEY)));
  if (folding.size === 0) return folding;
  const inside = new Set<JsonContainer>();
  for (const container of containers.toSorted((a, b) => a.start - b.start)) {
    const { parent } = container;
    if (parent !== undefined && (folding.has(parent) || inside.has(parent))) inside.add(container);
  }
  return new Set([...folding].filter((container) => !inside.has(container)));
}

const partOf = ({ key, text, inner }: JsonPart): Part => ({ key, text, isScalar: inner === undefined });

function headersIn(containers: readonly JsonContainer[], labelOf: Label): Headers {
  const headers = new Headers();
  for (const { isList, parts, start, parent } of containers) {
    if (!isList) continue;
    const header = headerOf(
      parts.map((part) => ({
        ...partOf(part),
        record: part.inner?.isList === false ? part.inner.parts.map(partOf) : undefined,
      })),
      labelOf,
    );
    if (header !== undefined) headers.add(header, start, parent?.start);
  }
  return headers;
}

const NO_COLUMNS: Header['columns'] = new Map();

/** With a comma beside each, so that JSON is left. */
function cutOut(parts: readonly JsonPart[], found: ReadonlyMap<number, readonly string[]>): StatedFields[] {
  if (found.size === 0) return [];
  const firstLeft = [...parts.keys()].find((at) => !found.has(at)) ?? Infinity;
  const rangeOf = ({ start, end }: TextRange, at: number): TextRange =>
    at > firstLeft
      ? { start: parts[at - 1]?.end ?? start, end }
      : { start, end: parts[at + 1]?.start ?? end };
  return parts.flatMap((part, at) => {
    const names = found.get(at) ?? [];
    return names.length === 0 ? [] : [{ ...rangeOf(part, at), key: part.key, names }];
  });
}
