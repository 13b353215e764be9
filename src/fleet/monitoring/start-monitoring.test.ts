import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { waitFor } from '../../../tests/wait-for.js';
import { createEngine, type Embedder, type Engine, type Monitoring, startMonitoring } from '../../index.js';
import type { Alert } from './alerts/alert.js';

type Settings = NonNullable<NonNullable<Parameters<typeof createEngine>[0]>['config']>;

/** An engine that is watched; both go with the test. */
async function watched(
  monitoring: object,
  {
    config = { provider: 'memory' },
    cwd = temporaryFolder(),
    name = 'test',
    embedder,
  }: { config?: object; cwd?: string; name?: string; embedder?: Embedder } = {},
): Promise<{ engine: Engine; watch: Monitoring; lines: string[]; cwd: string }> {
  const engine = await createEngine({
    config: { ...config, monitoring } as Settings,
    cwd,
    ...(embedder === undefined ? {} : { embedder }),
  });
  const lines: string[] = [];
  const watch = await startMonitoring(engine, { name, write: (line) => lines.push(line) });
  onTestFinished(async () => {
    await watch.stop();
    await engine.close();
  });
  return { engine, watch, lines, cwd };
}

/** The value of a line of the metrics; undefined where there is none. */
async function metric({ metrics }: Monitoring, line: string): Promise<number | undefined> {
  const text = (await metrics?.text()) ?? '';
  const found = text.split('\n').find((one) => one.startsWith(`${line} `));
  return found === undefined ? undefined : Number(found.slice(line.length + 1));
}

const alertsIn = (path: string): Alert[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Alert)
    : [];

const DOCUMENTS = [
  { id: 'a', text: 'Audit logs are kept for thirty days.' },
  { id: 'b', text: 'The gateway listens on port 8443.' },
];

/** A model whose vectors are worth keeping. */
function countingLetters(): Embedder {
  const vectorOf = (text: string): Float32Array => {
    const counts = [...'aeiounst'].map((letter) => text.split(letter).length);
    return Float32Array.from(counts, (count) => count / Math.hypot(...counts));
  };
  return {
    identity: {
      model: 'letters',
      revision: '1',
      dimensions: 8,
      pooling: 'none',
      normalised: true,
      queryPrefix: '',
      documentPrefix: '',
      maxInputTokens: 1_000,
    },
    dimensions: 8,
    maxInputTokens: 1_000,
    maxBatch: 50,
    isCheap: false,
    countTokens: (text) => text.length,
    doEmbed: async (texts) => texts.map(vectorOf),
    close: async () => undefined,
  };
}

