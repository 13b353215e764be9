import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { seededRandom } from '../../src/evaluation/random.js';
import type { VerifyResult } from '../../src/index.js';
import { IS_LONG } from '../long-forms.js';
import { ragstoneJson, runRagstone } from './run-ragstone.js';
import { startService } from './start-service.js';
import { temporaryFolder } from './temporary-folder.js';

const KILLS = IS_LONG ? 20 : 2;
const CLIENTS = 8;
const DOCUMENTS = 5;
const FILES = 12;
/** Between the last acknowledgement that is waited for and the kill. */
const MOST_DELAY_MS = 60;
const JSON_BODY = { 'content-type': 'application/json' };

/** What a client knows of one of its documents: what was acknowledged last, and what was sent since. */
interface Known {
  acknowledged: string | undefined;
  /** Texts that it may have as well, for something was sent without an answer since; undefined stands for a deletion. */
  readonly unsure: (string | undefined)[];
}

test(`after ${KILLS} kill -9 under searches, pushes, deletions and syncs nothing that was acknowledged is lost`, async () => {
  const random = seededRandom(Number(process.env.RAGSTONE_SEED ?? 17));
  const cwd = temporaryFolder({
    'ragstone.yaml':
      'rag:\n  provider: libsql\n  server: { maxDelayMs: 0 }\n  sources:\n    - { name: docs, type: files, root: docs }\n',
  });
  mkdirSync(join(cwd, 'docs'));
  let edition = 0;
  const writeFile = (): void => {
    const name = join(cwd, 'docs', `file-${Math.floor(random() * FILES)}.md`);
    if (random() < 0.2) rmSync(name, { force: true });
    else writeFileSync(name, `# File\n\nThe lighthouse in edition ${++edition}.\n`);
  };
  for (let file = 0; file < FILES; file++) writeFile();
  await runRagstone(['index'], { cwd });
  const known = new Map<string, Known>();
  let acknowledged = 0;

  for (let round = 0; round < KILLS; round++) {
    const { url, process, ended } = await startService(cwd, []);
    const killAt = acknowledged + 5 + Math.floor(random() * 40);
    const killNow = (): void => void process.kill('SIGKILL');
    // At once, which finds what is acknowledged before it is written; or in the middle of whatever comes after.
    const kill = (): void => {
      if (round % 2 === 0) killNow();
      else setTimeout(killNow, random() * MOST_DELAY_MS);
    };
    const ask = async (method: string, path: string, body?: object) => {
      const response = await fetch(`${url}${path}`, {
        method,
        ...(body === undefined ? {} : { headers: JSON_BODY, body: JSON.stringify(body) }),
      });
      return { status: response.status, text: await response.text() };
    };
    // What the kill before left behind is whole, and all that was acknowledged is there.
    for (const [id, one] of known) {
      const { status, text } = await ask('GET', `/api/ai/rag/documents/${id}`);
      expect([200, 404]).toContain(status);
      const now = status === 404 ? undefined : (JSON.parse(text) as { text: string }).text;
      expect([one.acknowledged, ...one.unsure]).toContain(now);
      // What had no answer may be finished, or taken back, by any later sync.
      const unsure = one.unsure.length === 0 ? [] : [one.acknowledged, ...one.unsure];
      known.set(id, { acknowledged: now, unsure });
    }
    const client = async (name: number): Promise<never> => {
      for (let turn = 0; ; turn++) {
        const id = `note-${name}-${Math.floor(random() * DOCUMENTS)}`;
        const one = known.get(id) ?? { acknowledged: undefined, unsure: [] };
        known.set(id, one);
        const isDeletion = random() < 0.25;
        const content = isDeletion ? undefined : `The note ${id} of round ${round}, turn ${turn}.`;
        one.unsure.push(content);
        const { status, text } = isDeletion
          ? await ask('DELETE', `/api/ai/rag/documents/${id}`)
          : await ask('POST', '/api/ai/rag/index', { id, content });
        if (status === 503) continue;
        expect([200, 204, 404], text).toContain(status);
        known.set(id, { acknowledged: content, unsure: [] });
        acknowledged++;
        if (acknowledged === killAt) kill();
        const found = await ask('POST', '/api/ai/rag/search', { query: `note ${id}`, minScore: 0 });
        expect([200, 503], found.text).toContain(found.status);
      }
    };
    const syncs = async (): Promise<never> => {
      for (;;) {
        writeFile();
        expect([200, 409, 503]).toContain((await ask('POST', '/rag/index')).status);
      }
    };
    const load = [syncs(), ...Array.from({ length: CLIENTS }, (_, name) => client(name))];
    const failures = Promise.all(load.map((one) => one.catch((error: unknown) => error)));
    await ended;
    // Who was cut off has no answer; anything else is a failure of the service.
    for (const failure of await failures)
      expect(failure).toMatchObject({ message: expect.stringMatching(/fetch failed|terminated/) as string });
  }

  expect(acknowledged).toBeGreaterThanOrEqual(KILLS * 5);
  await runRagstone(['index'], { cwd });
  const verified = await ragstoneJson<VerifyResult>(['verify'], { cwd });
  expect(verified).toMatchObject({ code: 0, document: { ok: true, drift: [] } });
}, 600_000);
