import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { anthropicWire } from '../../../tests/fakes/wire/anthropic-wire.js';
import { chatReply } from '../../../tests/fakes/wire/chat-wire.js';
import { startWireServer } from '../../../tests/fakes/wire/wire-server.js';
import { createEngine } from '../../engine/create-engine.js';
import { filesWith } from '../../testing/files-with.js';

test('what a model wrote of a forgotten document is in no cache; that of others stays', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'forget-caches-'));
  writeFileSync(join(folder, 'a.md'), '# Report\n\nRevenue grew by three percent.\n');
  writeFileSync(join(folder, 'b.md'), '# Manual\n\nPress the red lever.\n');
  const server = await startWireServer(anthropicWire, (request) => {
    const isReport = JSON.stringify(request.body).includes('Revenue');
    const text = isReport ? 'Of zirconium sales.' : 'Of a quagga machine.';
    return chatReply(anthropicWire, request, { kind: 'answer', text });
  });
  const engine = await createEngine({
    cwd: folder,
    dataDir: join(folder, 'data'),
    config: {
      provider: 'libsql',
      sources: [{ name: 'docs', type: 'markdown', root: '.', paths: ['*.md'] }],
      chat: { model: 'anthropic:claude-haiku-4-5-20251001', maxRetries: 0 },
      modelProviders: { anthropic: { apiKey: 'test-key', baseUrl: `${server.url}/v1` } },
      indexing: { contextual: { enabled: true } },
    },
  });
  onTestFinished(async () => {
    await engine.close();
    await server.close();
    rmSync(folder, { recursive: true });
  });
  await engine.index();
  const cache = join(folder, 'data', 'cache');
  expect(await filesWith(cache, 'zirconium')).not.toEqual([]);
  const receipt = await engine.forget({ documents: ['a.md'] });
  expect(receipt.removed).toContainEqual({ place: 'cache of contexts', what: 'contexts', count: 1 });
  expect(await filesWith(join(folder, 'data'), 'zirconium')).toEqual([]);
  expect(await filesWith(cache, 'quagga')).not.toEqual([]);
});
