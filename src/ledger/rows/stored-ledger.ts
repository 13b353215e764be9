import { hashesByKey } from '../blocked-name.js';
import type { BlockedNames, ForgottenNames } from '../forgotten-names.js';
import type { LedgerHistory } from '../history.js';
import type { Generation, Ledger, RunRecord } from '../ledger.js';
import { hexOf, keyOf, storableText } from '../ledger-text.js';
import { countChange } from './changes.js';
import { bigint, key as keyColumn, optional, text, word } from './columns.js';
import {
  generations,
  learnedBytes,
  liveGeneration,
  makeFirstGeneration,
  switchGeneration,
} from './generations.js';
import { ledgerHistory } from './history.js';
import { insert, type Program, type ProgramRunner, run, select } from './program.js';
import { editRuns, finishRun, lastRun } from './runs.js';
import { isOfSources, key, type Sql, spelled, sql, TENANT_KEY } from './sql.js';

const SOURCE = { source: text('source') };
const SOURCE_OWNER = { ...SOURCE, owner: text('owner') };
const OF_TENANT = { sourceKey: keyColumn({ sqlite: null, postgres: 'source_key' }), tenant: text('tenant') };
const KEPT_OUT = { hash: word('hash'), key: word('hash_key') };

const REVISION = {
  life: word('life'),
  changes: bigint({ sqlite: 'changes', postgres: '(SELECT sum(changes) FROM @change)' }),
  generation: optional(bigint(`(SELECT max(generation) FROM @generation WHERE state = 'live')`)),
};

/** What a ledger knows of the whole index. */
export abstract class StoredLedger {
  readonly history: LedgerHistory;
  protected readonly programs: ProgramRunner;
  readonly #keepsHistory: boolean;

  constructor(programs: ProgramRunner, { keepsHistory }: { readonly keepsHistory: boolean }) {
    this.programs = programs;
    this.history = ledgerHistory(programs);
    this.#keepsHistory = keepsHistory;
  }

  async revision(): Promise<string | undefined> {
    const [row] = await this.programs.read('tell whether it was changed', () =>
      select(REVISION, spelled({ sqlite: 'FROM @change', postgres: 'FROM @life' })),
    );
    return row === undefined ? undefined : `${row.life}.${row.generation ?? ''}.${row.changes}`;
  }

  live(): Promise<Generation | undefined> {
    return this.programs.read('read which generation is live', liveGeneration);
  }

  generations(): Promise<Generation[]> {
    return this.programs.read('list its generations', () => generations());
  }

  switchTo(generation: number, at: string, from?: number): Promise<void> {
    const given = { at, from, keepsHistory: this.#keepsHistory };
    return this.programs.transaction(`switch to generation ${generation}`, () =>
      switchGeneration(generation, given),
    );
  }

  makeFirst(generation: number, at: string): Promise<boolean> {
    const given = { at, keepsHistory: this.#keepsHistory };
    return this.programs.transaction(`begin with generation ${generation}`, () =>
      makeFirstGeneration(generation, given),
    );
  }

  learned(generation: number): Promise<Uint8Array | undefined> {
    return this.programs.read('read what was learnt of the index', () => learnedBytes(generation));
  }

  setLearned(...[generation, learned]: Parameters<Ledger['setLearned']>): Promise<void> {
    const { stamp = null, bytes = null } = learned ?? {};
    return this.#change(
      'record what was learnt of the index',
      sql`UPDATE @generation SET learned = ${stamp}, learned_bytes = ${bytes} WHERE generation = ${generation}`,
    );
  }

  setUpgrade(generation: number, upgrade: string): Promise<void> {
    return this.#change(
      'record how a generation was made',
      sql`UPDATE @generation SET upgrade = ${storableText(upgrade)} WHERE generation = ${generation}`,
    );
  }

  async rememberedSources(tenant: string): Promise<string[]> {
    const rows = await this.programs.read('list its remembered sources', () =>
      select(SOURCE, sql`FROM @remembered_source WHERE tenant = ${storableText(tenant)} ORDER BY source`),
    );
    return rows.map(({ source }) => source);
  }

  async rememberSources(tenant: string, sources: readonly string[]): Promise<void> {
    if (sources.length === 0) return;
    const rows = rowsOfSources(tenant, sources);
    await this.programs.transaction('remember sources', () =>
      insert('remembered_source', { ...OF_TENANT, ...SOURCE }, rows, IF_NEW),
    );
  }

