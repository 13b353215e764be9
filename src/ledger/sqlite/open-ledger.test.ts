import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { SqliteDatabase } from '../../platform/sqlite/sqlite-database.js';
import type { Ledger } from '../ledger.js';
import { discardLedger, openLedger } from './open-ledger.js';

const AT = '2026-01-01T00:00:00.000Z';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-ledger-'));
  path = join(folder, 'ledger.db');
});

afterEach(() => {
  chmodSync(folder, 0o755);
  rmSync(folder, { recursive: true, force: true });
});

// Also runs inside the child processes, so it refers to nothing outside itself.
async function write(ledger: Ledger, id: string, text: string, at: string): Promise<void> {
  const target = { provider: 'm', collection: 'c', dimensions: 8, fingerprint: 'f', embedder: 'e' };
  if ((await ledger.generations()).length === 0) await ledger.begin(() => target, at);
  const books = ledger.writer(1, 'test');
  const facts = { tenant: 't', source: 's', sourceType: 'm', itemId: id, externalId: id, revision: 'r' };
  await books.plan([
    { ...facts, documentId: id, metadata: {}, text, chunks: [{ chunkId: `${id}-1`, digest: 'x' }] },
  ]);
  await books.commit([id], at);
}

async function writeOne(): Promise<void> {
  const ledger = openLedger({ path });
  await write(ledger, 'd0', 'text', AT);
  await ledger.close();
}

async function reasonOf(work: () => unknown): Promise<{ reason: string; message: string }> {
  try {
    await work();
  } catch (error) {
    if (RAGError.isInstance(error)) return { reason: error.reason, message: error.message };
    throw error;
  }
  return { reason: 'none', message: '' };
}

/** A program for a child process, with `openLedger`, `write`, `path` and `AT` in scope. */
const program = (body: string): string[] => [
  '--import',
  'tsx',
  '--input-type=module',
  '-e',
  `import { openLedger } from ${JSON.stringify(new URL('./open-ledger.ts', import.meta.url).href)};
   const path = ${JSON.stringify(path)}, AT = ${JSON.stringify(AT)};
   ${write.toString()}
   const reasonOf = async (work) => { try { await work(); return 'none'; } catch (error) { return error.reason ?? String(error); } };
   ${body}`,
];

describe('opening', () => {
  it('makes file and folder, and finds what was written', async () => {
    path = join(folder, 'new', 'folder', 'ledger.db');
    await writeOne();
    const ledger = openLedger({ path });
    expect(await ledger.reader(1).text('d0')).toBe('text');
    expect(await ledger.bytes()).toBeGreaterThan(1000);
    expect(await ledger.integrity()).toEqual([]);
    await ledger.close();
  });

  it('for reading makes nothing and says what to do where there is no index', async () => {
    const { reason, message } = await reasonOf(() => openLedger({ path, readOnly: true }));
    expect(reason).toBe('INDEX_EMPTY');
    expect(message).toContain('ragstone index');
    expect(existsSync(path)).toBe(false);
    writeFileSync(path, '');
    expect((await reasonOf(() => openLedger({ path, readOnly: true }))).reason).toBe('INDEX_EMPTY');
  });

  it('for reading refuses every write', async () => {
    await writeOne();
    const ledger = openLedger({ path, readOnly: true });
    expect(await ledger.reader(1).text('d0')).toBe('text');
    expect((await reasonOf(() => ledger.startRun('index', AT))).reason).toBe('INDEX_READ_ONLY');
    await ledger.close();
  });

  it('refuses a newer schema, for reading too', async () => {
    await writeOne();
    const database = SqliteDatabase.open(path, { toError: (_, cause) => new Error('', { cause }) });
    database.exec('PRAGMA user_version = 99');
    database.close();
    for (const readOnly of [true, false]) {
      const { reason, message } = await reasonOf(() => openLedger({ path, readOnly }));
      expect(reason).toBe('INDEX_SCHEMA_TOO_NEW');
      expect(message).toContain('Update ragstone');
    }
  });

  it('lets a reader see each commit of a writer, and never half of one', async () => {
    await writeOne();
    const reader = openLedger({ path, readOnly: true });
    const writer = openLedger({ path });
    expect(await reader.reader(1).text('d1')).toBeUndefined();
    await write(writer, 'd1', 'one', AT);
    expect(await reader.reader(1).text('d1')).toBe('one');
    await reader.close();
    await writer.close();
  });
});

