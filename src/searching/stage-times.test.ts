import { tracingChannel } from 'node:diagnostics_channel';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

let folder: string;
let engine: Engine;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-stages-'));
  engine = await createEngine({ config: { provider: 'memory' }, cwd: folder });
  await engine.index({
    documents: [
      { id: 'audit.md', text: 'Audit logs are kept for 30 days.' },
      { id: 'gateway.md', text: 'The gateway listens on port 8443.' },
    ],
  });
});

afterEach(async () => {
  await engine.close();
  await rm(folder, { recursive: true, force: true });
});

const SEARCH = ['dense', 'embed', 'fuse', 'identifier', 'lexical', 'refine', 'rerank', 'understand'];

it('a search says how long each of its stages took', async () => {
  const { stages, tookMs, lanes } = await engine.search('audit logs ERR-42');
  expect(
    Object.keys(stages)
      .filter((stage) => stage !== 'identifier')
      .toSorted(),
  ).toEqual(SEARCH.filter((stage) => stage !== 'identifier'));
  for (const time of Object.values(stages)) expect(time).toBeLessThanOrEqual(tookMs);
  const dense = lanes.find(({ lane }) => lane === 'dense');
  expect(stages.dense).toBeCloseTo(dense?.tookMs ?? -1, 1);
});

it('a stage that did not run has no time', async () => {
  const { stages } = await engine.search({ text: 'audit logs', options: { mode: 'lexical', rerank: false } });
  expect(Object.keys(stages).toSorted()).toEqual(['fuse', 'lexical', 'refine', 'understand']);
});

it('an answer adds those of its searches to its own', async () => {
  const { stages, tookMs } = await engine.ask('How long are audit logs kept?');
  expect(Object.keys(stages)).toEqual(expect.arrayContaining(['rewrite', 'embed', 'fuse', 'pack', 'write']));
  expect(tookMs).toBeGreaterThan(0);
});

it('channels tell of searches without a word of query or documents', async () => {
  const heard: string[] = [];
  const channels = ['search', 'lane', 'embed', 'rerank', 'answer', 'stage'].map((name) => {
    const channel = tracingChannel(`ragstone:${name}`);
    const hear = (message: object) => heard.push(`${name} ${JSON.stringify(message)}`);
    const subscribers = { start: hear, end: hear, asyncStart: hear, asyncEnd: hear, error: hear };
    channel.subscribe(subscribers);
    return { channel, subscribers };
  });
  await engine.ask('How long are audit logs kept?');
  for (const { channel, subscribers } of channels) channel.unsubscribe(subscribers);
  for (const name of ['search', 'lane', 'embed', 'rerank', 'answer', 'stage'])
    expect(
      heard.some((line) => line.startsWith(`${name} `)),
      name,
    ).toBe(true);
  expect(heard.join('\n')).not.toMatch(/audit|kept|30 days|gateway/i);
});
