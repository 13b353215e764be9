// A process of its own: puts a byte that is no UTF-8 into one text column of an index after the other, uses each index, prints
// what came of it as one JSON object, and ends.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { createEngine, type Engine, RAGError } from '../../src/index.js';
import { openLedger } from '../../src/ledger/sqlite/open-ledger.js';

/** What became of each call on one damaged index. */
export type Outcomes = Readonly<Record<string, string>>;

/** Which byte of a text is replaced, and every how many-th column. */
const [seed = 0, step = 1] = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'ragstone-damaged-'));
const pristine = join(folder, 'pristine');

const SOURCES = [{ name: 'notes', type: 'files' as const, root: 'docs' }];

const OF_PROJECT = { tenant: 'default', project: 'p' };

const open = (cwd: string): Promise<Engine> =>
  createEngine({ cwd, config: { provider: 'libsql', sources: SOURCES } });

async function makePristine(): Promise<void> {
  mkdirSync(join(pristine, 'docs'), { recursive: true });
  for (const name of ['oak', 'elm'])
    writeFileSync(join(pristine, 'docs', `${name}.md`), `# The ${name}\n\nThe ${name} stands by the gate.\n`);
  mkdirSync(join(pristine, 'more'));
  writeFileSync(join(pristine, 'more', 'ash.md'), '# The ash\n\nThe ash stands by the gate.\n');
  const engine = await open(pristine);
  await engine.index();
  await engine.index({ paths: ['more'] });
  await engine.push(
    [{ id: 'note', title: 'Note', text: 'The gate is open.', metadata: { redactions: { email: 1 } } }],
    OF_PROJECT,
  );
  await engine.index({ options: { force: true } });
  await engine.close();
  const ledger = openLedger({ path: join(pristine, '.ragstone', 'ledger.db') });
  const writer = ledger.writer((await ledger.live())?.generation ?? 0, 'somebody');
  await writer.setSourceCursor('default', 'wiki', 'cursor');
  await writer.claim('default', 'wiki', ['page'], 1);
  const failure = {
    reason: 'SOURCE_UNREADABLE',
    message: 'It was.',
    at: '2026-01-01T00:00:00.000Z',
  } as const;
  await writer.failItem({ tenant: 'default', source: 'wiki', itemId: 'page' }, failure);
  await ledger.close();
}

interface TextColumn {
  readonly table: string;
  readonly column: string;
}

/** Every text column with rows; the schema's own and the names of the tables' versions apart. */
function textColumns(path: string): TextColumn[] {
  const database = new Database(path);
  const tables = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all([]) as { name: string }[];
  const columns = tables.flatMap(({ name: table }) => {
    const found = database
      .prepare("SELECT name FROM pragma_table_info(?) WHERE upper(type) = 'TEXT'")
      .all([table]) as { name: string }[];
    return found
      .filter(
        ({ name }) =>
          database.prepare(`SELECT 1 FROM "${table}" WHERE length("${name}") > 0`).all([]).length > 0,
      )
      .map(({ name: column }) => ({ table, column }));
  });
  database.close();
  return columns;
}

/** Replaces one byte, at a place of the text that the seed decides. */
function damage(path: string, { table, column }: TextColumn, seed: number): void {
  const database = new Database(path);
  const bytes = `CAST("${column}" AS BLOB)`;
  const at = `(${seed} % length(${bytes}))`;
  database
    .prepare(
      `UPDATE OR REPLACE "${table}" SET "${column}" =
         substr(${bytes}, 1, ${at}) || CAST(x'ff' AS TEXT) || substr(${bytes}, ${at} + 2) WHERE length("${column}") > 0`,
    )
    .run([]);
  database.close();
}

async function outcomeOf(work: () => Promise<unknown>): Promise<string> {
  try {
    return String(await work());
  } catch (error) {
    return RAGError.isInstance(error) ? error.reason : `thrown: ${String(error)}`;
  }
}

/** Two engines, because one that is open knows things by heart. */
async function use(cwd: string): Promise<Outcomes> {
  const outcomes: Record<string, string> = {};
  const call = async (name: string, work: (engine: Engine) => Promise<unknown>): Promise<void> => {
    const engine = await open(cwd);
    outcomes[name] = await outcomeOf(() => work(engine));
    await engine.close();
  };
  const verify = async (engine: Engine): Promise<string> =>
    [...new Set((await engine.verify()).drift.map(({ kind }) => kind))].join('+') || 'whole';
  const search = (mode: 'lexical' | 'hybrid') => async (engine: Engine) =>
    (await engine.search({ text: 'gate', options: { mode } })).results.length;
  await call('search words', search('lexical'));
  await call('search', search('hybrid'));
  await call('status', async (engine) => (await engine.status()).documents > 0);
  await call('list', async (engine) => (await engine.list()).documents.length);
  await call('get', async (engine) => (await engine.get('note', OF_PROJECT)) !== undefined);
  await call('generations', async (engine) => (await engine.generations()).length);
  await call('verify', verify);
  await call('index', async (engine) => (await engine.index()).success);
  const force = { options: { force: true } };
  await call('index --force', async (engine) => (await engine.index(force)).success);
  await call('verify after force', verify);
  await call('search after force', search('hybrid'));
  return outcomes;
}

await makePristine();
const ledgerOf = (cwd: string): string => join(cwd, '.ragstone', 'ledger.db');
const results: Record<string, Outcomes> = { undamaged: {} };
for (const place of [
  undefined,
  ...textColumns(ledgerOf(pristine)).filter((_, i) => i % step === seed % step),
]) {
  const cwd = join(folder, 'damaged');
  cpSync(pristine, cwd, { recursive: true, preserveTimestamps: true });
  if (place !== undefined) damage(ledgerOf(cwd), place, seed);
  results[place === undefined ? 'undamaged' : `${place.table}.${place.column}`] = await use(cwd);
  rmSync(cwd, { recursive: true });
}
rmSync(folder, { recursive: true });
process.stdout.write(JSON.stringify(results));
