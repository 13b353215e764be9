import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { expect, onTestFinished, test } from 'vitest';
import type { IndexStatus, SearchResponse, SyncEvent, VerifyResult } from '../../src/index.js';
import { waitFor } from '../wait-for.js';
import { finished, openRagstone, ragstoneJson, runRagstone, startRagstone } from './run-ragstone.js';
import { openService } from './start-service.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';

const CONFIG = `rag:
  provider: libsql
  sync: { settleMs: 200 }
  sources:
    - { name: docs, type: markdown, root: docs, paths: ['**/*.md'], watch: true }
  server: { maxDelayMs: 0 }
`;

type EventOf<Type extends SyncEvent['type']> = Extract<SyncEvent, { readonly type: Type }>;

const DAEMON = ['sync', '--daemon', '--json'];

/** A daemon in this process, and the events that it wrote. */
function openDaemon(cwd: string) {
  const { stdout, stop, ended } = openRagstone(DAEMON, { cwd });
  onTestFinished(async () => {
    stop();
    await ended;
  });
  return { stop, ended, ...eventsIn(stdout) };
}

/** One in a process of its own. */
function startDaemon(cwd: string) {
  const child = startRagstone(DAEMON, { cwd });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: finished(child), ...eventsIn(child.stdout) };
}

function eventsIn(stdout: Readable) {
  let text = '';
  stdout.on('data', (part: Buffer | string) => {
    text += part.toString();
  });
  const events = (): SyncEvent[] =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as SyncEvent);
  const of = <Type extends SyncEvent['type']>(type: Type): EventOf<Type>[] =>
    events().filter((event): event is EventOf<Type> => event.type === type);
  const runs = () => of('run-finished');
  const until = (type: SyncEvent['type'], count = 1): Promise<void> =>
    waitFor(() => expect(of(type).length).toBeGreaterThanOrEqual(count));
  /** What runs since one of them did, in sum. */
  const doneSince = (first: number) => {
    const some = runs().slice(first);
    const sum = (key: 'documentsProcessed' | 'documentsDeleted'): number =>
      some.reduce((total, { result }) => total + result.stats[key], 0);
    return { runs: some.length, read: sum('documentsProcessed'), deleted: sum('documentsDeleted') };
  };
  return { of, runs, until, doneSince };
}

const projectWith = (files: Readonly<Record<string, string>>, config = CONFIG): string =>
  temporaryFolder({ 'ragstone.yaml': config, ...files });

test('files that change are read, many changes in one run or a few, and being asked to end ends it with 0', async () => {
  const cwd = projectWith({ 'docs/a.md': '# A\n\nThe first text.\n', 'docs/b.md': '# B\n\nAnother one.\n' });
  const { stop, ended, until, runs, doneSince } = openDaemon(cwd);
  await until('run-finished');
  expect(runs()[0]).toMatchObject({ trigger: 'start', result: { stats: { documentsProcessed: 2 } } });

  // As editors save: a temporary file beside, renamed into place.
  writeFileSync(join(cwd, 'docs/a.md.tmp'), '# A\n\nThe second text.\n');
  renameSync(join(cwd, 'docs/a.md.tmp'), join(cwd, 'docs/a.md'));
  await waitFor(() => expect(doneSince(1).read).toBe(1));
  expect(doneSince(1).runs).toBe(1);

  renameSync(join(cwd, 'docs/a.md'), join(cwd, 'docs/c.md'));
  await waitFor(() => expect(doneSince(2).runs).toBe(1));

  const before = runs().length;
  const burst = Array.from({ length: 500 }, (_, i) => [
    `docs/many/${i % 20}/${i}.md`,
    `# No ${i}\n\nText ${i}.\n`,
  ]);
  writeFiles(cwd, Object.fromEntries(burst) as Record<string, string>);
  await waitFor(() => expect(doneSince(before).read).toBe(500));
  expect(doneSince(before).runs).toBeLessThanOrEqual(5);

  stop();
  const { code, stdout } = await ended;
  expect(code).toBe(0);
  expect(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? '')).toMatchObject({ type: 'stopped' });
  const { document } = await ragstoneJson<VerifyResult>(['verify'], { cwd });
  expect(document.drift).toEqual([]);
});

test('a folder that vanishes is kept as it was indexed, and read when it comes back', async () => {
  const cwd = projectWith({ 'docs/a.md': '# A\n\nThe heron stands in the reeds.\n' });
  const { until, of, runs } = openDaemon(cwd);
  await until('run-finished');
  rmSync(join(cwd, 'docs'), { recursive: true });
  await until('run-failed');
  expect(of('run-failed')[0]).toMatchObject({ source: 'docs', reason: 'SOURCE_NOT_FOUND', failures: 1 });
  const found = await ragstoneJson<SearchResponse>(['search', 'heron reeds'], { cwd });
  expect(found.document.results).toHaveLength(1);
  writeFiles(cwd, {
    'docs/a.md': '# A\n\nThe heron flew away.\n',
    'docs/b.md': '# B\n\nA kingfisher came.\n',
  });
  await waitFor(() => expect(runs().at(-1)?.result.stats.documentsProcessed).toBe(2));
});

