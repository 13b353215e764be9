import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RAGConfigInput } from '../config/schema/index.js';
import { LOCAL_SCOPE, OPEN_ACCESS } from '../core/scope.js';
import { createEngine } from '../engine/create-engine.js';

const CARD = '4111 1111 1111 1111';
const VALUES = ['jane.roe@acme.example', CARD, 'Tr0ub4dor'];
const DOCUMENT = `---\nowner: ${VALUES[0]}\n---\n# Ask ${VALUES[0]}\n\nPay with ${CARD}; password=Tr0ub4dor.\n\nStrictly confidential figures of the quarter.\n`;

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ragstone-protection-'));
  writeFileSync(join(folder, 'a.md'), DOCUMENT);
  writeFileSync(
    join(folder, 'open.md'),
    '# Opening hours\n\nThe office opens at nine, figures of the quarter hang on the wall.\n',
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

const engineWith = (security: NonNullable<Extract<RAGConfigInput, { security?: unknown }>['security']>) =>
  createEngine({
    cwd: folder,
    config: {
      provider: 'libsql',
      sources: [{ name: 'wiki', type: 'markdown', root: '.', paths: ['*.md'] }],
      security,
    },
  });

/** Everything that was written, as one text. */
const written = (): string =>
  readdirSync(join(folder, '.ragstone'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n');

describe('redaction at ingest', () => {
  it('leaves nothing in the index, reports by source and type, and quotes what is stored', async () => {
    const engine = await engineWith({ redaction: { enabled: true } });
    try {
      const { stats } = await engine.index();
      expect(stats.redactions).toEqual({ wiki: { EMAIL: 3, CREDIT_CARD: 1, API_KEY: 1 } });
      for (const value of VALUES) expect(written()).not.toContain(value);
      const [found] = (await engine.search('confidential figures of the quarter')).results;
      expect(found?.content).toContain('Pay with [CREDIT_CARD]; password=[API_KEY]');
      expect(found?.metadata.offsets).toEqual({ start: 0, end: found?.content.length });
      const [status] = (await engine.status()).sources;
      expect(status?.redactions).toEqual({ EMAIL: 3, CREDIT_CARD: 1, API_KEY: 1 });
    } finally {
      await engine.close();
    }
  });

  it('leaves nothing in titles above a document in its source, in which it is found under what stands there now', async () => {
    const page = {
      externalId: 'page',
      mediaType: 'text/markdown',
      content: '# Visit\n\nThe visit is at nine.\n',
      headingPath: [`Of ${VALUES[0]}`, `Paid with ${CARD}`, 'Notes'],
      metadata: {},
      access: OPEN_ACCESS,
    };
    const engine = await createEngine({
      cwd: folder,
      config: { provider: 'libsql', security: { redaction: { enabled: true } } },
      sources: [
        {
          ...{ name: 'pages', type: 'wiki', listing: 'complete' },
          list: async function* () {
            yield { id: 'page', version: '1' };
          },
          read: async () => ({ documents: [page], failures: [] }),
        },
      ],
    });
    try {
      await engine.index();
      for (const value of VALUES) expect(written()).not.toContain(value);
      const [found] = (await engine.search('visit at nine')).results;
      expect(found?.metadata.headingPath).toEqual(['Of [EMAIL]', 'Paid with [CREDIT_CARD]', 'Notes']);
      expect(await engine.verify()).toMatchObject({ ok: true });
    } finally {
      await engine.close();
    }
  });

  it('processes documents again when it is switched on', async () => {
    const before = await engineWith({});
    await before.index();
    expect((await before.status()).sources[0]?.redactions).toBeUndefined();
    await before.close();
    expect(written()).toContain(CARD);
    const after = await engineWith({ redaction: { enabled: true } });
    expect((await after.index()).stats.documentsProcessed).toBe(1);
    const results = (await after.search('pay with')).results.map(({ content }) => content).join();
    await after.close();
    expect(results).not.toContain(CARD);
  });
});

describe('access by rules', () => {
  it('hides a document from a scope without the clearance, by words that redaction takes out too', async () => {
    const engine = await engineWith({
      redaction: { enabled: true },
      access: {
        rules: [
          { contains: [CARD], level: 3 },
          { paths: ['open.md'], level: 0 },
        ],
      },
    });
    try {
      await engine.index();
      const titles = async (clearance: number): Promise<string[]> =>
        (await engine.search('figures of the quarter', { ...LOCAL_SCOPE, clearance })).results
          .map(({ metadata }) => metadata.source)
          .sort();
      expect(await titles(3)).toEqual(['a.md', 'open.md']);
      expect(await titles(2)).toEqual(['open.md']);
    } finally {
      await engine.close();
    }
  });
});
