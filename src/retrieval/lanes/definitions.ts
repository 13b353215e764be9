import { definitionKey } from '../../core/analysis/identifiers.js';
import type { StoredChunk } from '../../core/chunk.js';
import { and, contains } from '../../core/filter.js';
import type { Hit } from '../candidate.js';
import type { LaneInput } from './lane.js';
import { findWithin } from './lane.js';

/** A name that many define (`render`) tells its definitions apart no better than a word does. */
const MAX_DEFINITIONS = 26;

/** A chunk that defines what the query names. */
export interface DefinitionHit extends Hit {
  /**
   * How much it is what is asked for, from 0 to 1: what a module defines comes before members of a class, and each before
   * the same in tests.
   */
  readonly weight: number;
}

/** One word that could be a name in source code. */
const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*$/u;

/** The query, where it is nothing but a name that text could hold as a word (`Retriever`). */
export const plainNameIn = ({ text, identifiers }: LaneInput['query']): string | undefined =>
  identifiers.length === 0 && NAME.test(text) ? text : undefined;

/** Chunks in which the definition of an identifier begins, in any letter case. */
export const definitionsOfIdentifier = (identifier: string, input: LaneInput): Promise<DefinitionHit[]> =>
  definitionsOf(identifier, input, (symbol) => symbol.toLowerCase() === identifier);

/** The same of a plain word: only what a module defines, in the letter case of the query, for `result` is a word first. */
export async function definitionsOfWord(word: string, input: LaneInput): Promise<DefinitionHit[]> {
  const found = await definitionsOf(word, input, (symbol) => symbol === word);
  return found.filter(({ weight }) => weight > MEMBER);
}

const OF_MODULE = 0.9;
const OF_MODULE_IN_TESTS = 0.8;
const MEMBER = 0.7;
const MEMBER_IN_TESTS = 0.6;

const TEST_PATH = /(?:^|[/\\._-])(?:tests?|specs?|__tests__|fixtures?|mocks?)(?:[/\\._-]|$)/i;

async function definitionsOf(
  name: string,
  input: LaneInput,
  isWhole: (symbol: string) => boolean,
): Promise<DefinitionHit[]> {
  const { collection, signal } = input;
  const filter = and(contains('$identifiers', definitionKey(name)), input.filter);
  const found = await findWithin(input, filter, MAX_DEFINITIONS);
  if (found.length === 0) return [];
  const ids = found.map(({ chunk }) => chunk.id);
  const chunks = await collection.get(ids, signal === undefined ? {} : { signal });
  const weights = new Map(chunks.map((chunk) => [chunk.id, weightOf(chunk, isWhole)]));
  return found.flatMap((hit) => {
    const weight = weights.get(hit.chunk.id);
    return weight === undefined ? [] : [{ ...hit, weight }];
  });
}

function weightOf(
  { metadata: { symbols, source } }: StoredChunk,
  isWhole: (symbol: string) => boolean,
): number {
  const ofModule =
    Array.isArray(symbols) && symbols.some((symbol) => typeof symbol === 'string' && isWhole(symbol));
  const inTests = typeof source === 'string' && TEST_PATH.test(source);
  if (ofModule) return inTests ? OF_MODULE_IN_TESTS : OF_MODULE;
  return inTests ? MEMBER_IN_TESTS : MEMBER;
}
