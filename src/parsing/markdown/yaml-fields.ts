import { isAlias, isMap, isNode, isScalar, type Pair, visit, type YAMLMap } from 'yaml';
import type { TextRange } from '../../core/document.js';
import type { Metadata } from '../../core/metadata.js';
import { FOLDED_KEY, liftFields } from '../../core/pushed-fields.js';
import { toMetadataValue } from '../metadata-value.js';
import type { YamlReading } from './front-matter.js';
import { foldedNames, restNames, type StatedFields, states } from './stated-names.js';

/**
 * Where front matter in YAML states fields: each with its value and its comments, in comments too, and what repeats a field by aliases or merges.
 */
export function inYaml(
  yaml: string,
  { document, value }: YamlReading,
  names: readonly string[],
): StatedFields[] {
  const { contents } = document;
  const texts = textsIn(yaml, document);
  const comments = inComments(yaml, names).filter(
    (comment) =>
      comment.names.length > 0 &&
      !texts.some(({ start, end }) => comment.start > start && comment.start < end),
  );
  if (!isMap(contents)) return value === null || value === undefined ? comments : [];
  const fields = rangesOf(contents, yaml).map((range) => ({ ...range, key: keyOf(range.pair, document) }));
  const all = toMetadataValue(value) as Metadata;
  const folded = foldedNames(all, names);
  const isMerging = fields.some(({ key }) => key === '<<');
  // A name that no field has itself was merged from another field.
  const merged = names.filter(
    (name) => isMerging && Object.hasOwn(all, name) && fields.every(({ key }) => key !== name),
  );
  const named = fields.map(({ key, start, end }) => {
    const lines = yaml.slice(start, end);
    return [
      // A field list of reStructuredText begins with a colon.
      ...names.filter((name) => name === key || `:${name}` === key),
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
    return copied.has(group)
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

interface Field {
  readonly key: string | undefined;
  readonly pair: Pair;
}

/** Fields of the document that another one brings: a merge, or the metadata of a push. */
function broughtBy(key: string | undefined, all: Metadata, fields: readonly Field[]): string[] {
  if (key === FOLDED_KEY) return Object.keys(liftFields({ [FOLDED_KEY]: all[FOLDED_KEY] ?? null }));
  const own = new Set(fields.map((field) => field.key));
  return key === '<<' ? Object.keys(all).filter((name) => !own.has(name)) : [];
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
    return flow === true ? at : yaml.lastIndexOf('\n', at - 1) + 1;
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
