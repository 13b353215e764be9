import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { temporaryFolder } from '../../../../tests/e2e/temporary-folder.js';
import { waitFor } from '../../../../tests/wait-for.js';
import type { Embedder } from '../../../embedding/embedder.js';
import { createStaticEmbedder } from '../../../embedding/static/static-embedder.js';
import { createEngine, type RAGSettingsInput, SYSTEM_RUNTIME, startMonitoring } from '../../../index.js';
import type { Alert } from './alert.js';

/** As the specification has it, and a webhook beside. */
const SPECIFIED = `
healthCheck:
  enabled: true
  endpoint: /health/rag
  interval: 30  # seconds
alerts:
  enabled: true
  channels:
    - type: console
      minSeverity: warning
    - type: file
      path: ./logs/alerts.log
      minSeverity: error
  conditions:
    - name: slow_query
      threshold: 1000  # ms
      severity: warning
    - name: indexing_failure
      threshold: 5  # consecutive failures
      severity: error
    - name: store_unreachable
      threshold: 3  # retries
      severity: critical
`;
const INTERVAL_MS = 30_000;
const MINUTE_MS = 60_000;

/** Everything as on this machine, but intervals and quiet minutes are over when the test says so. */
function heldTimers() {
  const held = new Map<number, (() => void)[]>();
  const runtime = {
    ...SYSTEM_RUNTIME,
    setTimer: (callback: () => void, milliseconds: number, options?: object) => {
      if (milliseconds !== INTERVAL_MS && milliseconds !== MINUTE_MS)
        return SYSTEM_RUNTIME.setTimer(callback, milliseconds, options);
      const once = (): void => callback();
      held.set(milliseconds, [...(held.get(milliseconds) ?? []), once]);
      return () =>
        held.set(
          milliseconds,
          (held.get(milliseconds) ?? []).filter((other) => other !== once),
        );
    },
  };
  const pass = (milliseconds: number): void => {
    const due = held.get(milliseconds) ?? [];
    held.delete(milliseconds);
    for (const callback of due) callback();
  };
  return { runtime, pass };
}

