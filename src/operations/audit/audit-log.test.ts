import fs, {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { DATA_FOLDERS } from '../../core/data-folder.js';
import type { RAGError } from '../../core/errors.js';
import { SYSTEM_RUNTIME, withRuntime } from '../../core/runtime.js';
import { AuditLog, type AuditLogOptions } from './audit-log.js';
import { type AuditEntry, CURRENT_FILE } from './audit-record.js';
import { lineHash } from './line-hash.js';
import { AuditChains, type AuditLine, readAudit } from './read-audit.js';

const SEARCH: AuditEntry = { face: 'http', action: 'POST /search', outcome: 'done', tenant: 'acme' };

function openLog(dataDir: string, options: Partial<AuditLogOptions> = {}): AuditLog {
  return new AuditLog({
    dataDir,
    required: true,
    text: false,
    maxFileBytes: 1_000_000,
    keepFiles: 0,
    onFailure: (error) => {
      throw error;
    },
    ...options,
  });
}

async function linesOf(dataDir: string): Promise<AuditLine[]> {
  const lines: AuditLine[] = [];
  for await (const line of readAudit(dataDir)) lines.push(line);
  return lines;
}

const actionsOf = (lines: readonly AuditLine[]) => lines.map(({ record }) => record?.action);

function findingsOf(lines: readonly AuditLine[]): string[] {
  const chains = new AuditChains();
  const found = lines.flatMap((line) => chains.check(line) ?? []);
  return [...found, ...chains.end()].map(({ problem }) => problem);
}

const currentFile = (dataDir: string) => join(dataDir, DATA_FOLDERS.audit, CURRENT_FILE);
const filesOf = (dataDir: string) => readdirSync(join(dataDir, DATA_FOLDERS.audit));

test('files that are put aside in one moment, or after the clock was set back, are read in their order', async () => {
  const dataDir = temporaryFolder();
  const log = openLog(dataDir, { maxFileBytes: 1 });
  const moments = [5_000, 5_000, 5_000, 5_000, 5_000, 4_000, 5_001];
  for (const [at, ms] of moments.entries())
    await withRuntime({ ...SYSTEM_RUNTIME, now: () => ms }, () => log.record({ ...SEARCH, results: at }));
  expect((await linesOf(dataDir)).map(({ record }) => record?.results)).toEqual([...moments.keys()]);
});

test('lines are read as they were written, for the owner alone', async () => {
  const dataDir = temporaryFolder();
  const entry = { ...SEARCH, filters: { filters: { tags: ['a\nb'] } }, documents: ['x'], results: 1 };
  await openLog(dataDir).record(entry);
  expect((await linesOf(dataDir)).map(({ record }) => record)).toEqual([expect.objectContaining(entry)]);
  if (process.platform === 'win32') return;
  expect(statSync(currentFile(dataDir)).mode & 0o777).toBe(0o600);
  expect(statSync(join(dataDir, DATA_FOLDERS.audit)).mode & 0o777).toBe(0o700);
});

test('several writers lose and tear no line, also while files are put aside', async () => {
  const dataDir = temporaryFolder();
  const logs = Array.from({ length: 4 }, () => openLog(dataDir, { maxFileBytes: 8_192, required: false }));
  const actions = logs.flatMap((_, writer) => Array.from({ length: 150 }, (_, n) => `${writer} ${n}`));
  await Promise.all(
    actions.map((action) => (logs[Number(action[0])] as AuditLog).record({ ...SEARCH, action })),
  );
  const lines = await linesOf(dataDir);
  expect(filesOf(dataDir).length).toBeGreaterThan(1);
  expect(actionsOf(lines).sort()).toEqual(actions.sort());
});

/** Names of files hold the time: no two are put aside in one millisecond. */
function ticking<Result>(work: () => Result): Result {
  let now = Date.parse('2026-05-01');
  return withRuntime({ ...SYSTEM_RUNTIME, now: () => now++ }, work);
}

test('of files put aside as many are kept as is said', async () => {
  const dataDir = temporaryFolder();
  const log = openLog(dataDir, { maxFileBytes: 1, keepFiles: 2, required: false });
  await ticking(async () => {
    for (let n = 0; n < 10; n++) await log.record({ ...SEARCH, action: `${n}` });
  });
  await log.close();
  expect(filesOf(dataDir).length).toBeLessThanOrEqual(2 + 1);
  const actions = actionsOf(await linesOf(dataDir));
  expect(actions).not.toContain('0');
  expect(actions).toContain('remove files');
});

describe('chains over files that were removed', () => {
  const removed = () => ticking(writtenAndRemoved);
  const writtenAndRemoved = async () => {
    const dataDir = temporaryFolder();
    const seldom = openLog(dataDir, { maxFileBytes: 1, keepFiles: 3, required: false });
    const log = openLog(dataDir, { maxFileBytes: 1, keepFiles: 3, required: false });
    await seldom.record({ ...SEARCH, action: 'long ago' });
    for (let n = 0; n < 12; n++) await log.record({ ...SEARCH, action: `${n}` });
    // A removal goes on after the line that caused it.
    await log.close();
    // The line that says where its chain ended was removed itself meanwhile.
    await seldom.record({ ...SEARCH, action: 'now' });
    await seldom.close();
    return dataDir;
  };

  test('are followed', async () => {
    const lines = await linesOf(await removed());
    expect(actionsOf(lines)).toContain('now');
    expect(actionsOf(lines)).not.toContain('long ago');
    expect(lines.some(({ record }) => (record?.sequence ?? 0) > 0)).toBe(true);
    expect(findingsOf(lines)).toEqual([]);
  });

  test('show a file that somebody else took away', async () => {
    const dataDir = await removed();
    const [oldest = ''] = filesOf(dataDir).sort();
    rmSync(join(dataDir, DATA_FOLDERS.audit, oldest));
    const problems = findingsOf(await linesOf(dataDir));
    expect(problems).toEqual([expect.stringMatching(/no line of the log says that they were removed/)]);
  });

  test('show a first line that was changed', async () => {
    const dataDir = await removed();
    const [oldest = ''] = filesOf(dataDir).sort();
    const path = join(dataDir, DATA_FOLDERS.audit, oldest);
    writeFileSync(path, readFileSync(path, 'utf8').replace('acme', 'other'));
    expect(findingsOf(await linesOf(dataDir))).toEqual([expect.stringMatching(/^It was changed/)]);
  });
});

test('a line that a killed process left torn costs no other', async () => {
  const dataDir = temporaryFolder();
  await openLog(dataDir).record({ ...SEARCH, action: 'before' });
  appendFileSync(currentFile(dataDir), '{"at":"2026-05-01T00:00:00.000Z","face":"ht');
  await openLog(dataDir).record({ ...SEARCH, action: 'after' });
  expect(actionsOf(await linesOf(dataDir))).toEqual(['before', undefined, 'after']);
});

test('an end that was written twice is no line', async () => {
  const dataDir = temporaryFolder();
  const log = openLog(dataDir);
  await log.record({ ...SEARCH, action: 'before' });
  appendFileSync(currentFile(dataDir), '\n');
  await log.record({ ...SEARCH, action: 'after' });
  const lines = await linesOf(dataDir);
  expect([actionsOf(lines), findingsOf(lines)]).toEqual([['before', 'after'], []]);
});

describe('what cannot be written', () => {
  const blocked = (): string => {
    const dataDir = temporaryFolder();
    writeFileSync(join(dataDir, DATA_FOLDERS.audit), 'no folder');
    return dataDir;
  };

  test('is refused where the log is required', async () => {
    await expect(openLog(blocked()).record(SEARCH)).rejects.toMatchObject({ reason: 'AUDIT_UNAVAILABLE' });
  });

  test('is told elsewhere where it is not, and later lines are written', async () => {
    const dataDir = blocked();
    const told: RAGError[] = [];
    const log = openLog(dataDir, { required: false, onFailure: (error) => told.push(error) });
    await log.record(SEARCH);
    expect(told.map(({ reason }) => reason)).toEqual(['AUDIT_UNAVAILABLE']);
    rmSync(join(dataDir, DATA_FOLDERS.audit));
    mkdirSync(join(dataDir, DATA_FOLDERS.audit));
    await log.record(SEARCH);
    expect(findingsOf(await linesOf(dataDir))).toEqual([]);
  });
});

/** As a disk that is full: what was written may be there. */
function failNextFlush(): void {
  const flush = vi.spyOn(fs, 'fsync');
  flush.mockImplementationOnce((_, done) => done(new Error('The disk of the test is full.')));
  syncBuiltinESMExports();
  onTestFinished(() => {
    flush.mockRestore();
    syncBuiltinESMExports();
  });
}

test('what stands there of a write that failed is no finding', async () => {
  const dataDir = temporaryFolder();
  const log = openLog(dataDir, { required: true });
  await log.record({ ...SEARCH, action: 'before' });
  failNextFlush();
  await expect(log.record({ ...SEARCH, action: 'failed' })).rejects.toMatchObject({
    reason: 'AUDIT_UNAVAILABLE',
  });
  await log.record({ ...SEARCH, action: 'after' });
  const lines = await linesOf(dataDir);
  expect(actionsOf(lines)).toEqual(['before', 'failed', 'after']);
  expect(findingsOf(lines)).toEqual([]);
});

describe('the chains of the writers', () => {
  const written = async () => {
    const dataDir = temporaryFolder();
    const logs = [openLog(dataDir), openLog(dataDir)];
    for (const action of ['a', 'b', 'c', 'd'])
      for (const log of logs) await log.record({ ...SEARCH, action });
    expect(findingsOf(await linesOf(dataDir))).toEqual([]);
    return { dataDir, lines: readFileSync(currentFile(dataDir), 'utf8').trimEnd().split('\n') };
  };
  const findingsAfter = async (dataDir: string, lines: readonly string[]) => {
    writeFileSync(currentFile(dataDir), `${lines.join('\n')}\n`);
    return findingsOf(await linesOf(dataDir));
  };

  test.each([
    [
      'a line that was changed',
      (lines: string[]) => lines.with(2, (lines[2] ?? '').replace('acme', 'other')),
      1,
    ],
    ['a line that was taken out', (lines: string[]) => lines.toSpliced(3, 1), 1],
    [
      'lines that changed places',
      (lines: string[]) => lines.with(2, lines[4] ?? '').with(4, lines[2] ?? ''),
      3,
    ],
    ['a line that stands twice', (lines: string[]) => lines.toSpliced(4, 0, lines[4] ?? ''), 1],
    ['a line that is none', (lines: string[]) => lines.toSpliced(4, 0, 'x'), 1],
  ])('show %s', async (_, change, count) => {
    const { dataDir, lines } = await written();
    expect(await findingsAfter(dataDir, change(lines))).toHaveLength(count);
  });
});

test('a line that was changed together with its hash shows by the line after it', async () => {
  const dataDir = temporaryFolder();
  const log = openLog(dataDir);
  for (const action of ['a', 'b', 'c']) await log.record({ ...SEARCH, action });
  const [first = '', second = '', third = ''] = readFileSync(currentFile(dataDir), 'utf8').split('\n');
  const changed = { ...JSON.parse(second), tenant: 'other' };
  const hash = lineHash(JSON.parse(first).hash, changed);
  writeFileSync(currentFile(dataDir), `${[first, JSON.stringify({ ...changed, hash }), third].join('\n')}\n`);
  expect(findingsOf(await linesOf(dataDir))).toEqual([expect.stringMatching(/^It was changed: line 2 /)]);
});

test('a line without end is not held in memory, and those after it are read', async () => {
  const dataDir = temporaryFolder();
  const log = openLog(dataDir);
  await log.record({ ...SEARCH, action: 'before' });
  appendFileSync(currentFile(dataDir), `${'x'.repeat(5_000_000)}\n`);
  await log.record({ ...SEARCH, action: 'after' });
  expect(actionsOf(await linesOf(dataDir))).toEqual(['before', undefined, 'after']);
});
