import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import type { RAGConfigInput } from '../../config/schema/index.js';
import { SYSTEM_RUNTIME } from '../../core/runtime.js';
import { createEngine } from '../../engine/create-engine.js';
import { openLedger } from '../../ledger/sqlite/open-ledger.js';
import type { Engine } from '../../operations/engine.js';

const DAY = 24 * 3_600_000;

let time = Date.parse('2026-01-01T00:00:00.000Z');
const open: Engine[] = [];
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
});

async function engineIn(cwd: string, settings: RAGConfigInput = {}, keep: string | null = '90d') {
  const engine = await createEngine({
    cwd,
    config: { provider: 'libsql', ...(keep === null ? {} : { history: { keep } }), ...settings },
    runtime: { ...SYSTEM_RUNTIME, now: () => time },
  });
  open.push(engine);
  return engine;
}

/** The moment, after which time goes on. */
function later(ms = 60_000): Date {
  const at = new Date(time);
  time += ms;
  return at;
}

const note = (text: string, access?: { groups: string[] }) => ({
  id: 'rota',
  text,
  ...(access === undefined ? {} : { access }),
});

const texts = async (engine: Engine, asOf: string | Date | undefined, groups: string[] = []) =>
  (
    await engine.search(
      { text: 'Who keeps the lighthouse?', asOf, options: { minSimilarity: 0 } },
      { tenant: 'default', groups },
    )
  ).results.map(({ content }) => content);

it('a date is the beginning of its day, and that of today is told with a time to state', async () => {
  time = Date.parse('2026-01-05T15:00:00.000Z');
  const engine = await engineIn(temporaryFolder());
  await engine.index([note('The lighthouse is kept by Ada.')]);
  later();
  await expect(texts(engine, '2026-01-05')).rejects.toMatchObject({
    message: expect.stringContaining(
      'for later on 2026-01-05 state a time, such as 2026-01-05T15:00:00.000Z.',
    ),
  });
  await expect(texts(engine, '2026-01-04')).rejects.toMatchObject({
    message: expect.not.stringContaining('state a time'),
  });
  time = Date.parse('2026-01-07T09:00:00.000Z');
  const { notices } = await engine.search({ text: 'lighthouse', asOf: '2026-01-07' });
  expect(notices.join()).toContain('state a time, such as 2026-01-07T09:00:00.000Z.');
  const other = await engine.search({ text: 'lighthouse', asOf: '2026-01-06' });
  expect(other.notices.join()).not.toContain('state a time');
});

it('finds what was said then by words and meaning, and answers from it', async () => {
  const engine = await engineIn(temporaryFolder());
  await engine.index([note('The lighthouse is kept by Ada.')]);
  const first = later();
  await engine.index([note('The lighthouse is kept by Grace.')]);
  later();
  expect(await texts(engine, undefined)).toEqual(['The lighthouse is kept by Grace.']);
  expect(await texts(engine, first)).toEqual(['The lighthouse is kept by Ada.']);
  const { lanes, notices, asOf, noticeKinds } = await engine.search({
    text: 'lighthouse keeper',
    asOf: first,
  });
  expect(lanes.filter(({ status }) => status === 'ran').map(({ lane }) => lane)).toContain('dense');
  expect(asOf).toMatchObject({ at: first.toISOString() });
  expect(noticeKinds).toContain('as-of');
  expect(notices.join()).toContain(first.toISOString());
  const answer = await engine.ask({
    question: 'Who keeps the lighthouse?',
    asOf: first,
    answerer: 'extractive',
  });
  expect(answer.asOf?.at).toBe(first.toISOString());
  expect(JSON.stringify(answer)).toContain('Ada');
  expect(JSON.stringify(answer)).not.toContain('Grace');
  const { text } = await engine.context({ text: 'lighthouse', asOf: first });
  expect(text).toContain('Ada');
  expect(text).not.toContain('Grace');
  expect((await engine.status()).history).toMatchObject({ keep: '90d', past: 1, present: 1 });
  expect((await engine.verify()).drift).toEqual([]);
});

