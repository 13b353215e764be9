import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine, oneOf, RAGError } from '../index.js';
import type { ContextEnrichment, PipelineContext, ScoredPBI } from './context-enrichment.js';
import { EnrichContextStep } from './enrich-context-step.js';

const PUSHED = [
  [
    'PBI-1',
    'pbi',
    'Log in with OAuth',
    'Users log in with OAuth tokens. The root cause of the last outage was an expired token.',
  ],
  [
    'PBI-2',
    'pbi',
    'Lock accounts',
    'Lock an account after five failed logins. We decided to unlock it after an hour.',
  ],
  ['PBI-3', 'pbi', 'Move the database', 'Move the database to the new cluster.'],
  [
    'guide',
    'documentation',
    'Guide to logins',
    'Logins with OAuth tokens need a client id. Tokens expire after an hour.',
  ],
  [
    'adr',
    'confluence',
    'ADR-4 Tokens',
    'OAuth tokens are kept in Redis, because a login must survive a restart.',
  ],
].map(([id = '', sourceType = '', title = '', text = '']) => ({
  id,
  title,
  text,
  ...(id === 'guide' ? { url: 'https://wiki.example/guide' } : {}),
  metadata: { sourceType, ...(sourceType === 'pbi' ? { pbi_id: id } : {}) },
}));

const item = (id: string, title: string, description = ''): ScoredPBI => ({
  pbi: { id, title, description },
  scores: { clarity: 80 },
});

const contextOf = (...scored: ScoredPBI[]): PipelineContext => ({ scoredPBIs: { scored_pbis: scored } });

describe('the step that enriches backlog items', () => {
  let folder: string;
  let engine: Engine;
  let step: EnrichContextStep;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ragstone-backlog-'));
    engine = await createEngine({ config: { provider: 'memory' }, dataDir: folder, cwd: folder });
    expect((await engine.index({ documents: PUSHED })).success).toBe(true);
    step = new EnrichContextStep({ engine });
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const enrichmentOf = async (scored: ScoredPBI): Promise<ContextEnrichment> => {
    const { enrichedPBIs } = await step.executeStep(contextOf(scored));
    const [first] = enrichedPBIs?.enriched_pbis ?? [];
    if (first === undefined) throw new Error('nothing was enriched');
    return first.context;
  };

  test('gives each item its context, in their order, beside what it held', async () => {
    const context = await step.executeStep(
      contextOf(...['A', 'B', 'C', 'D', 'E', 'F'].map((id) => item(id, `Log in with OAuth ${id}`))),
    );
    expect(context.enrichedPBIs?.enriched_pbis.map(({ pbi, scores }) => [pbi.id, scores])).toEqual(
      ['A', 'B', 'C', 'D', 'E', 'F'].map((id) => [id, { clarity: 80 }]),
    );
  });

  test('has the shape of section 8', async () => {
    const found = await enrichmentOf(item('NEW-1', 'Log in with OAuth tokens', 'Users log in with OAuth.'));
    expect(Object.keys(found)).toEqual(
      expect.arrayContaining([
        'similar_work',
        'past_decisions',
        'technical_docs',
        'risk_flags',
        'suggestions',
      ]),
    );
    expect(found.risk_flags).toEqual([]);
    expect(found.similar_work[0]).toEqual({
      ref: 'PBI-1',
      title: 'Log in with OAuth',
      similarity: expect.any(Number),
      learnings: ['The root cause of the last outage was an expired token.'],
      link: '#',
    });
    for (const { similarity } of found.similar_work) {
      expect(similarity).toBeGreaterThanOrEqual(0);
      expect(similarity).toBeLessThanOrEqual(100);
      expect(Number.isInteger(similarity)).toBe(true);
    }
    expect(found.technical_docs.find(({ ref }) => ref === 'guide')).toMatchObject({
      title: 'Guide to logins',
      relevant_sections: [expect.stringContaining('client id')],
      link: 'https://wiki.example/guide',
    });
  });

  test('keeps work and pages apart, and names what was decided', async () => {
    const found = await enrichmentOf(item('NEW-2', 'OAuth tokens at login'));
    expect(found.similar_work.map(({ ref }) => ref)).not.toContain('guide');
    expect(found.technical_docs.map(({ ref }) => ref)).not.toContain('PBI-1');
    const decisions = new Map(found.past_decisions.map(({ ref, decision }) => [ref, decision]));
    expect(decisions.get('adr')).toBe(
      'OAuth tokens are kept in Redis, because a login must survive a restart.',
    );
  });

  test('never shows an item as its own context', async () => {
    const found = await enrichmentOf(item('PBI-1', 'Log in with OAuth', PUSHED[0]?.text));
    expect(found.similar_work.map(({ ref }) => ref)).not.toContain('PBI-1');
    expect(found.past_decisions.map(({ ref }) => ref)).not.toContain('PBI-1');
  });

  test('asks only for what its filter admits', async () => {
    const older = new EnrichContextStep({
      engine,
      filter: ({ id }) => oneOf('pbi_id', id === 'NEW-3' ? ['PBI-2'] : []),
    });
    const found = await older.enrich({ id: 'NEW-3', title: 'Log in with OAuth tokens' });
    expect(found.similar_work.map(({ ref }) => ref)).toEqual(['PBI-2']);
    expect(found.technical_docs).toEqual([]);
  });

  test('an index that fails, or is switched off, leaves the item to the fallback and says why', async () => {
    class Pipeline extends EnrichContextStep<string> {
      protected override enrichWithFallback(_: ScoredPBI, __: PipelineContext, router: string | undefined) {
        return {
          similar_work: [],
          past_decisions: [],
          technical_docs: [],
          risk_flags: [],
          suggestions: [`asked ${router}`],
        };
      }
    }
    const broken = new Pipeline({
      engine: { search: () => Promise.reject(new RAGError('USAGE', 'The store is down.')) },
    });
    const { enrichedPBIs } = await broken.executeStep(contextOf(item('A', 'Anything')), 'the model');
    expect(enrichedPBIs?.enriched_pbis[0]?.context).toMatchObject({
      suggestions: ['asked the model'],
      notices: ['No index was asked: The store is down.'],
    });
    const off = new Pipeline({
      open: { config: { enabled: false }, cwd: folder, dataDir: join(folder, 'off') },
    });
    const context = await off.executeStep(contextOf(item('A', 'Anything')), 'the model');
    await off.close();
    expect(context.enrichedPBIs?.enriched_pbis[0]?.context.suggestions).toEqual(['asked the model']);
    expect(context.enrichedPBIs?.enriched_pbis[0]?.context.notices?.length).toBeGreaterThan(0);
  });

  test('a context without scored items is refused', async () => {
    await expect(step.executeStep({})).rejects.toThrow(/scored_pbis/);
  });
});