  async forgetSources(tenant: string, sources: readonly string[]): Promise<void> {
    if (sources.length === 0) return;
    const ordered = rowsOfSources(tenant, sources).map(({ source }) => source);
    const which = isOfSources(tenant, ordered);
    await this.programs.transaction('forget remembered sources', function* () {
      yield* run(sql`DELETE FROM @remembered_source WHERE ${which}`);
      // A path is another folder on each of several hosts.
      yield* run(spelled({ sqlite: sql`DELETE FROM @source_root WHERE ${which}`, postgres: '' }));
    });
  }

  async sourceOwners(tenant: string): Promise<Map<string, string[]>> {
    const rows = await this.programs.read('list who indexes its sources', () =>
      select(
        SOURCE_OWNER,
        sql`FROM @source_owner WHERE tenant = ${storableText(tenant)} ORDER BY source, owner`,
      ),
    );
    const owners = new Map<string, string[]>();
    for (const { source, owner } of rows) owners.set(source, [...(owners.get(source) ?? []), owner]);
    return owners;
  }

  ownSources(tenant: string, owner: string, sources: readonly string[]): Promise<void> {
    const rows = rowsOfSources(tenant, sources).map((row) => ({
      ...row,
      owner,
      ownerKey: keyOf(tenant, owner),
    }));
    const isOwners = spelled({
      sqlite: sql`tenant = ${storableText(tenant)} AND owner = ${storableText(owner)}`,
      postgres: sql`owner_key = ${keyOf(tenant, owner)}`,
    });
    return this.programs.transaction('record who indexes its sources', function* () {
      yield* run(sql`DELETE FROM @source_owner WHERE ${isOwners} AND NOT (${isOfSources(tenant, sources)})`);
      yield* insert('source_owner', { ...OF_TENANT, ...SOURCE_OWNER, ownerKey: OWNER_KEY }, rows, IF_NEW);
    });
  }

  finishRun(runId: number, result: { at: string; success: boolean; stats: string }): Promise<void> {
    return this.programs.transaction('record the end of a run', () => finishRun(runId, result));
  }

  lastRun(): Promise<RunRecord | undefined> {
    return this.programs.read('read its last run', lastRun);
  }

  async blockedNames(tenant: string): Promise<BlockedNames[]> {
    const rows = await this.programs.read('read what is kept out', () =>
      select(KEPT_OUT, sql`FROM @kept_out WHERE ${TENANT_KEY} = ${key(tenant)}`),
    );
    return hashesByKey(rows);
  }

  block(...[tenant, { key, hashes, receipt }]: Parameters<ForgottenNames['block']>): Promise<void> {
    const rows = [...new Set(hashes)].sort().map((hash) => ({ tenant, hash, key, receipt }));
    return this.programs.transaction('record what is kept out', () =>
      insert(
        'kept_out',
        {
          ...KEPT_OUT,
          tenant: keyColumn({ sqlite: 'tenant', postgres: 'tenant_key' }),
          receipt: text('receipt'),
        },
        rows,
        sql`ON CONFLICT (${TENANT_KEY}, hash) DO UPDATE SET hash_key = excluded.hash_key, receipt = excluded.receipt`,
      ),
    );
  }

  unblock(tenant: string, receipt: string): Promise<number> {
    return this.programs.transaction('let in what was kept out', function* () {
      const lifted = yield* run(
        sql`DELETE FROM @kept_out WHERE ${TENANT_KEY} = ${key(tenant)} AND receipt = ${storableText(receipt)}`,
      );
      // Cursors of a server do not say whose they are; a listing too many costs a little time.
      const which = spelled({ sqlite: sql`WHERE tenant = ${storableText(tenant)}`, postgres: '' });
      if (lifted > 0) yield* run(sql`DELETE FROM @source_cursor ${which}`);
      return lifted;
    });
  }

  editRuns(edit: (stats: string) => string): Promise<number> {
    return this.programs.transaction('edit its runs', () => editRuns(edit));
  }

  /** What a search may show. */
  #change(action: string, statement: Sql): Promise<void> {
    return this.programs.transaction(action, function* (): Program<void> {
      yield* run(statement);
      yield* countChange();
    });
  }
}

const OWNER_KEY = keyColumn({ sqlite: null, postgres: 'owner_key' });
const IF_NEW = sql`ON CONFLICT DO NOTHING`;

/** Each once, in the order in which all writers lock them. */
const rowsOfSources = (tenant: string, sources: readonly string[]) =>
  [...new Set(sources)]
    .map((source) => ({ sourceKey: keyOf(tenant, source), tenant, source }))
    .sort((a, b) => (hexOf(a.sourceKey) < hexOf(b.sourceKey) ? -1 : 1));
