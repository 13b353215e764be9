import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { EVERYONE, type ScopeInput } from '../core/scope.js';
import type { Engine, EngineView } from '../operations/engine.js';
import { createEngine } from './create-engine.js';

const HR = { tenant: 'default', groups: ['hr'], clearance: 2 };

const texts = async (view: EngineView, query = 'quokka'): Promise<string[]> => {
  const { results } = await view.search({
    text: query,
    options: { mode: 'lexical', minSimilarity: 0, topK: 50 },
  });
  return results.map(({ metadata }) => metadata.source).sort();
};

const listed = async (view: EngineView): Promise<string[]> =>
  (await view.list()).documents.map(({ externalId }) => externalId).sort();

describe.each(['libsql', 'memory'] as const)('an engine and its scopes over %s', (provider) => {
  let engine: Engine;
  let cwd: string;
  beforeEach(async () => {
    cwd = temporaryFolder();
    engine = await createEngine({ config: { provider }, cwd });
  });
  afterEach(() => engine.close());

  const pushSome = () =>
    engine.index([
      { id: 'open', text: 'a quokka for all' },
      { id: 'secret', text: 'a quokka of level one', access: { level: 1 } },
      { id: 'pay', text: 'a quokka for hr', access: { groups: ['hr'], level: 2 } },
      { id: 'nobody', text: 'a quokka for nobody', access: { groups: [] } },
    ]);

  it('reads what is open, and with a scope what the scope may read', async () => {
    await pushSome();
    const views: [EngineView, string[]][] = [
      [engine, ['open']],
      [engine.as({ tenant: 'default' }), ['open']],
      [engine.as({ tenant: 'default', clearance: 1 }), ['open', 'secret']],
      [engine.as({ tenant: 'default', groups: ['hr'] }), ['open']],
      [engine.as(HR), ['open', 'pay', 'secret']],
      [engine.as({ tenant: 'default', groups: [EVERYONE], clearance: 9 }), ['open', 'secret']],
      [engine.as({ tenant: 'acme', groups: ['hr'], clearance: 9 }), []],
    ];
    for (const [view, expected] of views) {
      expect(await texts(view)).toEqual(expected);
      expect(await listed(view)).toEqual(expected);
      const found = await Promise.all(['nobody', 'open', 'pay', 'secret'].map((id) => view.get(id)));
      expect(found.flatMap((document) => document?.externalId ?? [])).toEqual(expected);
      const { sources } = await view.ask({ question: 'Which quokka is there?', abstainBelow: 0, topK: 50 });
      expect(sources.map(({ source }) => source).sort()).toEqual(expected);
    }
  });

  it.each([
    ['search', (e: Engine, s: ScopeInput) => e.search('x', s)],
    ['ask', (e: Engine, s: ScopeInput) => e.ask('x', s)],
    ['index', (e: Engine, s: ScopeInput) => e.index([{ id: 'a', text: 'a' }], s)],
    ['push', (e: Engine, s: ScopeInput) => e.push([{ id: 'a', text: 'a' }], s)],
    ['get', (e: Engine, s: ScopeInput) => e.get('a', s)],
    ['list', (e: Engine, s: ScopeInput) => e.list({}, s)],
    ['delete', (e: Engine, s: ScopeInput) => e.delete(['a'], s)],
    ['explainMiss', (e: Engine, s: ScopeInput) => e.explainMiss('x', 'a', s)],
    ['status', (e: Engine, s: ScopeInput) => e.status(s)],
    ['verify', (e: Engine, s: ScopeInput) => e.verify({}, s)],
    ['as', async (e: Engine, s: ScopeInput) => e.as(s)],
  ])('%s refuses a scope that states something wrong', async (_, call) => {
    await engine.index([{ id: 'a', text: 'a' }]);
    for (const wrong of [
      {},
      null,
      { tenant: 'default', clearance: null },
      { tenant: 'default', clearence: 9 },
    ])
      await expect(call(engine, wrong as ScopeInput)).rejects.toMatchObject({ reason: 'SCOPE_INVALID' });
  });

  it('says that the tenant keeps more, by what the scope is and not by what was asked', async () => {
    await engine.index([{ id: 'open', text: 'a quokka for all' }]);
    const notice = expect.stringMatching(/--tenant.*--group.*--clearance/);
    expect((await engine.search('quokka')).notices).not.toContainEqual(notice);
    await pushSome();
    for (const query of ['quokka', 'zebra']) {
      const { notices } = await engine.search({ text: query, options: { mode: 'lexical' } });
      expect(notices).toContainEqual(notice);
      expect(notices.join()).not.toMatch(/\d/);
      expect((await engine.search(query, { tenant: 'acme' })).notices).not.toContainEqual(notice);
    }
    expect((await engine.ask('quokka')).notices).toContainEqual(notice);
  });

  it('does not let a push replace what its scope may not read, nor a deletion delete it', async () => {
    await pushSome();
    await expect(engine.push([{ id: 'pay', text: 'mine now' }])).rejects.toMatchObject({
      reason: 'DOCUMENT_DUPLICATE_ID',
    });
    expect((await engine.index({ deleted: ['pay', 'unknown'] })).stats.documentsDeleted).toBe(0);
    expect(await engine.delete(['pay', 'unknown'])).toBe(0);
    const hr = engine.as(HR);
    expect((await hr.get('pay'))?.text).toBe('a quokka for hr');
    await hr.push([{ id: 'pay', text: 'a new quokka for hr', access: { groups: ['hr'], level: 2 } }]);
    expect((await hr.get('pay'))?.text).toBe('a new quokka for hr');
    expect(await hr.delete(['pay', 'pay', 'open'])).toBe(2);
    expect(await texts(hr)).toEqual(['secret']);
    expect((await hr.verify()).drift).toEqual([]);
  });

  it('finds a document under an id that is also the id of one that its scope may not read', async () => {
    await pushSome();
    const theirs = engine.as({ tenant: 'globex' });
    await theirs.push([{ id: 'plan', text: 'a quokka of globex' }]);
    const ofOthers = await theirs.list();
    const hidden = (await engine.as(HR).list()).documents.filter(({ externalId }) => externalId === 'pay');
    const ids = [...ofOthers.documents, ...hidden].map(({ id }) => id);
    expect(ids).toHaveLength(2);
    for (const id of ids) {
      expect(await engine.get(id)).toBeUndefined();
      await engine.push([{ id, text: 'a quokka of mine' }]);
      expect((await engine.get(id))?.text).toBe('a quokka of mine');
      expect(await engine.delete([id])).toBe(1);
    }
    expect((await theirs.get('plan'))?.text).toBe('a quokka of globex');
    expect((await engine.as(HR).get('pay'))?.text).toBe('a quokka for hr');
  });

  it('keeps tenants and projects apart, whatever their ids', async () => {
    const apollo = engine.as({ tenant: 'acme', project: 'apollo' });
    const gemini = engine.as({ tenant: 'acme', project: 'gemini' });
    await apollo.push([{ id: 'plan', text: 'a quokka on apollo' }]);
    await gemini.push([{ id: 'plan', text: 'a quokka on gemini' }]);
    await engine.push([{ id: 'plan', text: 'a quokka of the default tenant' }]);
    expect((await apollo.get('plan'))?.text).toBe('a quokka on apollo');
    expect((await gemini.get('plan'))?.text).toBe('a quokka on gemini');
    expect(await listed(engine.as({ tenant: 'acme' }))).toEqual(['plan', 'plan']);
    const [other] = (await gemini.list()).documents;
    expect(await apollo.get(other?.id ?? '')).toBeUndefined();
    expect(await apollo.delete([other?.id ?? ''])).toBe(0);
    expect(await apollo.delete(['plan'])).toBe(1);
    expect(await texts(gemini)).toEqual(['plan']);
    expect(await texts(engine)).toEqual(['plan']);
    const status = await gemini.status();
    expect(status.sources.map(({ source }) => source)).not.toContain('push:documents');
    expect(status).toMatchObject({ documents: 1, bytes: {}, vectorIndex: 'unknown' });
    expect((await gemini.verify()).drift).toEqual([]);
    expect((await engine.verify()).drift).toEqual([]);
  });

  it('tells of a run only whom it must have been of', async () => {
    await engine.push([{ id: 'a', text: 'a quokka' }]);
    expect((await engine.status()).lastRun).toMatchObject({ command: 'index', success: true });
    expect((await engine.as({ tenant: 'default', project: 'zoo' }).status()).lastRun).toBeUndefined();
    await engine.as({ tenant: 'acme' }).push([{ id: 'b', text: 'a wombat' }]);
    expect((await engine.status()).lastRun).toBeUndefined();
  });

  it('a forced run of one tenant leaves the others their documents', async () => {
    mkdirSync(join(cwd, 'docs'));
    writeFileSync(join(cwd, 'docs/a.md'), 'a quokka in a file');
    const acme = engine.as({ tenant: 'acme' });
    await acme.index({ paths: ['docs'] });
    await engine.index({ paths: ['docs'] });
    await acme.index({ paths: ['docs'], options: { force: true } });
    await acme.index({ options: { force: true } });
    expect(await texts(engine)).toEqual(['a.md']);
    expect(await texts(acme)).toEqual(['a.md']);
    expect((await engine.verify()).drift).toEqual([]);
  });

  it('gets, lists and deletes documents of files, page by page', async () => {
    mkdirSync(join(cwd, 'docs'));
    const names = Array.from({ length: 7 }, (_, i) => `${i}.md`);
    for (const name of names) writeFileSync(join(cwd, 'docs', name), `# Quokka ${name}\n\nIt sleeps.\n`);
    await engine.index({ paths: ['docs'] });
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await engine.list({ cursor, limit: 3 });
      expect(page.documents.length).toBeLessThanOrEqual(3);
      seen.push(...page.documents.map(({ externalId }) => externalId));
      cursor = page.cursor;
    } while (cursor !== undefined);
    expect(seen.sort()).toEqual(names);
    const [first] = (await engine.list({ filters: { metadata: { title: 'Quokka 4.md' } } })).documents;
    expect(first).toMatchObject({
      externalId: '4.md',
      source: 'path:docs',
      access: { groups: ['*'], level: 0 },
    });
    const [found] = (await engine.search('Quokka 4.md')).results;
    expect(await engine.get(String(found?.metadata.documentId))).toMatchObject({
      externalId: '4.md',
      text: '# Quokka 4.md\n\nIt sleeps.\n',
    });
    expect(await engine.delete([first?.id ?? ''])).toBe(1);
    expect(await engine.get(first?.id ?? '')).toBeUndefined();
    expect((await engine.list()).documents).toHaveLength(6);
    expect((await engine.index()).stats.documentsProcessed).toBe(1);
  });

  it('takes bytes with a media type, and keeps what a push says of its source', async () => {
    const { stats } = await engine.index([
      { id: 'page', bytes: Buffer.from('<h1>Quokka</h1><p>It jumps.</p>'), mediaType: 'text/html' },
      { id: 'file', bytes: Buffer.from('# Wombat\n\nIt digs.'), fileName: 'wombat.md' },
      { id: 'named', bytes: Buffer.from('def paint(): pass'), fileName: 'a/b.py' },
      {
        id: 'item',
        text: 'a quokka story',
        metadata: { sourceType: 'pbi', source: 'board/7', state: 'New' },
      },
    ]);
    expect(stats.errors).toEqual([]);
    expect((await engine.get('page'))?.title).toBe('Quokka');
    expect(await engine.get('file')).toMatchObject({ title: 'Wombat', sourceType: 'markdown' });
    expect(await engine.get('named')).toMatchObject({ sourceType: 'code', metadata: { language: 'python' } });
    const { results } = await engine.search({ text: 'quokka', filters: { sourceType: ['pbi'] } });
    expect(results.map(({ metadata }) => [metadata.sourceType, metadata.source])).toEqual([
      ['pbi', 'board/7'],
    ]);
    expect((await engine.index([{ id: 'item', text: 'a quokka story' }])).stats.documentsProcessed).toBe(1);
    expect((await engine.get('item'))?.sourceType).toBe('document');
  });
});

