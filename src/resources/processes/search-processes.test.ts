import { fork, spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../../config/load-config.js';
import { scopeOf } from '../../core/scope.js';
import { createEngine } from '../../engine/create-engine.js';
import type { Engine, SearchResponse } from '../../operations/engine.js';
import { createHashEmbedder } from '../../testing/hash-embedder.js';
import { startSearchProcess } from './search-child.js';
import { SearchProcesses } from './search-processes.js';

const A = { tenant: 'a' };
const B = { tenant: 'b' };

async function openEngine(cwd: string, searchProcesses: number): Promise<Engine> {
  const engine = await createEngine({
    config: { provider: 'libsql' },
    cwd,
    searchProcesses,
  });
  onTestFinished(() => engine.close());
  return engine;
}

/** Searches for quokkas of tenant a. */
async function searchOver(processes: SearchProcesses, cwd: string) {
  const index = processes.index(await loadConfig({ cwd, config: { provider: 'libsql' } }));
  if (index === undefined) throw new Error('The configuration cannot be sent.');
  return () => index.find({ text: 'quokka' }, scopeOf(A), performance.now());
}

/** Ids of the search processes that this process has. */
const runningProcesses = (): string[] =>
  spawnSync('pgrep', ['-P', String(process.pid), '-f', 'search-process'], { encoding: 'utf8' }).stdout.match(
    /\d+/g,
  ) ?? [];

/** All but the times. */
const said = ({ tookMs: _, stages: __, lanes, ...response }: SearchResponse): unknown => ({
  ...response,
  lanes: lanes.map((lane) => ({ ...lane, tookMs: 0 })),
});

describe('search processes', () => {
  test('find what the process itself finds, and what was written before', async () => {
    const cwd = temporaryFolder();
    const writer = await openEngine(cwd, 0);
    await writer.push([{ id: 'a', text: 'The quokka lives on Rottnest Island.' }], A);
    const searcher = await openEngine(cwd, 2);
    const query = { text: 'quokka', options: { explainScore: true } };
    expect(said(await searcher.search(query, A))).toEqual(said(await writer.search(query, A)));
    expect((await searcher.search('quokka', B)).results).toEqual([]);
    for (let turn = 0; turn < 5; turn++) {
      const word = `word${turn}zyx`;
      await searcher.push([{ id: word, text: `A text with ${word} in it.` }], A);
      const found = await Promise.all([0, 1, 2].map(() => searcher.search(word, A)));
      expect(found.map(({ results }) => results[0]?.metadata.source)).toEqual([word, word, word]);
    }
    await searcher.delete(['a'], A);
    expect(
      (await searcher.search('Rottnest', A)).results.map(({ metadata }) => metadata.source),
    ).not.toContain('a');
  });

  test('answer with passages and errors as the process itself', async () => {
    const cwd = temporaryFolder();
    const engine = await openEngine(cwd, 1);
    await expect(engine.search('anything', A)).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
    await engine.push([{ id: 'a', text: 'The quokka lives on Rottnest Island.' }], A);
    const answer = await engine.ask('Where does the quokka live?', A);
    expect(answer.answer).toContain('Rottnest');
    const controller = new AbortController();
    const searching = engine.search({ text: 'quokka', signal: controller.signal }, A);
    controller.abort();
    await expect(searching).rejects.toMatchObject({ reason: 'ABORTED' });
    expect((await engine.search('quokka', A)).results).toHaveLength(1);
  });

  test('plan a search for what waiting left of its deadline', async () => {
    const cwd = temporaryFolder();
    await (await openEngine(cwd, 0)).push([{ id: 'a', text: 'The quokka lives here.' }], A);
    const processes = new SearchProcesses({ count: 1, maxDelayMs: 0 });
    onTestFinished(() => processes.close());
    const index = processes.index(await loadConfig({ cwd, config: { provider: 'libsql' } }));
    const find = (waitedMs: number) =>
      index?.find(
        { text: 'quokka', options: { deadlineMs: 60_000 } },
        scopeOf(A),
        performance.now() - waitedMs,
      );
    expect((await find(0))?.plan).toMatchObject({ name: 'whole' });
    expect((await find(0))?.plan?.deadlineMs).toBeGreaterThan(30_000);
    expect((await find(59_999.5))?.plan).toMatchObject({ name: 'words', deadlineMs: 1 });
    // The caller is told of the deadline that was given.
    const engine = await openEngine(cwd, 1);
    const { plan } = await engine.search({ text: 'quokka', options: { deadlineMs: 60_000 } }, A);
    expect(plan).toMatchObject({ deadlineMs: 60_000, isInTime: true, leftOut: [] });
  });

  test('go on after one was killed in the middle of a search', async () => {
    const cwd = temporaryFolder();
    await (await openEngine(cwd, 0)).push([{ id: 'a', text: 'The quokka lives here.' }], A);
    const children: ReturnType<typeof fork>[] = [];
    const processes = new SearchProcesses({
      count: 2,
      maxDelayMs: 0,
      start: () => {
        const child = startSearchProcess();
        children.push(child);
        // It is ready, and is given its first search.
        if (children.length === 1) child.once('message', () => setImmediate(() => child.kill('SIGKILL')));
        return child;
      },
    });
    onTestFinished(() => processes.close());
    const search = await searchOver(processes, cwd);
    const found = await Promise.all([0, 1, 2, 3].map(() => search()));
    expect(found.map(({ passages }) => passages.length)).toEqual([1, 1, 1, 1]);
    expect(children.length).toBeGreaterThan(1);
  });

  test('that cannot start are told of, and the next search tries again', async () => {
    const cwd = temporaryFolder();
    let starts = 0;
    const processes = new SearchProcesses({
      count: 1,
      maxDelayMs: 0,
      start: () => {
        starts += 1;
        return fork(join(cwd, 'absent.mjs'), [], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      },
    });
    onTestFinished(() => processes.close());
    const search = await searchOver(processes, cwd);
    await expect(search()).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
    const before = starts;
    await expect(search()).rejects.toMatchObject({ reason: 'SERVICE_UNAVAILABLE' });
    expect(starts).toBeGreaterThan(before);
  });

  test('are gone with the engine', async () => {
    const cwd = temporaryFolder();
    const engine = await openEngine(cwd, 1);
    await engine.push([{ id: 'a', text: 'The quokka lives here.' }], A);
    await engine.search('quokka', A);
    expect(runningProcesses()).toHaveLength(1);
    await engine.close();
    expect(runningProcesses()).toEqual([]);
  });

  test('are gone where the engine is refused', async () => {
    const cwd = temporaryFolder();
    const elsewhere = temporaryFolder();
    mkdirSync(join(cwd, '.ragstone'));
    symlinkSync(elsewhere, join(cwd, '.ragstone/results.db'));
    await expect(openEngine(cwd, 1)).rejects.toMatchObject({ reason: 'INDEX_UNTRUSTED' });
    expect(runningProcesses()).toEqual([]);
  });

  test('are refused where only this process has what is searched', async () => {
    const refused = { reason: 'USAGE', message: expect.stringContaining('searchProcesses') };
    const given = { cwd: temporaryFolder(), searchProcesses: 2 };
    await expect(createEngine({ ...given, config: { provider: 'memory' } })).rejects.toMatchObject(refused);
    await expect(createEngine({ ...given, embedder: createHashEmbedder() })).rejects.toMatchObject(refused);
  });
});