it('asks for who may read it then and now', async () => {
  const engine = await engineIn(temporaryFolder());
  const hr = { tenant: 'default', groups: ['hr'] };
  await engine.index([note('Open: the lighthouse pays well.')], hr);
  const openAt = later();
  await engine.index([note('Open: the lighthouse pays well.', { groups: ['hr'] })], hr);
  const closedAt = later();
  expect(await texts(engine, openAt)).toEqual([]);
  expect(await texts(engine, openAt, ['hr'])).toHaveLength(1);
  const { noticeKinds } = await engine.search({ text: 'lighthouse', asOf: openAt });
  expect(noticeKinds).toContain('documents-hidden');
  await engine.index([note('Open: the lighthouse pays well.', { groups: ['*'] })], hr);
  later();
  expect(await texts(engine, openAt)).toHaveLength(1);
  expect(await texts(engine, closedAt)).toEqual([]);
  await engine.index([note('Open: the lighthouse pays well.', { groups: ['hr'] })], hr);
  later();
  await engine.delete(['rota'], hr);
  later();
  // Of what is gone, who could read it last.
  expect(await texts(engine, openAt)).toEqual([]);
  expect(await texts(engine, openAt, ['hr'])).toHaveLength(1);
  await expect(
    engine.search({ text: 'lighthouse', asOf: openAt }, { tenant: 'other' }),
  ).resolves.toMatchObject({ results: [] });
});

it('refuses what cannot be answered, and never shows the present instead', async () => {
  const cwd = temporaryFolder();
  const off = await engineIn(cwd, {}, null);
  await off.index([note('The lighthouse is kept by Ada.')]);
  const before = later();
  const refused = (message: RegExp) => ({ reason: 'QUERY_INVALID', message: expect.stringMatching(message) });
  await expect(texts(off, before)).rejects.toMatchObject(refused(/keeps no history.*rag\.history\.keep/s));
  await off.close();
  const writer = openLedger({ path: join(cwd, '.ragstone', 'ledger.db'), readOnly: true });
  expect(await writer.history?.summary()).toEqual({ versions: 0, past: 0, bytes: 0 });
  expect(await writer.history?.isEmpty()).toBe(true);
  await writer.close();
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'docs', 'a.md'), 'The lighthouse has a lamp.');
  const engine = await engineIn(cwd);
  await expect(texts(engine, before)).rejects.toMatchObject(refused(/has not begun/));
  await engine.index({ paths: ['docs'] });
  const begun = later();
  // What was indexed before it was kept is there from now on.
  expect((await texts(engine, begun)).sort()).toEqual([
    'The lighthouse has a lamp.',
    'The lighthouse is kept by Ada.',
  ]);
  await expect(texts(engine, before)).rejects.toMatchObject(refused(/history begins at/));
  await expect(texts(engine, new Date(time + DAY))).rejects.toMatchObject(refused(/future/));
  await expect(texts(engine, '2026-02-31')).rejects.toMatchObject(refused(/no date/));
  await expect(texts(engine, '2026-01-01T10:00')).rejects.toMatchObject(refused(/no time zone/));
  await expect(texts(engine, 'v1.0')).rejects.toMatchObject(refused(/no Git source/));
  for (const options of [{ mode: 'graph' }, { deadlineMs: 100 }] as const)
    await expect(engine.search({ text: 'x', asOf: begun, options })).rejects.toMatchObject(
      refused(/leave out asOf/),
    );
  await expect(engine.ask({ question: 'x?', asOf: begun, mode: 'agentic' })).rejects.toMatchObject(
    refused(/leave out asOf/),
  );
  // The time that a search of the past takes is not planned, so nothing is promised.
  await expect(
    engine.ask({ question: 'x?', asOf: begun, limits: { deadlineMs: 100 } }),
  ).rejects.toMatchObject(refused(/leave out asOf/));
  await expect(engine.explainMiss({ text: 'x', asOf: begun }, 'a.md')).rejects.toMatchObject(
    refused(/asOf is for/),
  );
  // What is older than is kept is not answered, whether it was deleted yet or not.
  writeFileSync(join(cwd, 'docs', 'a.md'), 'The lighthouse has a horn.');
  time += DAY;
  await engine.index({ paths: ['docs'] });
  time += 90 * DAY;
  await expect(texts(engine, begun)).rejects.toMatchObject(refused(/history begins at/));
  await engine.index({ paths: ['docs'] });
  expect((await engine.status()).history).toMatchObject({ past: 0 });
  await engine.close();
  const without = await engineIn(cwd, {}, null);
  await without.index({ paths: ['docs'] });
  expect((await without.status()).history).toBeUndefined();
  await without.close();
  expect((await (await engineIn(cwd)).status()).history).toMatchObject({ past: 0, present: 0, bytes: 0 });
});

