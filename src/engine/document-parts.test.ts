import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import type { RAGConfigInput } from '../config/schema/index.js';
import { SYSTEM_RUNTIME } from '../core/runtime.js';
import type { Engine } from '../operations/engine.js';
import { createEngine } from './create-engine.js';

async function opened(config: RAGConfigInput, cwd: string, now = SYSTEM_RUNTIME.now): Promise<Engine> {
  const engine = await createEngine({
    cwd,
    config: { provider: 'libsql', ...config },
    runtime: { ...SYSTEM_RUNTIME, now },
  });
  onTestFinished(() => engine.close());
  return engine;
}

const idOf = async (engine: Engine, path: string): Promise<string> =>
  (await engine.list()).documents.find(({ externalId }) => externalId === path)?.id ?? '';

describe('passages', () => {
  const sections = Array.from(
    { length: 5 },
    (_, at) => `## Part ${at}\n\n${`Lamp ${at} burns. `.repeat(60)}`,
  );

  test('are those of the text, in order, a page at a time', async () => {
    const engine = await opened({ provider: 'memory' }, temporaryFolder());
    await engine.push([
      { id: 'lamps', text: `# Lamps\n\n${sections.join('\n\n')}`, mediaType: 'text/markdown' },
    ]);
    const whole = await engine.get({ id: 'lamps', passages: {} });
    const passages = whole?.passages?.passages ?? [];
    expect(passages.length).toBeGreaterThan(4);
    expect(whole?.passages?.cursor).toBeUndefined();
    const texts = passages.map(({ offsets }) => whole?.text.slice(offsets.start, offsets.end));
    expect(texts.join(' ')).toContain('Lamp 4 burns.');
    expect(passages.map(({ offsets }) => offsets.start)).toEqual(
      passages.map(({ offsets }) => offsets.start).toSorted((a, b) => a - b),
    );
    const found = await engine.search({ text: 'Lamp 3', options: { minSimilarity: 0 } });
    const known = passages.find(({ id }) => id === found.results[0]?.id);
    expect(known).toMatchObject({ lines: found.results[0]?.metadata.lines, headingPath: expect.any(Array) });
    const first = (await engine.get({ id: 'lamps', passages: { limit: 3 } }))?.passages;
    const rest = (await engine.get({ id: 'lamps', passages: { limit: 1_000, cursor: first?.cursor } }))
      ?.passages;
    expect([...(first?.passages ?? []), ...(rest?.passages ?? [])]).toEqual(passages);
  });

  test('are nobody else’s', async () => {
    const engine = await opened({ provider: 'memory' }, temporaryFolder());
    await engine.push([{ id: 'pay', text: 'Salaries rise.', access: { groups: ['hr'] } }]);
    const asked = { id: 'pay', passages: {}, versions: true, original: true };
    expect(await engine.get(asked)).toBeUndefined();
    expect(await engine.get(asked, { tenant: 'globex', groups: ['hr'] })).toBeUndefined();
    await expect(engine.get({ id: 'pay', passages: { limit: 0 } })).rejects.toMatchObject({
      reason: 'USAGE',
    });
  });
});

describe('versions', () => {
  test('are those that were found, newest first, over a rebuild, and none that the asker may not read', async () => {
    let time = Date.parse('2026-01-01T00:00:00.000Z');
    const cwd = temporaryFolder();
    const engine = await opened({ history: { keep: '90d' } }, cwd, () => time);
    const hr = { tenant: 'default', groups: ['hr'] };
    const write = async (text: string, groups: string[]) => {
      await engine.push([{ id: 'rota', text, access: { groups } }], hr);
      time += 60_000;
    };
    await write('Ada keeps it.', ['*']);
    await write('Grace keeps it, for more.', ['hr']);
    await write('Joan keeps it.', ['*']);
    const all = (await engine.get({ id: 'rota', versions: true }, hr))?.versions;
    expect(all).toMatchObject({
      isKept: true,
      versions: [
        { from: '2026-01-01T00:02:00.000Z', passages: 1 },
        { from: '2026-01-01T00:01:00.000Z', to: '2026-01-01T00:02:00.000Z' },
        { from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T00:01:00.000Z' },
      ],
    });
    expect(all?.versions[0]).not.toHaveProperty('to');
    const open = (await engine.get({ id: 'rota', versions: true }))?.versions;
    expect(open?.versions.map(({ from }) => from.slice(14, 16))).toEqual(['02', '00']);
    await engine.index({ options: { force: true } });
    time += 60_000;
    await write('Mary keeps it.', ['*']);
    const after = (await engine.get({ id: 'rota', versions: true }, hr))?.versions?.versions ?? [];
    expect(after.map(({ from }) => from.slice(14, 16))).toEqual(['04', '02', '01', '00']);
    expect(new Set(after.map(({ revision }) => revision)).size).toBe(4);
    time += 100 * 86_400_000;
    expect((await engine.get({ id: 'rota', versions: true }, hr))?.versions?.versions).toHaveLength(1);
  });

  test('are none where no history is kept', async () => {
    const engine = await opened({ provider: 'memory' }, temporaryFolder());
    await engine.push([{ id: 'rota', text: 'Ada keeps it.' }]);
    expect((await engine.get({ id: 'rota', versions: true }))?.versions).toEqual({
      isKept: false,
      versions: [],
    });
  });
});

describe('the original', () => {
  const files = { 'docs/a.md': '---\nsecret: x\n---\n# A\r\n\r\nOne <script>alert(1)</script>.' };
  const sources = [{ name: 'manual', type: 'files' as const, root: 'docs' }];
  const UNAVAILABLE = { reason: 'ORIGINAL_UNAVAILABLE' };

  test.each([
    ['a configured source', { sources }, {}],
    ['a folder that was named', {}, { paths: ['docs'] }],
  ])('is the bytes of %s, as long as they are those that were indexed', async (_, config, request) => {
    const cwd = temporaryFolder(files);
    const engine = await opened(config, cwd);
    await engine.index(request);
    const id = await idOf(engine, 'a.md');
    const { original } = (await engine.get({ id, original: true })) ?? {};
    expect(original).toMatchObject({ name: 'a.md', mediaType: 'text/markdown' });
    expect(Buffer.from(original?.content ?? []).toString()).toBe(files['docs/a.md']);
    writeFileSync(join(cwd, 'docs/a.md'), '# A\n\nFor hr alone by now.');
    await expect(engine.get({ id, original: true })).rejects.toMatchObject(UNAVAILABLE);
    rmSync(join(cwd, 'docs/a.md'));
    await expect(engine.get({ id, original: true })).rejects.toMatchObject({ reason: 'DOCUMENT_VANISHED' });
  });

  test.each([
    ['redaction', { security: { redaction: { enabled: true } } }],
    [
      'encryption',
      {
        security: {
          encryption: {
            fields: ['secret'],
            keys: [{ id: 'k', key: Buffer.alloc(32, 1).toString('base64') }],
          },
        },
      },
    ],
  ])('is not given with %s', async (_, security) => {
    const engine = await opened({ sources, ...(security as RAGConfigInput) }, temporaryFolder(files));
    await engine.index();
    const id = await idOf(engine, 'a.md');
    await expect(engine.get({ id, original: true })).rejects.toMatchObject(UNAVAILABLE);
  });

  test('of what was pushed is nowhere', async () => {
    const engine = await opened({ provider: 'memory' }, temporaryFolder());
    await engine.push([{ id: 'a', text: 'One.' }]);
    await expect(engine.get({ id: 'a', original: true })).rejects.toMatchObject(UNAVAILABLE);
  });
});