describe('a damaged file', () => {
  const damages: Record<string, () => void> = {
    'overwritten from the start': () => writeFileSync(path, Buffer.alloc(20_000, 7)),
    'replaced by text': () =>
      writeFileSync(path, 'this is no database, but long enough to look at'.repeat(50)),
    'cut off': () => truncateSync(path, 6000),
    'overwritten in the middle': () => {
      const bytes = readFileSync(path);
      bytes.fill(0xee, 4096);
      writeFileSync(path, bytes);
    },
  };

  it.each(Object.keys(damages))('%s is named, and can be discarded', async (name) => {
    await writeOne();
    discardLog();
    damages[name]?.();
    const { reason, message } = await reasonOf(async () => {
      const ledger = openLedger({ path });
      try {
        await ledger.reader(1).sources();
        await ledger.reader(1).text('d0');
        await write(ledger, 'd1', 'one', AT);
      } finally {
        await ledger.close();
      }
    });
    expect(reason).toBe('INDEX_DAMAGED');
    expect(message).toContain(path);
    expect(message).toContain('ragstone index --force');
    discardLedger(path);
    await writeOne();
    expect(await openLedger({ path }).reader(1).text('d0')).toBe('text');
  });

  it('with a value of another type is named', async () => {
    await writeOne();
    const database = SqliteDatabase.open(path, { toError: (_, cause) => new Error('', { cause }) });
    database.exec("UPDATE document SET metadata = '{broken', status = 'indexed'");
    database.close();
    const ledger = openLedger({ path });
    expect((await reasonOf(() => ledger.reader(1).document('d0'))).reason).toBe('INDEX_DAMAGED');
    await ledger.close();
  });

  it('is described by integrity in words', async () => {
    await writeOne();
    const ledger = openLedger({ path });
    for (let i = 1; i < 200; i++) await write(ledger, `d${i}`, 'x'.repeat(2_500), AT);
    await ledger.close();
    discardLog();
    const bytes = readFileSync(path);
    // Behind the tables that tell which version it is.
    bytes.fill(0xee, Math.floor(bytes.length * 0.8));
    writeFileSync(path, bytes);
    const damaged = openLedger({ path, readOnly: true });
    expect((await damaged.integrity()).length).toBeGreaterThan(0);
    await damaged.close();
  });

  // A log left by the driver would heal the file again.
  function discardLog(): void {
    for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
  }
});

describe.skipIf(process.platform === 'win32')('a read-only folder', () => {
  // Root may write everywhere, so the child gives its rights away.
  const asNobody = `if (process.getuid() === 0) { process.setgid(65534); process.setuid(65534); }`;

  it.each(['with its log', 'without its log'])('is read and refuses writes, %s', async (log) => {
    await writeOne();
    if (log === 'without its log')
      for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true });
    // Its owner shares it.
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
    chmodSync(folder, 0o555);
    const script = `${asNobody}
      const reader = openLedger({ path, readOnly: true });
      const writer = openLedger({ path });
      console.log(JSON.stringify([
        (await reader.reader(1).text('d0')), (await writer.reader(1).text('d0')), await reader.integrity(),
        await reasonOf(() => write(writer, 'd1', 'one', AT)), await reasonOf(() => reader.startRun('x', AT)),
        await reasonOf(() => openLedger({ path: path + '.new' })),
        await reasonOf(() => openLedger({ path: path + '.new/l.db' })),
      ]));`;
    const child = spawnSync(process.execPath, program(script), { encoding: 'utf8' });
    expect(child.stderr.replace(/^npm warn.*$/gm, '').trim()).toBe('');
    const refused = 'INDEX_READ_ONLY';
    expect(JSON.parse(child.stdout)).toEqual(['text', 'text', [], refused, refused, refused, refused]);
  });
});