it('shows nothing of what was forgotten, and the receipt covers what only the past held', async () => {
  const engine = await engineIn(temporaryFolder());
  await engine.index([
    note('The lighthouse is kept by Ada.'),
    { id: 'other', text: 'The lighthouse is white.' },
  ]);
  const first = later();
  await engine.index([note('The lighthouse is kept by Grace.')]);
  later();
  await engine.delete(['rota']);
  later();
  expect(await texts(engine, first)).toHaveLength(2);
  const receipt = await engine.forget({ documents: ['rota'] });
  expect(receipt).toMatchObject({ state: 'done', documents: 1 });
  expect(receipt.removed).toContainEqual({ place: 'history', what: 'versions of documents', count: 2 });
  expect(await texts(engine, first)).toEqual(['The lighthouse is white.']);
  const check = await engine.checkReceipt(receipt.id);
  expect(check).toMatchObject({ clean: true, found: [] });
  expect(check.looked).toContainEqual({ place: 'history', entries: 1 });
});

it('goes on over a rebuild', async () => {
  const cwd = temporaryFolder();
  mkdirSync(join(cwd, 'docs'));
  const path = join(cwd, 'docs', 'a.md');
  const engine = await engineIn(cwd);
  const write = async (text: string, force: boolean) => {
    writeFileSync(path, text);
    await engine.index({ paths: ['docs'], options: { force } });
    return later();
  };
  const first = await write('The lighthouse is kept by Ada.', false);
  const second = await write('The lighthouse is kept by Grace.', true);
  const third = await write('The lighthouse is kept by Joan.', true);
  expect(await engine.generations()).toHaveLength(2);
  expect(await texts(engine, first)).toEqual(['The lighthouse is kept by Ada.']);
  expect(await texts(engine, second)).toEqual(['The lighthouse is kept by Grace.']);
  expect(await texts(engine, third)).toEqual(['The lighthouse is kept by Joan.']);
});

it('knows the commit of a tag, where the index held it', async () => {
  const cwd = temporaryFolder();
  const repository = join(cwd, 'repository');
  mkdirSync(repository);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], {
      cwd: repository,
      stdio: 'pipe',
    });
  git('init', '-q', '-b', 'main');
  const commit = (text: string, tag: string) => {
    writeFileSync(join(repository, 'rota.md'), text);
    git('add', '-A');
    git('commit', '-qm', tag);
    git('tag', tag);
  };
  const engine = await engineIn(cwd, { sources: [{ name: 'code', type: 'git', repository }] });
  commit('The lighthouse is kept by Ada.', 'v1.0');
  await engine.index();
  later();
  commit('The lighthouse is kept by nobody.', 'v1.1');
  commit('The lighthouse is kept by Grace.', 'v2.0');
  git('tag', '-a', 'release/two', '-m', 'annotated');
  await engine.index();
  later();
  expect(await texts(engine, 'v1.0')).toEqual(['The lighthouse is kept by Ada.']);
  expect(await texts(engine, 'tag:release/two')).toEqual(['The lighthouse is kept by Grace.']);
  const { asOf } = await engine.search({ text: 'lighthouse', asOf: 'code:v1.0' });
  expect(asOf?.tag).toMatchObject({ name: 'code:v1.0', source: 'code' });
  await expect(texts(engine, 'v1.1')).rejects.toMatchObject({
    message: expect.stringMatching(/no run ended.*v1\.0/s),
  });
  await expect(texts(engine, 'v9')).rejects.toMatchObject({
    message: expect.stringMatching(/no configured Git source.*v1\.0.*v2\.0/s),
  });
  rmSync(repository, { recursive: true });
  await expect(texts(engine, 'v1.0')).rejects.toMatchObject({ reason: expect.stringMatching(/^SOURCE_/) });
});
