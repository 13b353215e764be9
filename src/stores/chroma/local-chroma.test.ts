import { spawn } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EVERYTHING } from '../../core/filter.js';
import { record } from '../../testing/vector-store/records.js';
import { createChromaStore } from './chroma-store.js';
import { startLocalChroma } from './local-chroma.js';
import { isAlive, isServerOf, readClaim, serverArguments } from './local-server-claim.js';

const command = process.env.RAGSTONE_TEST_CHROMA_COMMAND;
const SPEC = { name: 'local', dimensions: 8, fingerprint: 'm' };
let path: string;

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'ragstone-chroma-'));
});
afterEach(() => rm(path, { recursive: true, force: true }));

describe('a server that cannot be started', () => {
  it('says how to install it, and leaves no claim', async () => {
    const start = startLocalChroma({ path, command: join(path, 'chroma') });
    await expect(start).rejects.toMatchObject({
      reason: 'PACKAGE_MISSING',
      message: expect.stringContaining('pip install chromadb'),
    });
    expect(await readClaim(path)).toBeUndefined();
  });

  it('gives the end of its log when it ends at once', async () => {
    const script = await executable('echo "port is taken" >&2; exit 3');
    await expect(startLocalChroma({ path, command: script })).rejects.toMatchObject({
      reason: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('port is taken'),
    });
    expect(await readClaim(path)).toBeUndefined();
  });

  it('is followed by the next of its name in PATH, because that of the npm package does not run everywhere', async () => {
    const { PATH } = process.env;
    try {
      const folders = ['first', 'second'].map((name) => join(path, name));
      for (const [index, folder] of folders.entries()) {
        await mkdir(folder);
        await writeFile(join(folder, 'chroma'), `#!/bin/sh\necho attempt ${index + 1}; exit 1\n`, {
          mode: 0o755,
        });
      }
      process.env.PATH = [...folders, '/bin', '/usr/bin'].join(delimiter);
      const failure = startLocalChroma({ path });
      await expect(failure).rejects.toThrow('attempt 2');
      await expect(failure).rejects.toThrow('pip install');
      expect(await readClaim(path)).toBeUndefined();
    } finally {
      process.env.PATH = PATH;
    }
  });

  it('is stopped when it never answers', async () => {
    const script = await executable('exec sleep 60');
    const start = startLocalChroma({ path, command: script, startTimeoutMs: 300 });
    await expect(start).rejects.toMatchObject({ reason: 'STORE_TIMEOUT' });
    expect(await readdir(path)).not.toContain('ragstone-server.json');
  });

  it('is started in spite of the claim of processes that are gone', async () => {
    await writeFile(join(path, 'ragstone-server.json'), '{"owner":4194304,"server":4194305,"port":1}');
    const start = startLocalChroma({ path, command: await executable('echo tried; exit 1') });
    await expect(start).rejects.toThrow('tried');
  });

  it('is not believed to be a process that a claim names, which is neither asked nor stopped', async () => {
    const other = spawn('sleep', ['60']);
    try {
      for (const server of [other.pid, -1]) {
        await writeFile(
          join(path, 'ragstone-server.json'),
          JSON.stringify({ owner: 4194304, server, port: 1 }),
        );
        await expect(startLocalChroma({ path })).rejects.toMatchObject({ reason: 'STORE_UNAVAILABLE' });
      }
      expect(isAlive(other.pid)).toBe(true);
    } finally {
      other.kill();
    }
  });

  it('is known by the command that started it', async () => {
    const server = spawn('sh', ['-c', 'sleep 60; true', ...serverArguments(path, 4242)]);
    try {
      const claim = { owner: process.pid, server: server.pid ?? 0 };
      expect(await isServerOf(path, { ...claim, port: 4242 })).toBe(true);
      expect(await isServerOf(path, { ...claim, port: 424 })).toBe(false);
      expect(await isServerOf(join(path, 'x'), { ...claim, port: 4242 })).toBe(false);
    } finally {
      server.kill();
    }
  });

  async function executable(body: string): Promise<string> {
    const file = join(path, 'fake-chroma');
    await writeFile(file, `#!/bin/sh\n${body}\n`);
    await chmod(file, 0o755);
    return file;
  }
});

describe.skipIf(command === undefined)(
  'a real server (RAGSTONE_TEST_CHROMA_COMMAND names the executable)',
  { timeout: 90_000 },
  () => {
    const start = () => startLocalChroma({ path, command: command ?? '' });

    it('keeps what was written over a restart of itself', async () => {
      const first = createChromaStore({ server: await start() });
      await (await first.open(SPEC)).upsert([record('a')]);
      await first.close();
      expect(await readClaim(path)).toBeUndefined();
      const second = createChromaStore({ server: await start() });
      try {
        expect(await (await second.open(SPEC)).count(EVERYTHING)).toBe(1);
      } finally {
        await second.close();
      }
    });

    it('is shared, and stopped by its owner only', async () => {
      const owner = await start();
      const guest = await start();
      expect(guest.port).toBe(owner.port);
      await guest.close();
      const server = (await readClaim(path))?.server;
      expect(isAlive(server)).toBe(true);
      await owner.close();
      expect(isAlive(server)).toBe(false);
    });

    it('is started again when it is killed', async () => {
      const server = await start();
      const store = createChromaStore({ server, retries: 8 });
      try {
        const collection = await store.open(SPEC);
        await collection.upsert([record('a')]);
        const killed = (await readClaim(path))?.server;
        if (killed !== undefined) process.kill(killed, 'SIGKILL');
        expect(await collection.count(EVERYTHING)).toBe(1);
        expect((await readClaim(path))?.server).not.toBe(killed);
      } finally {
        await store.close();
      }
    });
  },
);
