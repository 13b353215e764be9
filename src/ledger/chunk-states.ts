import type { LedgerChunk } from './ledger.js';

/** States of a chunk by how they are stored: by their place. */
export const CHUNK_STATES = ['live', 'planned', 'stale'] as const satisfies readonly LedgerChunk['state'][];

export const codeOf = (state: LedgerChunk['state']): number => CHUNK_STATES.indexOf(state);
