import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RAGSettingsInput } from '../config/schema/index.js';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

let folder: string;
const open: Engine[] = [];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ragstone-collapse-'));
});
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close();
  await rm(folder, { recursive: true });
});

/** Four sections, so four passages, that speak of the upload in other words. */
const sections = (subject: string): string =>
  ['waits for the network', 'checks each hash', 'writes a report', 'asks the operator']
    .map(
      (does, i) =>
        `## Part ${i + 1}\n\nThe upload of ${subject} ${does} before it goes on with step ${i + 1}.`,
    )
    .join('\n\n');

const ticket = (id: string, subject: string, metadata = {}) => ({
  id,
  title: `Upload of ${subject}`,
  text: sections(subject),
  mediaType: 'text/markdown',
  metadata: { sourceType: 'ticket', ...metadata },
});

async function engineWith(config: RAGSettingsInput = {}): Promise<Engine> {
  const engine = await createEngine({
    config: {
      provider: 'memory',
      chunking: { maxSize: 120, overlap: 0, unit: 'characters' },
      ...config,
    },
    cwd: folder,
  });
  open.push(engine);
  return engine;
}

describe('one result a document', () => {
  it('is the default for tickets: topK counts tickets, and the other passages are counted', async () => {
    const engine = await engineWith();
    await engine.index({
      documents: ['photos', 'videos', 'scans'].map((name) => ticket(`${name}.md`, name)),
    });
    const { results } = await engine.search({ text: 'upload of photos', options: { topK: 3 } });
    expect(results.map(({ metadata }) => metadata.source).sort()).toEqual([
      'photos.md',
      'scans.md',
      'videos.md',
    ]);
    expect(results.map(({ more }) => more)).toEqual(
      Array.from({ length: 3 }, () => ({ passages: 3, copies: 0 })),
    );
    const all = await engine.search({ text: 'upload of photos', options: { topK: 6, collapse: 'none' } });
    expect(all.results).toHaveLength(6);
    expect(all.results.every(({ more }) => more === undefined)).toBe(true);
    const answer = await engine.ask({
      question: 'What does the upload of photos do?',
      topK: 3,
      mode: 'naive',
      abstainBelow: 0,
    });
    expect(new Set(answer.sources.map(({ documentId }) => documentId)).size).toBe(3);
    const rich = await engine.ask({
      question: 'What does the upload of photos do?',
      topK: 3,
      mode: 'naive',
      abstainBelow: 0,
      options: { collapse: 'none' },
    });
    expect(new Set(rich.sources.map(({ documentId }) => documentId)).size).toBe(1);
  });

  it('counts the same whatever topK is', async () => {
    const engine = await engineWith();
    await engine.index({ documents: ['photos', 'videos'].map((name) => ticket(`${name}.md`, name)) });
    const more = async (topK: number) =>
      (await engine.search({ text: 'upload of photos', options: { topK } })).results[0]?.more;
    expect(await more(1)).toEqual(await more(2));
  });

  it('is no default for prose, and can be one', async () => {
    const documents = ['photos', 'videos'].map((name) => ({ ...ticket(`${name}.md`, name), metadata: {} }));
    const query = { text: 'upload of photos', options: { topK: 4 } };
    const usual = await engineWith();
    await usual.index({ documents });
    expect((await usual.search(query)).results).toHaveLength(4);
    const once = await engineWith({ retrieval: { collapse: 'document' } });
    await once.index({ documents });
    expect((await once.search(query)).results).toHaveLength(2);
  });

  it('holds for small chunks that are joined first', async () => {
    const engine = await engineWith({ chunking: { strategy: 'adaptive' } });
    await engine.index({
      documents: ['photos', 'videos', 'scans'].map((name) => ticket(`${name}.md`, name)),
    });
    const { results } = await engine.search({ text: 'upload', options: { topK: 3 } });
    const sources = results.map(({ metadata }) => metadata.source);
    expect(new Set(sources).size).toBe(sources.length);
  });

  it('shows a backlog item once of all files that hold it, and explains where a copy went', async () => {
    const engine = await engineWith({ retrieval: { nearDuplicates: { enabled: false } } });
    const item = { sourceType: 'pbi', pbi_id: 'PBI-7' };
    await engine.index({
      documents: [
        {
          id: 'run/step2.json',
          title: 'Retry uploads',
          text: 'As a user I want uploads retried.',
          metadata: item,
        },
        {
          id: 'run/step3.json',
          title: 'Retry uploads',
          text: 'As a user I want uploads retried, thrice at most.',
          metadata: item,
        },
        { id: 'notes.md', text: 'Uploads are slow in the evening.' },
      ],
    });
    const query = { text: 'I want uploads retried' };
    const { results } = await engine.search(query);
    expect(results.map(({ more }) => more)).toEqual([{ passages: 1, copies: 1 }, undefined]);
    const shown = results[0]?.metadata.source;
    const copy = shown === 'run/step2.json' ? 'run/step3.json' : 'run/step2.json';
    expect(await engine.explainMiss(query, copy)).toMatchObject({
      found: false,
      lostAt: 'collapse',
      remedies: [{ setting: 'retrieval.collapse: none' }],
    });
  });

  it('finds as many documents as are asked for, though one alone would fill the list', async () => {
    const engine = await engineWith({ retrieval: { fusion: { candidates: 10 } } });
    const long = Array.from({ length: 60 }, (_, i) => `## Upload ${i}\n\nThe upload of part ${i} waits.`);
    await engine.push([
      { id: 'long', title: 'The upload', text: long.join('\n\n'), mediaType: 'text/markdown' },
      ...[1, 2, 3].map((i) => ({ id: `note ${i}`, text: `Of lunch ${i}, and, in passing, an upload.` })),
    ]);
    const { results } = await engine.search({ text: 'upload', options: { topK: 4, collapse: 'document' } });
    expect(new Set(results.map(({ metadata }) => metadata.source)).size).toBe(4);
  });
});