describe.skipIf(process.platform === 'win32')('a full disk', () => {
  it('is INDEX_DISK_FULL, and nothing that was committed is lost', async () => {
    const script = `const ledger = openLedger({ path });
      let committed = 0;
      const reason = await reasonOf(async () => { for (;;) { await write(ledger, 'd' + committed, 'x'.repeat(50_000), AT); committed++; } });
      console.log(JSON.stringify({ committed, reason }));
      await ledger.close();`;
    // A file-size limit of 1 MB (the unit is 1 KiB) stands for the disk: it needs no rights to set.
    const child = spawnSync(
      'bash',
      ['-c', 'ulimit -f 1000 && exec "$0" "$@"', process.execPath, ...program(script)],
      {
        encoding: 'utf8',
      },
    );
    const { committed, reason } = JSON.parse(child.stdout) as { committed: number; reason: string };
    expect(reason).toBe('INDEX_DISK_FULL');
    expect(committed).toBeGreaterThan(3);
    const ledger = openLedger({ path });
    expect(await ledger.integrity()).toEqual([]);
    const indexed = (await ledger.reader(1).documents(undefined, 1000)).filter(
      ({ status }) => status === 'indexed',
    );
    expect(indexed).toHaveLength(committed);
    await write(ledger, 'after', 'text', AT);
    await ledger.close();
  });
});

async function unindexedOf(ledger: Ledger, ids: readonly string[]): Promise<string[]> {
  const found = await Promise.all(ids.map((id) => ledger.reader(1).document(id)));
  return ids.filter((_, index) => found[index]?.status !== 'indexed');
}

describe('kill -9', () => {
  it('never loses a committed transaction', async () => {
    const script = `const ledger = openLedger({ path });
      for (let i = (await ledger.reader(1).documents(undefined, 100000)).length; ; i++) {
        await write(ledger, 'd' + i, 'x'.repeat(2000), AT);
        process.stdout.write('d' + i + '\\n');
      }`;
    const committed: string[] = [];
    for (const lines of [5, 40, 120]) {
      const child = spawn(process.execPath, program(script), { stdio: ['ignore', 'pipe', 'inherit'] });
      committed.push(...(await linesBeforeKill(child, lines)));
      const ledger = openLedger({ path, readOnly: true });
      expect(await ledger.integrity()).toEqual([]);
      expect(await unindexedOf(ledger, committed)).toEqual([]);
      await ledger.close();
    }
    expect(committed.length).toBeGreaterThanOrEqual(165);
  });

  async function linesBeforeKill(child: ChildProcessByStdio<null, Readable, null>, lines: number) {
    let output = '';
    for await (const data of child.stdout) {
      output += String(data);
      if (output.split('\n').length > lines) child.kill('SIGKILL');
    }
    // The last line may be cut off.
    return output.split('\n').slice(0, -1);
  }
});

it('remembers the last runs alone', async () => {
  const ledger = openLedger({ path });
  const database = SqliteDatabase.open(path, { toError: (_, cause) => new Error('', { cause }) });
  const first = await ledger.startRun('index', AT);
  database.run('UPDATE run SET run_id = ? WHERE run_id = ?', first + 5_000, first);
  for (let run = 0; run < 3; run++) await ledger.startRun('index', AT);
  expect(database.row('SELECT count(*) FROM run')?.[0]).toBe(4);
  database.run('UPDATE run SET run_id = 1 WHERE run_id = ?', first + 5_000);
  const last = await ledger.startRun('index', AT);
  expect(database.row('SELECT count(*) FROM run')?.[0]).toBe(4);
  expect((await ledger.lastRun())?.runId).toBe(last);
  database.close();
  await ledger.close();
});
