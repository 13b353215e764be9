import type { Generation, GenerationState } from '../ledger.js';
import { assertStillLive, unknownGeneration } from '../still-live.js';
import { countChange } from './changes.js';
import { bytes, integer, optional, type RowOf, text, word } from './columns.js';
import { switchHistory } from './history.js';
import { breakHistory } from './history-log.js';
import { type Program, run, select } from './program.js';
import { NOTHING, type Sql, spelled, sql } from './sql.js';
import { readGenerationState } from './stored-words.js';

const GENERATION = {
  generation: integer('generation'),
  state: word('state'),
  provider: word('provider'),
  collection: text('collection'),
  dimensions: integer('dimensions'),
  fingerprint: text('fingerprint'),
  embedder: text('embedder'),
  startedAt: optional(word('started_at')),
  switchedAt: optional(word('switched_at')),
  learned: optional(word('learned')),
  upgrade: optional(text('upgrade')),
};

/** Puts changes of generations in a row. */
const LOCK = spelled({
  sqlite: '',
  postgres: 'SELECT last_generation FROM @counter FOR UPDATE',
});

export function* generations(condition: Sql = NOTHING): Program<Generation[]> {
  const rows = yield* select(GENERATION, sql`FROM @generation ${condition} ORDER BY generation DESC`);
  return rows.map(({ upgrade, state, ...row }: RowOf<typeof GENERATION>) => ({
    ...row,
    state: readGenerationState(state),
    ...(upgrade === undefined ? {} : { upgrade }),
  }));
}

export function* liveGeneration(): Program<Generation | undefined> {
  // Reads a state that nobody knows too, and fails: one that was live must not be taken for an index that is empty.
  return (yield* generations(sql`WHERE state NOT IN ('building', 'retired')`))[0];
}

interface Switch {
  readonly at: string;
  readonly from?: number | undefined;
  readonly keepsHistory: boolean;
}

/** See `Generations.switchTo`. */
export function* switchGeneration(generation: number, { from, ...given }: Switch): Program<void> {
  yield* run(LOCK);
  const live = yield* liveGeneration();
  if (from !== undefined) assertStillLive(live?.generation, { from, to: generation });
  yield* makeLive(generation, given);
}

/** See `Generations.makeFirst`. */
export function* makeFirstGeneration(generation: number, given: Omit<Switch, 'from'>): Program<boolean> {
  yield* run(LOCK);
  const live = yield* liveGeneration();
  if (live !== undefined) return live.generation === generation;
  yield* makeLive(generation, given);
  return true;
}

function* makeLive(generation: number, { at, keepsHistory }: Omit<Switch, 'from'>): Program<void> {
  const retired: GenerationState = 'retired';
  yield* run(
    sql`UPDATE @generation SET state = ${retired} WHERE state = 'live' AND generation <> ${generation}`,
  );
  const changed = yield* run(
    sql`UPDATE @generation SET state = 'live', switched_at = ${at} WHERE generation = ${generation}`,
  );
  if (changed === 0) throw unknownGeneration(generation);
  yield* keepsHistory ? switchHistory(generation, Date.parse(at)) : breakHistory();
  yield* countChange();
}

/** See `Generations.learned`. */
export function* learnedBytes(generation: number): Program<Uint8Array | undefined> {
  const [row] = yield* select(
    { bytes: bytes('learned_bytes') },
    sql`FROM @generation WHERE generation = ${generation} AND learned_bytes IS NOT NULL`,
  );
  return row?.bytes;
}
