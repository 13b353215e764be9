import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DegradationLevel } from '../core/degradation.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../engine/engine.js';

let folder: string;
let engine: Engine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-filtered-'));
  engine = await createEngine({ cwd: folder, config: { provider: 'memory' } });
  await engine.index({ documents: [{ id: 'audit.md', text: 'Audit logs are kept for 30 days.' }] });
});
afterEach(async () => {
  await engine.close();
  rmSync(folder, { recursive: true });
});

test('a filter that leaves nothing is named, and nothing to rerank is no degradation', async () => {
  const response = await engine.search({ text: 'audit logs', filters: { metadata: { team: 'payments' } } });
  expect(response.results).toEqual([]);
  expect(response.notices).toEqual([expect.stringContaining('passes the filters')]);
  expect(response.degradationLevel).toBe(DegradationLevel.FULL_RAG);
});

test('a filter that admits passages, and a search without one, say nothing', async () => {
  const filtered = await engine.search({ text: 'audit logs', filters: { source: ['push:documents'] } });
  expect(filtered.results).toHaveLength(1);
  expect(filtered.notices).toEqual([]);
  const unfiltered = await engine.search({ text: 'xylophone', filters: {}, options: { mode: 'lexical' } });
  expect(unfiltered.results).toEqual([]);
  expect(unfiltered.notices).toEqual([]);
});
