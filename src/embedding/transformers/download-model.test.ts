import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DownloadProgress, downloadModel } from './download-model.js';
import type { RecommendedModel } from './recommended-models.js';

const NETWORK = 'onnx/model_quantized.onnx';
const FILES: Readonly<Record<string, Buffer>> = {
  'config.json': Buffer.from('{}'),
  [NETWORK]: Buffer.from(Array.from({ length: 300_000 }, (_, at) => at % 251)),
};
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
const pinned = Object.fromEntries(
  Object.entries(FILES).map(([file, bytes]) => [file, { bytes: bytes.length, sha256: hashOf(bytes) }]),
);
const MINI: RecommendedModel = {
  name: 'mini',
  id: 'owner/mini',
  languages: 'none',
  megabytes: 1,
  purpose: 'tests',
  pinned: { revision: 'abc123', maxInputTokens: 77, files: pinned },
};

describe('fetching a pinned model from a mirror', () => {
  let folder: string;
  let server: Server;
  let remoteHost: string;
  let requested: string[];
  /** What the mirror does about the network's file. */
  let behaviour: 'whole' | 'breaks off' | 'other bytes' | 'endless' | 'absent' | 'ignores ranges';

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'mirror-')), 'owner', 'mini');
    requested = [];
    behaviour = 'whole';
    server = createServer(({ url = '', headers }, response) => {
      const file = url.replace('/owner/mini/resolve/abc123/', '');
      requested.push([file, headers.range].filter((part) => part !== undefined).join(' '));
      const bytes = FILES[file];
      if (bytes === undefined || (file === NETWORK && behaviour === 'absent')) {
        response.writeHead(404).end();
        return;
      }
      if (file !== NETWORK || behaviour === 'whole' || behaviour === 'ignores ranges') {
        const start = behaviour === 'whole' ? Number(/bytes=(\d+)-/.exec(headers.range ?? '')?.[1] ?? 0) : 0;
        const range = `bytes ${start}-${bytes.length - 1}/${bytes.length}`;
        response.writeHead(start === 0 ? 200 : 206, { 'content-range': range }).end(bytes.subarray(start));
      } else if (behaviour === 'breaks off') {
        response.writeHead(200, { 'content-length': bytes.length });
        response.write(bytes.subarray(0, 200_000), () => response.socket?.end());
      } else response.end(behaviour === 'endless' ? Buffer.concat([bytes, bytes]) : bytes.fill(7, 9, 10));
    });
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    remoteHost = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((closed) => server.close(closed));
    await rm(dirname(dirname(folder)), { recursive: true });
    FILES[NETWORK]?.fill(9, 9, 10);
  });

  const fetchMini = (onProgress?: (progress: DownloadProgress) => void): Promise<string> =>
    downloadModel('owner/mini', folder, { remoteHost, ...(onProgress && { onProgress }) }, [MINI]);

  it('fetches all of it, told in bytes, and writes how many tokens it reads', async () => {
    const seen: DownloadProgress[] = [];
    expect(await fetchMini((progress) => seen.push(progress))).toBe(folder);
    expect(hashOf(readFileSync(join(folder, NETWORK)))).toBe(pinned[NETWORK]?.sha256);
    expect(JSON.parse(readFileSync(join(folder, 'sentence_bert_config.json'), 'utf8'))).toEqual({
      max_seq_length: 77,
    });
    expect(seen.at(-1)).toEqual({ file: NETWORK, done: 300_000, total: 300_000 });
    expect(readdirSync(dirname(folder))).toEqual(['mini']);
  });

  it('goes on where it was broken off', async () => {
    behaviour = 'breaks off';
    await expect(fetchMini()).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
      message: expect.stringMatching(/MB that arrived are kept/),
    });
    expect(existsSync(folder)).toBe(false);
    behaviour = 'whole';
    requested = [];
    await fetchMini();
    expect(requested).toEqual([expect.stringMatching(/^onnx\/model_quantized\.onnx bytes=[1-9]\d+-$/)]);
    expect(hashOf(readFileSync(join(folder, NETWORK)))).toBe(pinned[NETWORK]?.sha256);
  });

  it('begins again where the server does not know ranges', async () => {
    behaviour = 'breaks off';
    await expect(fetchMini()).rejects.toThrow();
    behaviour = 'ignores ranges';
    await fetchMini();
    expect(hashOf(readFileSync(join(folder, NETWORK)))).toBe(pinned[NETWORK]?.sha256);
  });

  it.each([
    ['other bytes', 'MODEL_INVALID', /another file.*SHA-256/],
    ['endless', 'MODEL_INVALID', /more than the 300000 bytes/],
    ['absent', 'MODEL_NOT_FOUND', /The hub has no onnx/],
  ] as const)('leaves nothing of a server that has %s', async (what, reason, message) => {
    behaviour = what;
    await expect(fetchMini()).rejects.toMatchObject({ reason, message: expect.stringMatching(message) });
    expect(existsSync(dirname(folder)) ? readdirSync(dirname(folder)) : []).toEqual([]);
  });

  it('names the server, HF_ENDPOINT and --from where there is no network', async () => {
    const away = downloadModel('owner/mini', folder, { remoteHost: 'http://127.0.0.1:9' }, [MINI]);
    await expect(away).rejects.toMatchObject({
      reason: 'MODEL_NOT_FOUND',
      message: expect.stringMatching(/127\.0\.0\.1:9 .*HF_ENDPOINT.*--from/),
    });
  });
});
