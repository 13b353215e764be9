import type { TextRange } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { FOLDED_KEY, UNLIFTED_KEY } from '../../core/pushed-fields.js';
import { type Label, labelReader } from '../label-reader.js';
import { containersOf, type JsonContainer, type JsonPart } from './json-scanner.js';
import { type Header, headerOf, type Part, pairedParts } from './paired-parts.js';
import { fieldsNamed, foldedNames, restNames, type StatedFields } from './stated-names.js';

/** A header with its place. */
interface PlacedHeader extends Header {
  readonly start: number;
  readonly parent: number | undefined;
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
  const headers = [...headersIn(json, labelOf)];
  const stated: StatedFields[] = [];
  for (const container of containersOf(json)) {
    const { parts, isList, parent } = container;
    const found = new Map(
      pairedParts(parts.map(partOf), { isList, isInList: parent?.isList === true, labelOf }),
    );
    const add = (at: number, named: readonly string[]): void => {
      if (named.length > 0) found.set(at, [...new Set([...(found.get(at) ?? []), ...named])]);
    };
    for (const header of headers) for (const [at, named] of columnsOf(container, header)) add(at, named);
    const isFolding = parts.some(({ key }) => key === FOLDED_KEY);
    const folded = isFolding
      ? foldedNames(JSON.parse(json.slice(container.start, container.end)) as Metadata, names)
      : [];
    for (const [at, { key, text }] of parts.entries()) {
      if (key !== undefined) add(at, [...fieldsNamed(key, names), ...restNames(key, names)]);
      if (key === FOLDED_KEY) add(at, folded);
      if (text !== undefined && labelOf.occursIn(text) && isStating(text))
        add(
          at,
          names.filter((name) => labelReader([name]).occursIn(text)),
        );
    }
    stated.push(...cutOut(parts, found));
  }
  return stated;
}

const partOf = ({ key, text, inner }: JsonPart): Part => ({ key, text, isScalar: inner === undefined });

function* headersIn(json: string, labelOf: Label): Generator<PlacedHeader> {
  for (const { isList, parts, start, parent } of containersOf(json)) {
    if (!isList) continue;
    const header = headerOf(
      parts.map((part) => ({
        ...partOf(part),
        record: part.inner?.isList === false ? part.inner.parts.map(partOf) : undefined,
      })),
      labelOf,
    );
    if (header !== undefined) yield { ...header, start, parent: parent?.start };
  }
}

/** What a list holds in the columns that a header names: items of a row or of a list beside it, or whole columns. */
function columnsOf({ isList, parts, start, parent }: JsonContainer, header: PlacedHeader): Header['columns'] {
  const isOfColumns =
    parts.length === header.length &&
    parts.every(({ inner }) => inner?.isList === true && inner.parts.length !== header.length);
  const isRow = parent?.isList === true || parent?.parent?.isList === true || parent?.start === header.parent;
  const isOther = isList && start !== header.start && parts.length === header.length;
  return isOther && (isRow || isOfColumns) ? header.columns : NO_COLUMNS;
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