async function webhook(): Promise<{ readonly url: string; readonly told: readonly Alert[] }> {
  const told: Alert[] = [];
  const server = createServer((request, response) => {
    void json(request).then((alert) => {
      told.push(alert as Alert);
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, told };
}

/** The built-in model, as slow as a model far away can be. */
async function slowEmbedder() {
  const embedder = await createStaticEmbedder();
  const state = { waitMs: 0 };
  const { identity, dimensions, maxInputTokens, maxBatch, isCheap } = embedder;
  const slow: Embedder = {
    identity,
    dimensions,
    maxInputTokens,
    maxBatch,
    isCheap,
    countTokens: (text) => embedder.countTokens(text),
    doEmbed: async (...args) => {
      await sleep(state.waitMs);
      return embedder.doEmbed(...args);
    },
    close: () => embedder.close(),
  };
  return { embedder: slow, state };
}

test('the alerts of the specification: each is told once and resolved once, to the channels that its severity reaches', async () => {
  const cwd = temporaryFolder({ 'docs/a.md': '# Audit\n\nLogs are kept for thirty days.\n' });
  const { url, told } = await webhook();
  const { alerts, healthCheck } = parse(SPECIFIED) as NonNullable<RAGSettingsInput['monitoring']>;
  const { runtime, pass } = heldTimers();
  const { embedder, state } = await slowEmbedder();
  const engine = await createEngine({
    cwd,
    runtime,
    embedder,
    config: {
      provider: 'libsql',
      sources: [{ name: 'docs', type: 'markdown', root: 'docs', paths: ['**/*.md'] }],
      monitoring: {
        healthCheck,
        alerts: {
          ...alerts,
          channels: [...(alerts?.channels ?? []), { type: 'webhook', url, minSeverity: 'info' }],
        },
      },
    },
  });
  onTestFinished(() => engine.close());
  const lines: string[] = [];
  const watch = await startMonitoring(engine, { name: 'test', write: (line) => lines.push(line) });
  /** How many turns of a lane took so many seconds at most. */
  const bucketsOf = async (lane: string) => {
    const text = (await watch.metrics?.text()) ?? '';
    return (seconds: string): number =>
      Number(
        text
          .split('\n')
          .find(
            (line) =>
              line.startsWith('rag_search_lane_duration_seconds_bucket{') &&
              line.includes(`lane="${lane}"`) &&
              line.includes(`le="${seconds}"`),
          )
          ?.split(' ')
          .at(-1),
      );
  };
  const raised = (): string[] => watch.raisedAlerts().map(({ alert, value }) => `${alert} ${value}`);
  const index = () => engine.index({ sources: ['docs'] });
  await index();

  // Two searches wait for the model longer than a second, those before and between do not.
  await engine.search('audit');
  expect(raised()).toEqual([]);
  state.waitMs = 1_050;
  await engine.search('logs');
  await engine.search('days');
  state.waitMs = 0;
  await engine.search('thirty');
  expect(raised()).toEqual([expect.stringMatching(/^slow_query 1\d\d\d$/)]);
  // The metric that the page names says that it was the model: two of its four answers took a second.
  const dense = await bucketsOf('dense');
  expect([dense('0.5'), dense('+Inf')]).toEqual([2, 4]);
  const lexical = await bucketsOf('lexical');
  expect([lexical('0.5'), lexical('+Inf')]).toEqual([4, 4]);
  pass(MINUTE_MS);
  expect(raised()).toEqual([]);

  // The folder of a source is not mounted.
  renameSync(join(cwd, 'docs'), join(cwd, 'away'));
  for (let failures = 1; failures < 5; failures++) await index();
  expect(raised()).toEqual([]);
  for (let failures = 5; failures < 7; failures++) await index();
  expect(raised()).toEqual(['indexing_failure 5']);
  // What `ragstone failures` prints.
  const failing = (await engine.sourceStates()).filter(({ lastError }) => lastError !== undefined);
  expect(failing).toMatchObject([{ source: 'docs', lastError: { reason: expect.any(String) as string } }]);
  renameSync(join(cwd, 'away'), join(cwd, 'docs'));
  for (let turn = 0; turn < 2; turn++) await index();
  expect(raised()).toEqual([]);

  // The disk holds something else where the index was.
  const data = join(cwd, '.ragstone');
  const check = async (ok: boolean): Promise<void> => {
    const before = watch.lastHealth();
    pass(INTERVAL_MS);
    await waitFor(() => expect(watch.lastHealth()).not.toBe(before));
    expect(watch.lastHealth()?.health.ok).toBe(ok);
  };
  await check(true);
  renameSync(data, `${data}.away`);
  mkdirSync(data);
  writeFileSync(join(data, 'ledger.db'), 'no database at all'.repeat(500));
  for (let failures = 1; failures < 3; failures++) await check(false);
  expect(raised()).toEqual([]);
  for (let failures = 3; failures < 5; failures++) await check(false);
  expect(raised()).toEqual(['store_unreachable 3']);
  // What `ragstone health` prints.
  const out = (await engine.health()).parts.filter(({ ok }) => !ok);
  expect(out.map(({ part }) => part)).toContain('ledger');
  for (const { detail } of out) expect(detail).toMatch(/\w/);
  rmSync(data, { recursive: true });
  renameSync(`${data}.away`, data);
  for (let turn = 0; turn < 2; turn++) await check(true);
  expect(raised()).toEqual([]);

  await watch.stop();
  const all = ['slow_query', 'indexing_failure', 'store_unreachable'];
  const turns = (names: readonly string[]): string[] =>
    names.flatMap((name) => [`${name} raised`, `${name} resolved`]);
  const said = (alert: Alert): string => `${alert.alert} ${alert.state}`;
  expect(told.map(said)).toEqual(turns(all));
  expect(
    readFileSync(join(cwd, 'logs/alerts.log'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => said(JSON.parse(line) as Alert)),
  ).toEqual(turns(['indexing_failure', 'store_unreachable']));
  expect(lines.map((line) => line.split(':')[0])).toEqual([
    'alert warning slow_query',
    'alert resolved slow_query',
    'alert error indexing_failure',
    'alert resolved indexing_failure',
    'alert critical store_unreachable',
    'alert resolved store_unreachable',
  ]);
});
