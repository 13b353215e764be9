import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

const PAGES = [
  [
    'pool',
    'Connection pool',
    'The pool waits and then throws `PoolExhaustedError`. Raise `maxConnections`, or close cursors.',
  ],
  ['runner', 'Runner', 'The runner takes a step at a time: step_0, step_1, and returns inner requests.'],
  ['jobs', 'Jobs', 'A job that failed is run again by the runner. Its core does the steps of a request.'],
  ['waiting', 'Waiting', 'Whoever gave up waiting for a connection for 5000 ms asks again.'],
  [
    'paths',
    'Paths',
    'Programs lie in /srv/app/dist/runner.js and /usr/lib/python3/site-packages/runner/core_0.py.',
  ],
  ['async', 'Async', 'Calls are async, and each step of the runner awaits the one before.'],
  ...Array.from({ length: 20 }, (_, i) => [
    `step-${i}`,
    `Step ${i}`,
    `The runner does step ${i} of the core of a job.`,
  ]),
].map(([id = '', title = '', text = '']) => ({ id, title, text: `# ${title}\n\n${text}` }));

const frames = (frame: (at: number) => string): string =>
  Array.from({ length: 20 }, (_, i) => frame(i)).join('\n');

let engine: Engine;
const folder = mkdtempSync(join(tmpdir(), 'traces-'));
beforeAll(async () => {
  engine = await createEngine({ config: { provider: 'memory' }, dataDir: folder });
  await engine.push(PAGES);
});
afterAll(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

describe('a pasted stack trace', () => {
  it.each([
    [
      'node',
      `PoolExhaustedError: gave up after 5000 ms\n${frames((i) => `    at async Runner.step${i} (/srv/app/dist/runner.js:10${i}:3)`)}`,
    ],
    [
      'java',
      `java.lang.RuntimeException: job failed\n${frames((i) => `\tat org.example.runner.core.Step${i}.run(Step${i}.java:${i})`)}\nCaused by: com.acme.PoolExhaustedError: gave up waiting for a connection\n\t... 12 more`,
    ],
    [
      'python',
      `Traceback (most recent call last):\n${frames((i) => `  File "/usr/lib/python3/site-packages/runner/core_${i}.py", line ${i}, in step_${i}\n    return self.inner_${i}(request)`)}\nPoolExhaustedError: gave up waiting for a connection`,
    ],
    [
      'go',
      `panic: PoolExhaustedError: gave up\n\ngoroutine 1 [running]:\n${frames((i) => `runner.step${i}(0xc000012345)\n\t/src/runner/step.go:1${i} +0x1d`)}`,
    ],
    [
      'ruby',
      `app.rb:3:in 'acquire': gave up waiting (PoolExhaustedError)\n${frames((i) => `\tfrom lib/runner.rb:${i}:in 'Runner#step${i}'`)}`,
    ],
    [
      'longer than a query may be',
      `Traceback (most recent call last):\n${Array.from({ length: 20 }, () => frames((i) => `  File "/usr/lib/python3/runner/core_${i}.py", line ${i}, in step_${i}`)).join('\n')}\nPoolExhaustedError: gave up`,
    ],
  ])('finds the page that names the error first, and says how it was read: %s', async (_, text) => {
    const { results, notices } = await engine.search({ text });
    expect(results[0]?.metadata.source).toBe('pool');
    expect(results[0]?.match).toBe('strong');
    expect(notices).toContainEqual(
      expect.stringMatching(/^The query is a stack trace: .* of its \d+ frames names alone\.$/),
    );
  });
});

/** Output of programs in which one line names the error. */
const LOGS: Readonly<Record<string, string>> = {
  'lines of a logger': `${frames((i) => `2026-05-01 12:00:${10 + i},123 INFO [main] org.example.runner.Step${i} - request req-${i}abc of user_id=42${i}`)}\n2026-05-01 12:00:40,000 ERROR [main] com.acme.db.Pool - PoolExhaustedError: gave up waiting`,
  'records in JSON': `${frames((i) => `{"level":"info","logger":"runner.core","msg":"step_${i} done","trace_id":"ab12cd34ef${i}","file":"core_${i}.py:12"}`)}\n{"level":"error","logger":"db.pool","msg":"PoolExhaustedError: gave up"}`,
  'the system log': `${frames((i) => `May  1 12:00:${10 + i} host-17 runner[123${i}]: step_${i} path=/srv/app/dist/f${i}.js`)}\nMay  1 12:00:40 host-17 runner[1234]: PoolExhaustedError`,
  'events of a cluster': `${Array.from({ length: 5 }, (_, i) => `  Warning  BackOff  ${i}m ago  kubelet  Back-off restarting failed container runner in pod runner-7d9f8b${i}`).join('\n')}\n  Error: PoolExhaustedError`,
  'settings before the error': `${frames((i) => `APP_SETTING_${i}=value_${i}`)}\nlast error: PoolExhaustedError`,
  'names of the program, mixed': `${frames((i) => `WARN FooService${i}: retryPolicy_${i} exceeded for OrderHandler${i}`)}\nERROR com.acme.db.PoolExhaustedError`,
  'longer than a query may be': `${Array.from({ length: 40 }, () => frames((i) => `INFO runner.core step_${i} of request req-${i}abc took 12${i} ms`)).join('\n')}\nERROR PoolExhaustedError`,
};

describe('a pasted log', () => {
  it.each(Object.entries(LOGS))('finds the page that names the error first: %s', async (_, text) => {
    const { results } = await engine.search({ text });
    expect(results[0]).toMatchObject({ metadata: { source: 'pool' }, match: 'strong' });
  });

  it('finds the page that holds a rare name before those that hold a common one, wherever they stand', async () => {
    const names = Array.from({ length: 12 }, (_, i) => `unknown_name_${i}`);
    const { results, notices } = await engine.search({ text: `${names.join(' ')} step_0 maxConnections` });
    expect(results.slice(0, 2).map(({ metadata }) => metadata.source)).toEqual(
      expect.arrayContaining(['pool', 'runner']),
    );
    expect(notices).toContain(
      'The query names 14 identifiers; the 8 rarest were looked up exactly, names of errors first.',
    );
  });

  it('looks up every key of a list that someone typed', async () => {
    await engine.push([{ id: 'PPR-912', text: '# PPR-912\n\nLate invoices.' }]);
    const keys = Array.from({ length: 13 }, (_, i) => `PPR-${900 + i}`);
    const { results } = await engine.search({ text: keys.join(', ') });
    expect(results[0]?.metadata.source).toBe('PPR-912');
  });
});
