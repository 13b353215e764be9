import * as z from 'zod';
import { neutraliseLine } from '../../context/neutralise.js';
import { literalPattern } from '../../core/literal-pattern.js';
import { nonEmptyText } from '../../core/setting-values.js';
import { REDACTION_TYPES } from '../../platform/security/redaction/detection.js';
import type { ExtractedEntity, ExtractedRelation } from '../../relations/graph/facts.js';
import { entityKey } from './entity-key.js';
import { ENTITY_TYPES, type EntityType, MOST_ENTITIES, MOST_RELATIONS, shownText } from './fact-prompt.js';

const LONGEST_NAME = 120;
const LONGEST_DESCRIPTION = 240;
const LONGEST_LABEL = 60;
const LONGEST_EVIDENCE = 400;
const SHORTEST_EVIDENCE = 4;

/** Of what a model says only the outer shape has to be right: single parts are checked one by one, and those that are wrong are left out. */
export const factReplySchema = z.object({
  entities: z.array(z.unknown()),
  relations: z.array(z.unknown()).default([]),
});
export type FactReply = z.output<typeof factReplySchema>;

const text = z.string().transform((value) => value.replaceAll(/\s+/g, ' ').trim());
const entitySchema = z.object({
  name: text.pipe(nonEmptyText().max(LONGEST_NAME)),
  type: z.unknown().transform(typeOf),
  description: text.catch(''),
});
const relationSchema = z.object({
  from: text,
  to: text,
  label: text.pipe(nonEmptyText()),
  evidence: text.pipe(z.string().min(SHORTEST_EVIDENCE).max(LONGEST_EVIDENCE)),
});

/** What the text bears out of what a model said, and how many parts it does not. */
export interface CheckedFacts {
  readonly entities: readonly ExtractedEntity[];
  readonly relations: readonly ExtractedRelation[];
  readonly refused: number;
}

/**
 * Keeps entities whose name stands in the text, and relations between two of them whose evidence does, word for word, and names one of them.
 * What was redacted is no name.
 */
export function checkFacts({ entities, relations }: FactReply, content: string): CheckedFacts {
  const readable = withoutRedactions(content);
  const byKey = new Map<string, ExtractedEntity>();
  let refused = 0;
  for (const given of entities) {
    const entity = byKey.size < MOST_ENTITIES ? entityIn(given, readable) : undefined;
    if (entity === undefined) refused++;
    else if (!byKey.has(entity.key)) byKey.set(entity.key, entity);
  }
  // The model was shown the text without its markup, so what it quotes may stand in either form.
  const forms = [readable, withoutRedactions(shownText(content))].map(onOneLine);
  const kept = new Map<string, ExtractedRelation>();
  for (const given of relations) {
    const relation = kept.size < MOST_RELATIONS ? relationIn(given, { byKey, forms }) : undefined;
    if (relation === undefined) refused++;
    else kept.set(JSON.stringify([relation.from, relation.to, relation.label.toLowerCase()]), relation);
  }
  return { entities: [...byKey.values()], relations: [...kept.values()], refused };
}

function entityIn(given: unknown, content: string): ExtractedEntity | undefined {
  const read = entitySchema.safeParse(given);
  if (!read.success) return undefined;
  const { name, type, description } = read.data;
  const key = entityKey(name);
  // A number or a letter alone is everywhere.
  if (key.length < 2 || !/\p{L}/u.test(key)) return undefined;
  const place = placeOf(name, content);
  if (place === undefined) return undefined;
  return {
    name: onOneLine(content.slice(place.start, place.end)),
    key,
    type,
    description: inert(description, LONGEST_DESCRIPTION),
    ...place,
  };
}

/** Scripts that put no space between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u;

/** Where a name stands as a whole word, in whatever case and over line ends. */
function placeOf(name: string, content: string): { start: number; end: number } | undefined {
  const words = name.split(' ').map(literalPattern);
  const before = isWordEdge(name.at(0)) ? '(?<![\\p{L}\\p{N}_])' : '';
  const after = isWordEdge(name.at(-1)) ? '(?![\\p{L}\\p{N}_])' : '';
  const found = new RegExp(`${before}${words.join('\\s+')}${after}`, 'iu').exec(content);
  return found === null ? undefined : { start: found.index, end: found.index + found[0].length };
}

const isWordEdge = (character = ''): boolean => /[\p{L}\p{N}_]/u.test(character) && !UNSPACED.test(character);

function relationIn(
  given: unknown,
  {
    byKey,
    forms,
  }: { readonly byKey: ReadonlyMap<string, ExtractedEntity>; readonly forms: readonly string[] },
): ExtractedRelation | undefined {
  const read = relationSchema.safeParse(given);
  if (!read.success) return undefined;
  const { label, evidence } = read.data;
  const [from, to] = [byKey.get(entityKey(read.data.from)), byKey.get(entityKey(read.data.to))];
  if (from === undefined || to === undefined || from.key === to.key) return undefined;
  if (!forms.some((form) => form.includes(evidence))) return undefined;
  if (![from, to].some(({ name }) => placeOf(name, evidence) !== undefined)) return undefined;
  return { from: from.key, to: to.key, label: inert(label, LONGEST_LABEL), evidence };
}

function typeOf(given: unknown): EntityType {
  const named = typeof given === 'string' ? given.trim().toLowerCase() : '';
  return ENTITY_TYPES.find((type) => type === named) ?? 'other';
}

const onOneLine = (value: string): string => value.replaceAll(/\s+/g, ' ').trim();

/** In the words of a model that has read a document: shown to people and to models as data. */
export const inert = (value: string, longest: number): string =>
  neutraliseLine(value).slice(0, longest).toWellFormed();

const REDACTED = new RegExp(`\\[(?:${REDACTION_TYPES.join('|')})(?::[^\\]\\s]*)?\\]|\\*{4,}`, 'g');

/** Of the same length, so that places stay. */
const withoutRedactions = (content: string): string =>
  content.replaceAll(REDACTED, (mark) => '\u0000'.repeat(mark.length));
