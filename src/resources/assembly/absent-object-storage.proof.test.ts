import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadConfig } from '../../config/load-config.js';
import { createStoreFor } from './choose-store.js';

// Lance asks an endpoint again for half a minute before it gives up.
test('an S3 endpoint that is not there is named, and no key is shown', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'ragstone-s3-'));
  const s3 = {
    url: 's3://bucket/folder',
    endpoint: 'http://127.0.0.1:9',
    region: 'us-east-1',
    accessKeyId: 'open-key',
    secretAccessKey: 'sesame-key',
  };
  const config = await loadConfig({
    cwd: folder,
    env: {},
    config: { provider: 'lancedb', storage: { s3 } },
  });
  const { store } = await createStoreFor(config);
  const error = await store.describe('chunks-1').catch((thrown: unknown) => thrown);
  expect(String(error)).toContain('s3://bucket/folder');
  expect(`${String(error)}${JSON.stringify(config.rag)}`).not.toContain('sesame');
  await store.close();
  await rm(folder, { recursive: true, force: true });
});