describe('a listing that a filter narrows', () => {
  it('gives the same documents whether the store is asked for few, or all are looked at', async () => {
    const engine = await createEngine({ config: { provider: 'libsql' }, cwd: temporaryFolder() });
    onTestFinished(() => engine.close());
    const scope = { tenant: 'a', groups: ['hr'], clearance: 1 };
    const parts = Array.from({ length: 1_010 }, (_, i) => ({
      id: `part-${i}`,
      text: `The quokka number ${i}.`,
      metadata: { parent: i < 7 ? 'small' : 'large', tags: i % 2 === 0 ? ['even'] : [] },
      access: i % 3 === 0 ? { groups: ['hr'], level: 1 } : {},
    }));
    await engine.as(scope).push(parts);
    await engine.as({ tenant: 'b' }).push(parts.slice(0, 3).map(({ access: _, ...part }) => part));
    const listed = async (asker: ScopeInput, metadata: Record<string, string>) => {
      const ids: string[] = [];
      const whole: string[] = [];
      for (let cursor: string | undefined; ; ) {
        const page = await engine.as(asker).list({ filters: { metadata }, cursor, limit: 4 });
        ids.push(...page.documents.map(({ externalId }) => externalId));
        whole.push(...page.documents.map(({ id }) => id));
        cursor = page.cursor;
        if (cursor === undefined || whole.length >= 40) break;
      }
      expect(whole).toEqual([...whole].sort());
      return ids;
    };
    const names = (asker: boolean) =>
      parts.flatMap(({ id }, i) => (i < 7 && (asker || i % 3 > 0) ? [id] : [])).sort();
    expect((await listed(scope, { parent: 'small' })).sort()).toEqual(names(true));
    expect((await listed({ tenant: 'a' }, { parent: 'small' })).sort()).toEqual(names(false));
    expect((await listed({ tenant: 'b' }, { parent: 'small' })).length).toBe(3);
    expect(await listed({ tenant: 'c' }, { parent: 'small' })).toEqual([]);
    expect((await listed(scope, { parent: 'large' })).length).toBe(40);
  });
});