describe('metrics', () => {
  test('count what the engine does, and nothing that names anybody', async () => {
    const { engine, watch } = await watched({});
    await engine.push(DOCUMENTS);
    await engine.search('how long are audit logs of Wilhelmina kept?');
    await engine.ask('How long are audit logs kept?');
    expect(await metric(watch, 'rag_indexing_documents_processed_total')).toBe(2);
    expect(await metric(watch, 'rag_indexing_indexing_duration_seconds_count{kind="push"}')).toBe(1);
    expect(await metric(watch, 'rag_indexing_chunking_duration_seconds_count')).toBe(1);
    expect(await metric(watch, 'rag_indexing_failure_count_total')).toBe(0);
    expect(await metric(watch, 'rag_search_query_count_total{mode="hybrid"}')).toBe(2);
    expect(await metric(watch, 'rag_search_result_count_count')).toBe(2);
    expect(await metric(watch, 'rag_system_degradation_level')).toBe(0);
    expect(await metric(watch, 'rag_search_lane_duration_seconds_count{lane="dense"}')).toBe(2);
    const text = (await watch.metrics?.text()) ?? '';
    expect(text).toContain('process_cpu_seconds_total');
    expect(text.replaceAll(/^#.*$/gm, '')).not.toMatch(/wilhelmina|gateway|tenant/i);
  });

  test('what fails is counted, and what is given up is not', async () => {
    const { engine, watch } = await watched({});
    await expect(engine.search('anything')).rejects.toMatchObject({ reason: 'INDEX_EMPTY' });
    await engine.push(DOCUMENTS);
    await expect(engine.search({ text: 'anything', signal: AbortSignal.abort() })).rejects.toMatchObject({
      reason: 'ABORTED',
    });
    expect(await metric(watch, 'rag_search_failure_count_total{reason="INDEX_EMPTY"}')).toBe(1);
    expect(await metric(watch, 'rag_search_query_count_total{mode="hybrid"}')).toBe(1);
  });

  test('count each document that is deleted, by whatever was asked', async () => {
    const { engine, watch } = await watched({});
    const documents = ['a', 'b', 'c', 'd', 'e'].map((id) => ({ id, text: `The log of ${id} is kept.` }));
    await engine.push(documents);
    const deleted = () => metric(watch, 'rag_indexing_documents_deleted_total');
    await engine.index({ deleted: ['a'] });
    expect(await deleted()).toBe(1);
    await engine.delete(['b', 'unknown']);
    expect(await deleted()).toBe(2);
    await engine.forget({ documents: ['c', 'd'], dryRun: true });
    expect(await deleted()).toBe(2);
    await engine.forget({ documents: ['c', 'd'] });
    expect(await deleted()).toBe(4);
  });

  test('say nothing of what was not looked at yet', async () => {
    const { engine, watch } = await watched({});
    await engine.push(DOCUMENTS);
    for (const name of [
      'rag_system_vector_store_size',
      'rag_system_query_cache_size',
      'rag_search_cache_hit_rate',
      'rag_system_degradation_level',
      'rag_work_waiting_documents',
      'rag_store_journal_bytes',
    ])
      expect([name, await metric(watch, name)]).toEqual([name, undefined]);
    await engine.search('logs');
    expect(await metric(watch, 'rag_system_degradation_level')).toBe(0);
  });

  test('tell look-ups of questions from those of what is indexed', async () => {
    const { engine, watch } = await watched(
      {},
      {
        config: { provider: 'memory', embedding: { cache: { enabled: true } } },
        embedder: countingLetters(),
      },
    );
    await engine.push(Array.from({ length: 300 }, (_, i) => ({ id: `d${i}`, text: `Logs of part ${i}.` })));
    for (let i = 0; i < 10; i++) await engine.search('how long are logs kept?');
    expect(await metric(watch, 'cache_misses_total{cacheType="document-embedding"}')).toBe(300);
    expect(await metric(watch, 'cache_hit_rate{cacheType="document-embedding"}')).toBe(0);
    expect(await metric(watch, 'cache_hits_total{cacheType="embedding"}')).toBe(9);
    expect(await metric(watch, 'cache_hit_rate{cacheType="embedding"}')).toBe(90);
  });

  test('give the share of searches that earlier results answered, those of like questions among them', async () => {
    const cache = { enabled: true, semantic: { enabled: true, threshold: 0.8 } };
    const { engine, watch } = await watched({}, { config: { provider: 'memory', retrieval: { cache } } });
    await engine.push(DOCUMENTS);
    const question = 'how long are audit logs kept?';
    await engine.search(question);
    expect((await engine.search('how long are the audit logs kept?')).semanticCache).toBeDefined();
    await engine.search(question);
    await engine.search('which port does the gateway listen on?');
    expect(await metric(watch, 'rag_search_cache_hit_rate')).toBe(0.5);
  });

  test('are written to files, whole', async () => {
    const cwd = temporaryFolder();
    const { engine, watch } = await watched(
      { metrics: { exportPath: './metrics/rag' } },
      { cwd, name: 'serve' },
    );
    await engine.push(DOCUMENTS);
    await watch.stop();
    expect(readdirSync(join(cwd, 'metrics/rag')).filter((name) => name.endsWith('.prom'))).toEqual([
      'serve.prom',
    ]);
    expect(readFileSync(join(cwd, 'metrics/rag/serve.prom'), 'utf8')).toContain(
      'rag_indexing_documents_processed_total 2',
    );
  });

  test('search processes tell what they did', async () => {
    const cwd = temporaryFolder();
    const engine = await createEngine({ config: { provider: 'libsql' }, cwd, searchProcesses: 1 });
    const watch = await startMonitoring(engine);
    onTestFinished(async () => {
      await watch.stop();
      await engine.close();
    });
    await engine.push(DOCUMENTS);
    await engine.search('audit logs');
    expect(await metric(watch, 'rag_search_query_count_total{mode="hybrid"}')).toBe(1);
    expect(await metric(watch, 'rag_search_lane_duration_seconds_count{lane="dense"}')).toBe(1);
    expect(
      await metric(watch, 'rag_embedding_call_duration_seconds_count{kind="query",model="builtin"}'),
    ).toBe(1);
  });
});

describe('the log', () => {
  test('has the events of the specification, queries cut at 100 characters, and rolls over', async () => {
    const cwd = temporaryFolder();
    const { engine, watch } = await watched(
      { logging: { level: 'debug', path: './logs/rag.log', maxFiles: 2, maxSize: '1k' } },
      { cwd },
    );
    await engine.push(DOCUMENTS);
    for (let turn = 0; turn < 12; turn++) await engine.search(`audit ${'x'.repeat(200)} ${turn}`);
    await watch.stop();
    const files = readdirSync(join(cwd, 'logs')).sort();
    expect(files.filter((file) => /^rag\.log(\.\d+)?$/.test(file))).toEqual([
      'rag.log',
      'rag.log.1',
      'rag.log.2',
    ]);
    const lines = files
      .filter((file) => file.startsWith('rag.log'))
      .flatMap((file) =>
        readFileSync(join(cwd, 'logs', file), 'utf8')
          .trim()
          .split('\n'),
      )
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as { event: string; query: string; resultCount: number });
    const searches = lines.filter(({ event }) => event === 'search_performed');
    expect(searches.length).toBeGreaterThan(0);
    for (const { query } of searches) expect(query).toHaveLength(100);
  });

  test('at level info it has runs and no queries', async () => {
    const cwd = temporaryFolder();
    const { engine, watch } = await watched({ logging: { level: 'info', path: './logs/rag.log' } }, { cwd });
    await engine.push(DOCUMENTS);
    await engine.search('audit logs');
    await watch.stop();
    const text = readFileSync(join(cwd, 'logs/rag.log'), 'utf8');
    expect(text).not.toContain('audit');
    expect(JSON.parse(text)).toMatchObject({
      event: 'indexing_complete',
      documents: 2,
      chunks: 2,
      errors: 0,
    });
  });

  test('one that cannot be written is told of and stops nothing', async () => {
    const cwd = temporaryFolder();
    writeFileSync(join(cwd, 'logs'), 'a file');
    const { engine, lines } = await watched({ logging: { path: './logs/rag.log' } }, { cwd });
    expect(lines).toEqual([expect.stringContaining('rag.monitoring.logging.path')]);
    await engine.push(DOCUMENTS);
  });
});

test('two processes of one name do not write their metrics over each other', async () => {
  const folder = temporaryFolder();
  const monitoring = { metrics: { exportPath: folder } };
  const files = (): string[] => readdirSync(folder).filter((name) => name.endsWith('.prom'));
  await watched(monitoring, { name: 'serve' });
  // Who comes first has the name.
  await waitFor(() => expect(files()).toEqual(['serve.prom']));
  const second = await watched(monitoring, { name: 'serve' });
  const own = `serve-${process.pid}.prom`;
  await waitFor(() => expect(files().sort()).toEqual([own, 'serve.prom']));
  await waitFor(() => expect(second.lines).toEqual([expect.stringContaining(own)]));
  await second.watch.stop();
  expect(files()).toEqual(['serve.prom']);
});

describe('alerts, each by a real fault, are told once and resolved once', () => {
  const states = (alerts: readonly Alert[]): string[] =>
    alerts.map(({ alert, state }) => `${alert} ${state}`);

  test('indexing_failure: a source whose folder is gone, until it is back', async () => {
    const cwd = temporaryFolder({ 'docs/a.md': '# Audit\n\nLogs are kept.\n' });
    const { engine, watch, lines } = await watched(
      {
        alerts: {
          enabled: true,
          channels: [{ type: 'console' }, { type: 'file', path: './logs/alerts.log', minSeverity: 'error' }],
          conditions: [{ name: 'indexing_failure', threshold: 3, severity: 'error' }],
        },
      },
      {
        cwd,
        config: {
          provider: 'memory',
          sources: [{ name: 'docs', type: 'markdown', root: 'docs', paths: ['**/*.md'] }],
        },
      },
    );
    const run = () => engine.index({ sources: ['docs'] });
    await run();
    renameSync(join(cwd, 'docs'), join(cwd, 'gone'));
    for (let turn = 0; turn < 2; turn++) await run();
    expect(watch.raisedAlerts()).toEqual([]);
    for (let turn = 0; turn < 3; turn++) await run();
    expect(watch.raisedAlerts()).toMatchObject([{ alert: 'indexing_failure', value: 3 }]);
    expect(await metric(watch, 'rag_alert_active{alert="indexing_failure",severity="error"}')).toBe(1);
    renameSync(join(cwd, 'gone'), join(cwd, 'docs'));
    for (let turn = 0; turn < 2; turn++) await run();
    await watch.stop();
    expect(states(alertsIn(join(cwd, 'logs/alerts.log')))).toEqual([
      'indexing_failure raised',
      'indexing_failure resolved',
    ]);
    expect(lines).toEqual([
      expect.stringContaining('"docs" failed 3 times'),
      expect.stringContaining('alert resolved'),
    ]);
  });

  test.each([
    ['a ledger that was damaged', 'no database at all'.repeat(500)],
    ['a data folder without its disk', undefined],
  ])(
    'store_unreachable: %s, until it is whole again',
    async (_, ledger) => {
      const cwd = temporaryFolder();
      const { engine, watch } = await watched(
        {
          healthCheck: { enabled: true, interval: 1 },
          alerts: {
            enabled: true,
            channels: [{ type: 'file', path: './alerts.log' }],
            conditions: [{ name: 'store_unreachable', threshold: 2, severity: 'critical' }],
          },
        },
        { cwd, config: { provider: 'libsql' } },
      );
      await engine.push(DOCUMENTS);
      const data = join(cwd, '.ragstone');
      renameSync(data, `${data}.away`);
      mkdirSync(data);
      if (ledger !== undefined) writeFileSync(join(data, 'ledger.db'), ledger);
      await waitFor(() =>
        expect(watch.raisedAlerts()).toMatchObject([{ alert: 'store_unreachable', severity: 'critical' }]),
      );
      rmSync(data, { recursive: true });
      renameSync(`${data}.away`, data);
      await waitFor(() => expect(watch.raisedAlerts()).toEqual([]));
      await watch.stop();
      expect(states(alertsIn(join(cwd, 'alerts.log')))).toEqual([
        'store_unreachable raised',
        'store_unreachable resolved',
      ]);
    },
    40_000,
  );

  test('slow_query: searches that take longer, until none did for a minute; a webhook is told', async () => {
    const told: Alert[] = [];
    let refusals = 1;
    const server = createServer((request, response) => {
      let body = '';
      request.on('data', (part: Buffer) => {
        body += part.toString();
      });
      request.on('end', () => {
        if (refusals-- > 0) return response.writeHead(503).end();
        told.push(JSON.parse(body) as Alert);
        return response.end();
      });
    }).listen(0);
    onTestFinished(() => void server.close());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
    const minute: (() => void)[] = [];
    const { SYSTEM_RUNTIME } = await import('../../index.js');
    const runtime = {
      ...SYSTEM_RUNTIME,
      setTimer: (callback: () => void, milliseconds: number, options?: object) => {
        if (milliseconds !== 60_000) return SYSTEM_RUNTIME.setTimer(callback, milliseconds, options);
        minute.splice(0, minute.length, callback);
        return () => minute.splice(0);
      },
    };
    const engine = await createEngine({
      config: {
        provider: 'memory',
        monitoring: {
          alerts: {
            enabled: true,
            channels: [{ type: 'webhook', url, minSeverity: 'info' }],
            // Every search is slower than this.
            conditions: [{ name: 'slow_query', threshold: 0.001, severity: 'info' }],
          },
        },
      },
      cwd: temporaryFolder(),
      runtime,
    });
    const watch = await startMonitoring(engine);
    onTestFinished(() => engine.close());
    await engine.push(DOCUMENTS);
    for (let turn = 0; turn < 3; turn++) await engine.search('audit');
    expect(minute).toHaveLength(1);
    minute[0]?.();
    await watch.stop();
    expect(states(told)).toEqual(['slow_query raised', 'slow_query resolved']);
    expect(told[0]?.message).not.toContain('audit');
  });
});

describe('settings', () => {
  test.each([
    [{ channels: [{ type: 'file' }] }, 'path'],
    [{ channels: [{ type: 'webhook' }] }, 'url'],
    [{ conditions: [{ name: 'nothing', threshold: 1 }] }, 'name'],
    [
      {
        conditions: [
          { name: 'slow_query', threshold: 1 },
          { name: 'slow_query', threshold: 2 },
        ],
      },
      'twice',
    ],
  ])('%j is refused', async (alerts, word) => {
    const config = { provider: 'memory', monitoring: { alerts } } as Settings;
    await expect(createEngine({ config, cwd: temporaryFolder() })).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringContaining(word),
    });
  });
});
