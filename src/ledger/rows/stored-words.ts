import { RAGError } from '../../core/errors.js';
import { REFERENCE_KINDS, type ReferenceKind } from '../../relations/graph/graph.js';
import { CHUNK_STATES } from '../chunk-states.js';
import type { DocumentStatus, GenerationState, LedgerChunk } from '../ledger.js';

export const STATUSES: readonly DocumentStatus[] = ['pending', 'indexed', 'failed', 'outdated'];

export const readStatus = (stored: string): DocumentStatus => known(STATUSES, stored, 'state of a document');

const GENERATION_STATES: readonly GenerationState[] = ['building', 'live', 'retired'];

export const readGenerationState = (stored: string): GenerationState =>
  known(GENERATION_STATES, stored, 'state of a generation');

export const readKind = (stored: string): ReferenceKind =>
  known(REFERENCE_KINDS, stored, 'kind of a reference');

export const readChunkState = (code: number): LedgerChunk['state'] =>
  known(CHUNK_STATES, CHUNK_STATES[code], 'state of a chunk');

export function readJson<Value>(stored: string): Value {
  try {
    return JSON.parse(stored) as Value;
  } catch (cause) {
    throw damaged('holds a record that cannot be read', cause);
  }
}

function known<Word extends string>(words: readonly Word[], stored: string | undefined, what: string): Word {
  const word = words.find((candidate) => candidate === stored);
  if (word === undefined) throw damaged(`holds an unknown ${what}`);
  return word;
}

const damaged = (problem: string, cause?: unknown): RAGError =>
  new RAGError(
    'INDEX_DAMAGED',
    `The index ${problem}. Run \`ragstone index --force\` to build the index anew from its sources.`,
    { cause },
  );
