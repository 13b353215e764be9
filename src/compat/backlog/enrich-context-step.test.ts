import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import {
  createEngine,
  DegradationLevel,
  type Engine,
  oneOf,
  RAGError,
  type RAGSettingsInput,
  type ScopeInput,
} from '../../index.js';
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

const NOTHING: ContextEnrichment = {
  similar_work: [],
  past_decisions: [],
  technical_docs: [],
  risk_flags: [],
  suggestions: [],
};

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

  test.each([
    [
      'Log in with OAuth',
      'Users log in with OAuth tokens. The root cause of the last outage was an expired token.',
    ],
    ['Move the database', 'Move the database to the new cluster.'],
    ['Lock accounts', 'Lock an account after five failed logins.'],
  ])('calls nothing a duplicate, however well it matches: %s', async (title, description) => {
    const { similar_work, suggestions } = await enrichmentOf(item('NEW-8', title, description));
    expect(similar_work[0]?.similarity).toBeGreaterThanOrEqual(90);
    expect(suggestions.join(' ')).not.toMatch(/duplicate/i);
    expect(suggestions[0]).toMatch(/^Read PBI-\d .* \(it matches by \d+ %\) before this is estimated\.$/);
  });

  test('counts what it leaves out because it matches too little', async () => {
    const { similar_work, notices } = await enrichmentOf(item('NEW-9', 'Paint the bicycle shed'));
    expect(similar_work).toEqual([]);
    expect(notices).toContainEqual(
      expect.stringMatching(
        /^\d+ passages are left out, matching by less than 20 %; the best of them by 1?\d %\.$/,
      ),
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

  test('nor by another name of it: a number of a service, the id of its document', async () => {
    const documents = [
      { id: 'SHOP-7', title: 'Ship by night', text: 'Parcels are shipped by night.' },
      { id: 'items/8', title: 'Ship at night', text: 'Ship at night.', metadata: { workItemId: 8 } },
    ].map((document) => ({ ...document, metadata: { sourceType: 'issue', ...document.metadata } }));
    await engine.index({ documents });
    const foundBy = async (id: string): Promise<string[]> =>
      (await step.enrich({ id, title: 'Ship parcels by night' })).similar_work.map(({ ref }) => ref);
    expect(await foundBy('SHOP-7')).toContain('8');
    expect(await foundBy('SHOP-7')).not.toContain('SHOP-7');
    expect(await foundBy('8')).toContain('SHOP-7');
    expect(await foundBy('8')).not.toContain('8');
  });

  test('asks only for what its filter admits', async () => {
    const older = new EnrichContextStep({
      engine,
      filter: ({ id }) => oneOf('pbi_id', id === 'NEW-3' ? ['PBI-2'] : []),
    });
    const found = await older.enrich({
      id: 'NEW-3',
      title: 'Lock accounts that failed to log in with OAuth',
    });
    expect(found.similar_work.map(({ ref }) => ref)).toEqual(['PBI-2']);
    expect(found.technical_docs).toEqual([]);
  });

  test('shows nothing that hardly matches, and suggests nothing of it', async () => {
    const found = await enrichmentOf(item('NEW-4', 'Print invoices on yellow paper'));
    expect(found).toMatchObject({ similar_work: [], past_decisions: [], technical_docs: [] });
    expect(found.suggestions).toEqual([expect.stringContaining('Nothing like this was found')]);
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

  describe('while it is rolled out', () => {
    class Pipeline extends EnrichContextStep {
      protected override enrichWithFallback({ pbi }: ScoredPBI): ContextEnrichment {
        return { ...NOTHING, suggestions: [`as before: ${pbi.title}`] };
      }
    }
    const twenty = Array.from({ length: 20 }, (_, n) => item(`X-${n}`, 'Log in with OAuth tokens'));

    /** The contexts of twenty items, by their ids, and the engine. */
    async function rolledOut(rollout: NonNullable<RAGSettingsInput['rollout']>, scope?: ScopeInput) {
      const dataDir = mkdtempSync(join(folder, 'rollout-'));
      const own = await createEngine({ config: { provider: 'libsql', rollout }, dataDir, cwd: dataDir });
      onTestFinished(() => own.close());
      const view = scope === undefined ? own : own.as(scope);
      await view.index({ documents: PUSHED });
      const { enrichedPBIs } = await new Pipeline({ engine: view }).executeStep(contextOf(...twenty));
      const contexts = new Map(enrichedPBIs.enriched_pbis.map(({ pbi, context }) => [pbi.id, context]));
      return { contexts, engine: own, view, dataDir };
    }
    const idsOf = (contexts: ReadonlyMap<string | undefined, ContextEnrichment>, side: 'rag' | 'legacy') =>
      [...contexts].flatMap(([id = '', { rollout }]) => (rollout?.side === side ? [id] : []));

    test('some percent of the items are enriched from the index, the others as before, and each says which', async () => {
      const { contexts, view, engine } = await rolledOut({ rolloutPercentage: 50 });
      const [rag, legacy] = [idsOf(contexts, 'rag'), idsOf(contexts, 'legacy')];
      expect(rag.length).toBeGreaterThan(3);
      expect(legacy.length).toBeGreaterThan(3);
      for (const id of rag)
        expect(contexts.get(id)).toMatchObject({
          similar_work: expect.arrayContaining([expect.objectContaining({ ref: 'PBI-1' })]),
          rollout: { side: 'rag' },
        });
      for (const id of legacy)
        expect(contexts.get(id)).toEqual({
          ...NOTHING,
          suggestions: ['as before: Log in with OAuth tokens'],
          degradation_level: DegradationLevel.DISABLED,
          rollout: { side: 'legacy', reason: 'percentage' },
        });
      expect((await view.rollout()).report().items).toMatchObject({
        rag: rag.length,
        legacy: { percentage: legacy.length },
      });
      // Another tenant's items are counted, and decided, apart.
      expect((await engine.as({ tenant: 'acme' }).rollout()).report().items.rag).toBe(0);
    });

    test('a higher percentage keeps the items that were enriched, and another tenant has others', async () => {
      const few = idsOf((await rolledOut({ rolloutPercentage: 30 })).contexts, 'rag');
      const more = idsOf((await rolledOut({ rolloutPercentage: 80 })).contexts, 'rag');
      expect(more.length).toBeGreaterThan(few.length);
      expect(more).toEqual(expect.arrayContaining(few));
      const acme = idsOf((await rolledOut({ rolloutPercentage: 80 }, { tenant: 'acme' })).contexts, 'rag');
      expect(acme).not.toEqual(more);
    });

    test('without a percentage, or with the flag off, all are as before', async () => {
      for (const [rollout, reason] of [
        [{}, 'percentage'],
        [{ rag_enrichment: false, rolloutPercentage: 100, shadow: true }, 'flag'],
      ] as const) {
        const { contexts } = await rolledOut(rollout);
        for (const context of contexts.values()) expect(context.rollout).toEqual({ side: 'legacy', reason });
      }
    });

    test('in shadow both are done, all are as before, and the comparison is kept for the next process', async () => {
      const { contexts, engine: own, dataDir } = await rolledOut({ rolloutPercentage: 100, shadow: true });
      for (const context of contexts.values()) {
        expect(context.suggestions).toEqual(['as before: Log in with OAuth tokens']);
        expect(context.rollout).toMatchObject({
          reason: 'shadow',
          comparison: { agrees: false, found: { legacy: 0, both: 0, rag: expect.any(Number) } },
        });
      }
      await own.close();
      const next = await createEngine({ config: {}, dataDir, cwd: dataDir });
      onTestFinished(() => next.close());
      const { shadow, settings } = (await next.rollout()).report();
      expect(settings).toBeUndefined();
      expect(shadow).toMatchObject({ compared: 20, agreed: 0, failed: 0, found: { legacy: 0, both: 0 } });
      expect(shadow.found.rag).toBeGreaterThan(20);
      expect(shadow.tookMs.rag.mean).toBeGreaterThan(shadow.tookMs.legacy.mean);
    });

    test('a search that fails is a fallback, counted; nobody knows what is rolled out where that cannot be asked', async () => {
      const { view } = await rolledOut({ rolloutPercentage: 100 });
      const down = { search: () => Promise.reject(new Error('down')), rollout: () => view.rollout() };
      const before = (await view.rollout()).report().items;
      const { enrichedPBIs } = await new Pipeline({ engine: down }).executeStep(contextOf(...twenty));
      for (const { context } of enrichedPBIs.enriched_pbis)
        expect(context).toMatchObject({
          degradation_level: DegradationLevel.DISABLED,
          rollout: { side: 'legacy', reason: 'fallback' },
          notices: ['No index was asked: down'],
        });
      const after = (await view.rollout()).report().items;
      expect(after.legacy.fallback).toBe(20);
      expect(after.rag).toBe(before.rag);

      const unknown = new Pipeline({
        engine: { search: view.search, rollout: () => Promise.reject(new Error('unknown')) },
      });
      const done = await unknown.executeStep(contextOf(item('A', 'Log in with OAuth tokens')));
      expect(done.enrichedPBIs.enriched_pbis[0]?.context).toMatchObject({
        rollout: { reason: 'fallback' },
        notices: ['No index was asked: unknown'],
      });
    });

    test('what the index says is not changed where nothing is rolled out', async () => {
      expect(await enrichmentOf(item('NEW-4', 'Log in with OAuth tokens'))).not.toHaveProperty('rollout');
    });
  });

  test('a context without scored items is refused', async () => {
    await expect(step.executeStep({})).rejects.toThrow(/scored_pbis/);
  });
});
