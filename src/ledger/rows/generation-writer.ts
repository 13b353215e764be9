import type { StatementFilling } from '../../relations/conflicts/statement-rows.js';
import type { FactWriter } from '../../relations/graph/facts.js';
import { keyOf } from '../ledger-text.js';
import type { SourceState } from '../source-state.js';
import { generationLost } from '../still-live.js';
import { bigint, integer, key, text, word } from './columns.js';
import { factWriter } from './facts.js';
import { LedgerGenerationReader } from './generation-reader.js';
import { insert, type Program, run, select } from './program.js';
import { FOR_KEY_SHARE, isOfSource, REVISION_KEY, type Sql, spelled, sql } from './sql.js';
import { fillStatements } from './statements.js';

const SOURCE = {
  generation: integer('generation'),
  sourceKey: key({ sqlite: null, postgres: 'source_key' }),
  source: text('source'),
};
const SOURCE_STATE = { ...SOURCE, tenant: text('tenant'), state: word('state') };
const SOURCE_CURSOR = {
  ...SOURCE,
  tenant: text({ sqlite: 'tenant', postgres: null }),
  source: text({ sqlite: 'source', postgres: null }),
  cursor: text('cursor'),
};
const ON_SOURCE = spelled({ sqlite: 'ON CONFLICT', postgres: 'ON CONFLICT (generation, source_key)' });

function* countOf(rows: Sql): Program<number> {
  const [counted] = yield* select({ count: bigint('count(*)') }, sql`FROM (${rows}) AS rows`);
  return counted?.count ?? 0;
}

/** What is written of a generation without a claim. */
export abstract class LedgerGenerationWriter extends LedgerGenerationReader {
  override get facts(): FactWriter {
    return factWriter(this.rows);
  }

  fillStatements(fillings: readonly StatementFilling[]): Promise<number> {
    return this.rows.programs.transaction('keep what its documents say', () =>
      fillStatements(this.generation, fillings),
    );
  }

  setSourceCursor(tenant: string, source: string, cursor: string): Promise<void> {
    const row = { ...this.#of(tenant, source), cursor };
    return this.#record('record the cursor of a source', () =>
      insert('source_cursor', SOURCE_CURSOR, [row], sql`${ON_SOURCE} DO UPDATE SET cursor = excluded.cursor`),
    );
  }

  setSourceState(tenant: string, source: string, state: SourceState): Promise<void> {
    const row = { ...this.#of(tenant, source), state: JSON.stringify(state) };
    return this.#record('record how a source is', () =>
      insert('source_state', SOURCE_STATE, [row], sql`${ON_SOURCE} DO UPDATE SET state = excluded.state`),
    );
  }

  forgetSource(tenant: string, source: string): Promise<void> {
    const which = sql`generation = ${this.generation} AND ${isOfSource(tenant, source)}`;
    return this.rows.programs.transaction('forget a source', function* () {
      yield* run(sql`DELETE FROM @source_cursor WHERE ${which}`);
      yield* run(sql`DELETE FROM @source_state WHERE ${which}`);
    });
  }

  pruneVersions(
    tenant: string,
    source: string,
    keep: number,
    { dryRun }: { readonly dryRun: boolean },
  ): Promise<number> {
    const older = sql`SELECT document, ${REVISION_KEY} FROM (
      SELECT revision.document, revision.${REVISION_KEY},
        row_number() OVER (PARTITION BY revision.document ORDER BY revision.sequence DESC) AS place
      FROM @revision AS revision JOIN @document AS documents ON documents.id = revision.document
      WHERE generation = ${this.generation} AND ${isOfSource(tenant, source)} AND revision.indexed) AS ranked
      WHERE place > ${keep}`;
    const { programs } = this.rows;
    // A ledger that is opened for reading alone takes no transaction that may write.
    return dryRun
      ? programs.read('count older texts', () => countOf(older))
      : programs.transaction('delete older texts', () =>
          run(sql`DELETE FROM @revision WHERE (document, ${REVISION_KEY}) IN (${older})`),
        );
  }

  #of(tenant: string, source: string) {
    return { generation: this.generation, sourceKey: keyOf(tenant, source), tenant, source };
  }

  #record(action: string, write: () => Program<void>): Promise<void> {
    const { generation } = this;
    return this.rows.programs.transaction(action, function* () {
      const held = yield* select(
        { generation: integer('generation') },
        sql`FROM @generation WHERE generation = ${generation} ${FOR_KEY_SHARE}`,
      );
      if (held.length === 0) throw generationLost(generation);
      yield* write();
    });
  }
}