describe('a replacement that leaves out its access, where access rules decide', () => {
  const rules = [
    { contains: ['strictly confidential'], level: 2 },
    { paths: ['board/*'], groups: ['board'] },
  ];
  const open = async () => {
    const engine = await createEngine({
      config: { provider: 'memory', security: { access: { rules, defaultLevel: 0 } } },
      cwd: temporaryFolder(),
    });
    onTestFinished(() => engine.close());
    return engine;
  };
  const reader = { tenant: 'default', groups: ['hr', 'board'], clearance: 2 };
  const accessOf = async (engine: Engine, id: string) => (await engine.as(reader).get(id))?.access;

  it.each([
    ['what the push stated', 'plan', { text: 'a quokka', access: { groups: ['hr'], level: 1 } }],
    ['what a rule decided over its words', 'plan', { text: 'a strictly confidential quokka' }],
    ['what a rule decided over its place', 'board/plan', { text: 'a quokka' }],
  ])('keeps %s', async (_, id, document) => {
    const engine = await open();
    await engine.index([{ id, ...document }]);
    const before = await accessOf(engine, id);
    await engine.as(reader).push([{ id, text: 'another quokka' }]);
    expect(await engine.get(id)).toBeUndefined();
    expect(await engine.as(reader).get(id)).toMatchObject({ text: 'another quokka', access: before });
  });

  it('is narrowed by a rule that fits now, and widened by what a push states', async () => {
    const engine = await open();
    await engine.index([{ id: 'plan', text: 'a quokka', access: { groups: ['hr'] } }]);
    const view = engine.as(reader);
    await view.push([{ id: 'plan', text: 'a strictly confidential quokka' }]);
    expect(await accessOf(engine, 'plan')).toEqual({ groups: ['hr'], level: 2 });
    await view.push([{ id: 'plan', text: 'a quokka', access: { groups: ['*'], level: 0 } }]);
    expect(await accessOf(engine, 'plan')).toEqual({ groups: ['*'], level: 0 });
  });
});