test('a daemon that is killed in the middle is followed by one that ends what it began', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [
      `docs/${i}.md`,
      `# No ${i}\n\n${`Words of ${i}. `.repeat(200)}\n`,
    ]),
  );
  const cwd = projectWith(files);
  const first = startDaemon(cwd);
  await first.until('run-started');
  first.child.kill('SIGKILL');
  await first.ended;
  expect(first.runs()).toEqual([]);
  const second = startDaemon(cwd);
  await second.until('run-finished');
  second.child.kill('SIGTERM');
  expect((await second.ended).code).toBe(0);
  const { document } = await ragstoneJson<VerifyResult>(['verify'], { cwd });
  expect(document.drift).toEqual([]);
});

test('SIGTERM under work gives it back, and the next one does the rest', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 400 }, (_, i) => [
      `docs/${i}.md`,
      `# No ${i}\n\n${`Words of ${i}. `.repeat(200)}\n`,
    ]),
  );
  const cwd = projectWith(files);
  const daemon = startDaemon(cwd);
  await daemon.until('run-started');
  daemon.child.kill('SIGTERM');
  expect((await daemon.ended).code).toBe(0);
  expect((await ragstoneJson(['sync'], { cwd })).code).toBe(0);
  const { document } = await ragstoneJson<VerifyResult>(['verify'], { cwd });
  expect(document.drift).toEqual([]);
});

test('of two daemons one follows; the other one says so and takes over when it is killed', async () => {
  const cwd = projectWith({ 'docs/a.md': '# A\n\nText.\n' });
  const first = startDaemon(cwd);
  await first.until('run-finished');
  const second = startDaemon(cwd);
  await second.until('waiting');
  expect(second.of('waiting')[0]?.holder).toMatchObject({
    pid: first.child.pid,
    command: 'ragstone sync --daemon',
  });
  writeFiles(cwd, { 'docs/b.md': '# B\n\nText.\n' });
  await first.until('run-finished', 2);
  expect(second.of('run-started')).toEqual([]);
  first.child.kill('SIGKILL');
  await second.until('run-finished');
  writeFiles(cwd, { 'docs/c.md': '# C\n\nText.\n' });
  await second.until('run-finished', 2);
});

test('status says when each source is read next, and by whom', async () => {
  const config = CONFIG.replace('watch: true', "watch: true, indexSchedule: '0 2 * * *'");
  const cwd = projectWith({ 'docs/a.md': '# A\n\nText.\n' }, config);
  const { stop, ended, until } = openDaemon(cwd);
  await until('run-finished');
  const running = await ragstoneJson<IndexStatus>(['status'], { cwd });
  expect(running.document.following).toMatchObject({
    isFollowed: true,
    process: { pid: process.pid },
    sources: [
      {
        source: 'docs',
        state: 'idle',
        watch: 'on',
        nextAt: expect.stringMatching(/:00:00\.000Z$/) as string,
      },
    ],
  });
  stop();
  await ended;
  const { stdout } = await runRagstone(['status'], { cwd });
  expect(stdout).toContain('Sources are not followed now');
});

test('a service follows its sources, tells when each is read next, and leaves it where it is told to', async () => {
  const cwd = projectWith({ 'docs/a.md': '# A\n\nText.\n' });
  const service = await openService(cwd);
  onTestFinished(async () => void (await service.stop()));
  const get = async <Body>(path: string): Promise<Body> =>
    (await (await fetch(`${service.url}${path}`)).json()) as Body;
  type Sources = {
    following?: { isFollowed: boolean; sources: { state: string; watch: string }[]; process?: object };
  };
  await waitFor(async () => {
    const { following } = await get<Sources>('/api/ai/rag/sources');
    expect(following).toEqual({
      isFollowed: true,
      sources: [
        expect.objectContaining({ source: 'docs', state: 'idle', watch: 'on', lastTrigger: 'start' }),
      ],
    });
  });
  expect((await get<Sources>('/api/ai/rag/runs')).following?.isFollowed).toBe(true);
  await waitFor(async () => expect(await get('/health/rag')).toMatchObject({ checks: { sync: 'ok' } }));
  rmSync(join(cwd, 'docs'), { recursive: true });
  await waitFor(async () =>
    expect(await get('/health/rag')).toMatchObject({ status: 'healthy', checks: { sync: 'failed' } }),
  );
  expect((await service.stop()).code).toBe(0);
});

test.each([
  [["indexSchedule: 'every day'"], 2, /ragstone\.yaml:5:\d+: .*must be a cron expression .*"0 2 \* \* \*"/s],
  [[''], 2, /No source of the configuration says when it is to be read/],
])('what cannot be followed is refused: %s', async ([setting = ''], code, message) => {
  const cwd = projectWith({ 'docs/a.md': '# A\n' }, CONFIG.replace('watch: true', setting));
  const outcome = await runRagstone(['sync', '--daemon'], { cwd });
  expect(outcome.code).toBe(code);
  expect(outcome.stderr).toMatch(message);
});

test('sync alone reads once what is configured, or one source of it, and can say what it would do', async () => {
  const cwd = projectWith({ 'docs/a.md': '# A\n\nText.\n' });
  const would = await ragstoneJson<{ dryRun: boolean; stats: object }>(['sync', '--dry-run'], { cwd });
  expect(would.document).toMatchObject({ dryRun: true, stats: { documentsProcessed: 1 } });
  const did = await ragstoneJson<{ stats: object }>(['sync', '--source', 'docs'], { cwd });
  expect(did.document).toMatchObject({ stats: { documentsProcessed: 1 } });
  expect((await runRagstone(['sync', '--source', 'other'], { cwd })).code).toBe(2);
});
