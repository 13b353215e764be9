import {
  isAlias,
  isMap,
  isNode,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { TextRange } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { FOLDED_KEY, liftFields } from '../../core/pushed-fields.js';
import { type Label, labelReader } from '../label-reader.js';
import { toMetadataValue } from '../metadata-value.js';
import { startOfLine } from '../text-range.js';
import type { YamlReading } from './front-matter.js';
import { type Header, headerOf, type Part, pairedParts } from './paired-parts.js';
import { fieldsNamed, foldedNames, restNames, type StatedFields, states } from './stated-names.js';

/**
 * Where front matter in YAML states fields: each with its value and its comments, in comments too, and what repeats a field by aliases or merges.
 */
export function inYaml(
  yaml: string,
  { document, value }: YamlReading,
  names: readonly string[],
): StatedFields[] {
  const { contents } = document;
  const labelOf = labelReader(names);
  const search = { yaml, document, names, labelOf, headers: headersIn(document, labelOf) };
  const texts = textsIn(yaml, document);
  const comments = inComments(yaml, names).filter(
    (comment) =>
      comment.names.length > 0 &&
      !texts.some(({ start, end }) => comment.start > start && comment.start < end),
  );
  if (!isMap(contents)) {
    if (isSeq(contents)) return [...inItems(contents, search), ...comments];
    return value === null || value === undefined ? comments : [];
  }
  const fields = rangesOf(contents, yaml).map((range) => ({ ...range, key: keyOf(range.pair, document) }));
  const all = toMetadataValue(value) as Metadata;
  const folded = foldedNames(all, names);
  const isMerging = fields.some(({ key }) => key === '<<');
  // A name that no field has itself was merged from another field.
  const merged = names.filter(
    (name) => isMerging && Object.hasOwn(all, name) && fields.every(({ key }) => key !== name),
  );
  const nested = fields.map(({ pair, end }) => nestedIn(pair.value, end, search, [contents]));
  const paired = pairedIn(contents, search, []);
  const isCopying = hasAliases(document);
  const named = fields.map(({ key, pair, start, end }, at) => {
    const lines = yaml.slice(start, end);
    return [
      ...namesOfKey(pair, search),
      ...(paired.get(at) ?? []),
      // A field list of reStructuredText begins with a colon.
      ...(key?.startsWith(':') === true ? fieldsNamed(key.slice(1), names) : []),
      // What an alias repeats may be any part of it.
      ...(isCopying ? (nested[at] ?? []).flatMap((part) => part.names) : []),
      ...(key === FOLDED_KEY ? folded : []),
      ...restNames(key, names),
      ...merged.filter((name) => key === '<<' || states(lines, name)),
    ];
  });
  const { groups, copied } = repeatedIn(fields);
  const shared = groups.map(() => new Set<string>());
  for (const [at, group] of groups.entries()) for (const name of named[at] ?? []) shared[group]?.add(name);
  const stated = fields.flatMap(({ key, start, end }, at): StatedFields[] => {
    const group = groups[at] ?? at;
    const field = { start, end, key, names: [...(shared[group] ?? [])] };
    if (field.names.length === 0) return (nested[at] ?? []).map((part) => ({ ...part, key }));
    return copied.has(group) || (key === undefined && field.names.length > 0)
      ? [
          field,
          ...broughtBy(key, all, fields)
            .filter((brought) => !names.includes(brought))
            .map((brought) => ({ ...field, key: brought })),
        ]
      : [field];
  });
  return [...stated, ...comments];
}

/** What fields are looked for in. */
interface Search {
  readonly yaml: string;
  readonly document: YamlReading['document'];
  readonly names: readonly string[];
  readonly labelOf: Label;
  /** Lists that name columns, by the node that each is. */
  readonly headers: ReadonlyMap<unknown, Header & { readonly parent: unknown }>;
}

/** Of a list: all of it where aliases may repeat what it states. */
function inItems(list: YAMLSeq, search: Search): StatedFields[] {
  const found = nestedIn(list, search.yaml.length, search);
  return hasAliases(search.document)
    ? [{ start: 0, end: search.yaml.length, names: found.flatMap((field) => field.names) }]
    : found;
}

function hasAliases(document: YamlReading['document']): boolean {
  let found = false;
  visit(document, {
    Alias: () => {
      found = true;
      return visit.BREAK;
    },
  });
  return found;
}

/** Fields at any depth of a list or a mapping that ends there, each from its name to what follows it. */
function nestedIn(
  node: unknown,
  end: number,
  search: Search,
  outer: readonly unknown[] = [],
): StatedFields[] {
  if (!isMap(node) && !isSeq(node)) return [];
  // Items of an ordered mapping are pairs, too.
  const items: readonly unknown[] = node.items;
  const starts = items.map((item, at) => {
    const first = isPair(item) ? item.key : item;
    const start = (isNode(first) ? first.range?.[0] : undefined) ?? 0;
    return node.flow === true || at === 0 ? start : startOfLine(search.yaml, start);
  });
  const last = node.flow === true ? (node.range?.[1] ?? end) - 1 : end;
  const paired = pairedIn(node, search, outer);
  return items.flatMap((item, at): StatedFields[] => {
    const until = starts[at + 1] ?? last;
    const found = [...(isPair(item) ? namesOfKey(item, search) : []), ...(paired.get(at) ?? [])];
    return found.length > 0
      ? [{ start: starts[at] ?? 0, end: until, names: found }]
      : nestedIn(isPair(item) ? item.value : item, until, search, [node, ...outer]);
  });
}

/** The parts of a list or a mapping that state a field by a name that is a value, or by a list of names beside it. */
function pairedIn(
  node: YAMLMap | YAMLSeq,
  { labelOf, headers }: Search,
  [parent, around]: readonly unknown[],
): ReadonlyMap<number, readonly string[]> {
  const isList = isSeq(node);
  const parts = partsOf(node);
  const found = new Map(
    pairedParts(parts, { isList, isInList: isSeq(parent), isWhole: parent === undefined, labelOf }),
  );
  for (const [header, { length, columns, parent: beside }] of headers) {
    const isRow = isSeq(parent) || isSeq(around) || parent === beside;
    const isOfColumns =
      parts.length === length && node.items.every((item) => isSeq(item) && item.items.length !== length);
    if (isList && node !== header && parts.length === length && (isRow || isOfColumns))
      for (const [at, names] of columns) found.set(at, [...(found.get(at) ?? []), ...names]);
  }
  return found;
}

const partsOf = (node: YAMLMap | YAMLSeq): Part[] =>
  node.items.map((item: unknown) => {
    const value = isPair(item) ? item.value : item;
    const isScalarValue = isScalar(value);
    return {
      ...(isPair(item) ? { key: isScalar(item.key) ? String(item.key.value) : '' } : {}),
      text: isScalarValue && typeof value.value === 'string' ? value.value : undefined,
      isScalar: isScalarValue,
    };
  });

function headersIn(document: YamlReading['document'], labelOf: Label): Search['headers'] {
  const headers = new Map<unknown, Header & { readonly parent: unknown }>();
  visit(document, {
    Seq: (_, node, path) => {
      const parts = partsOf(node).map((part, at) => {
        const item = node.items[at];
        return { ...part, record: isMap(item) ? partsOf(item) : undefined };
      });
      const header = headerOf(parts, labelOf);
      if (header !== undefined) headers.set(node, { ...header, parent: path.findLast(isMap) });
    },
  });
  return headers;
}

/** Fields that a key names, or a part of one that is a list or a mapping. */
function namesOfKey(pair: Pair, { document, names }: Search): readonly string[] {
  const keys = new Set([keyOf(pair, document)?.trim() ?? '']);
  if (isMap(pair.key) || isSeq(pair.key))
    visit(pair.key, { Scalar: (_, { value }) => void keys.add(String(value).trim()) });
  return [...new Set([...keys].flatMap((key) => fieldsNamed(key, names)))];
}

interface Field {
  readonly key: string | undefined;
  readonly pair: Pair;
}

/** Fields of the document that another one brings: a merge, the metadata of a push, or a list or mapping as key, which becomes a text of its own. */
function broughtBy(key: string | undefined, all: Metadata, fields: readonly Field[]): string[] {
  if (key === FOLDED_KEY) return Object.keys(liftFields({ [FOLDED_KEY]: all[FOLDED_KEY] ?? null }));
  const own = new Set(fields.map((field) => field.key));
  return key === '<<' || key === undefined ? Object.keys(all).filter((name) => !own.has(name)) : [];
}

/** Where quoted texts are, and those of several lines. */
function textsIn(yaml: string, document: YamlReading['document']): TextRange[] {
  const found: TextRange[] = [];
  visit(document, {
    Scalar: (_, { range, type = 'PLAIN' }) => {
      const [start = 0, end = 0] = range ?? [];
      // The line that opens a text of several lines may have a comment.
      if (type !== 'PLAIN')
        found.push({ start: type.startsWith('BLOCK') ? yaml.indexOf('\n', start) : start, end });
    },
  });
  return found;
}

/**
 * Of each field the group of those that repeat each other by aliases, however many are between them.
 * Copied are groups in which an alias does more than to merge fields under their own names.
 */
function repeatedIn(fields: readonly Field[]): { readonly groups: number[]; readonly copied: Set<number> } {
  const groups = [...fields.keys()];
  const groupOf = (at: number): number => {
    let group = at;
    for (let next = groups[group]; next !== undefined && next !== group; next = groups[group]) {
      groups[group] = groups[next] ?? next;
      group = next;
    }
    return group;
  };
  const anchors = new Map<string, number>();
  const copies: number[] = [];
  for (const [at, { key, pair }] of fields.entries())
    for (const part of [pair.key, pair.value].filter(isNode))
      visit(part, {
        Value: (_, { anchor }) => void (anchor !== undefined && anchors.set(anchor, at)),
        Alias: (_, { source }) => {
          const repeated = anchors.get(source);
          if (repeated === undefined) return;
          groups[groupOf(at)] = groupOf(repeated);
          if (key !== '<<' || repeated === at) copies.push(at);
        },
      });
  return { groups: groups.map((_, at) => groupOf(at)), copied: new Set(copies.map(groupOf)) };
}

function keyOf({ key }: Pair, document: YamlReading['document']): string | undefined {
  const node = isAlias(key) ? key.resolve(document) : key;
  if (!isScalar(node)) return undefined;
  return typeof node.value === 'symbol' ? node.value.description : String(node.value);
}

/** From each key to the next one, so that anchors, tags, comments and all lines of a value are part of it. */
function rangesOf({ items, flow, range }: YAMLMap, yaml: string): (TextRange & { readonly pair: Pair })[] {
  const starts = items.map(({ key }) => {
    const at = (isNode(key) ? key.range?.[0] : undefined) ?? 0;
    return flow === true ? at : startOfLine(yaml, at);
  });
  const last = flow === true ? (range?.[1] ?? yaml.length) - 1 : yaml.length;
  return items.map((pair, index) => ({ pair, start: starts[index] ?? 0, end: starts[index + 1] ?? last }));
}

const COMMENTS = /(?<=^|[ \t])#.*(?:\n[ \t]*#.*)*/gm;

/** Fields that are commented out: of neighbouring lines all belong to each. */
const inComments = (yaml: string, names: readonly string[]): StatedFields[] =>
  [...yaml.matchAll(COMMENTS)].map(({ 0: lines, index }) => ({
    start: index,
    end: index + lines.length,
    names: names.filter((name) => states(lines, name)),
  }));
