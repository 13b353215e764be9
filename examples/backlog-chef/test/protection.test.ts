import './embedded.js';
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createEngine, DegradationLevel, indexesOf, MultiTenantRAGService } from 'ragstone';
import { EnrichItems } from '../src/enrich-items.js';
import { scoredPbi } from '../src/runs.js';
import { readSettings } from '../src/settings.js';
import { makeProject } from './project.js';

test('personal data is taken out before anything is indexed, where that is switched on', async () => {
  const { folder } = makeProject();
  writeFileSync(
    join(folder, 'docs', 'contacts.md'),
    '# On call\n\nWrite to ida.berg@orchard.example at night.\n',
  );
  const overrides = { security: { redaction: { enabled: true } }, retrieval: { minSimilarity: 0 } };
  const engine = await createEngine({ config: readSettings(), cwd: folder, overrides });
  try {
    await engine.index({ sources: ['project_docs'] });
    const { results } = await engine.search('whom to write to at night');
    const text = results.map(({ content }) => content).join('\n');
    assert.match(text, /Write to \[EMAIL\] at night/);
    assert.doesNotMatch(text, /ida\.berg/);
  } finally {
    await engine.close();
  }
});

test('projects of two tenants find nothing of each other, and permissions count', async () => {
  const { folder } = makeProject();
  const engine = await createEngine({ config: { provider: 'memory' }, dataDir: folder, cwd: folder });
  try {
    const service = new MultiTenantRAGService(indexesOf(engine));
    const tenant = (tenantId: string, permissions = ['read', 'write']) => ({
      tenantId,
      projectId: 'p',
      permissions,
    });
    const items = (team: string) => [{ id: 'PBI-1', content: `Sign in with Google, for ${team}` }];
    await service.indexForTenant(items('orchard'), tenant('orchard'));
    await service.indexForTenant(items('meadow'), tenant('meadow'));
    const found = await service.searchForTenant('sign in', tenant('orchard', ['read']));
    assert.deepEqual(
      found.map(({ content }) => content),
      ['Sign in with Google, for orchard'],
    );
    await assert.rejects(service.indexForTenant([], tenant('orchard', ['read'])), { reason: 'FORBIDDEN' });
  } finally {
    await engine.close();
  }
});

test('an enrichment says how much of the full answer it is, and retrieval that is switched off is level 5', async () => {
  const { folder, waiting } = makeProject();
  const step = new EnrichItems({
    open: { config: readSettings(), cwd: folder, overrides: { enabled: false } },
  });
  try {
    const scored_pbis = waiting.slice(0, 1).map(scoredPbi);
    const { context } =
      (await step.executeStep({ scoredPBIs: { scored_pbis } })).enrichedPBIs.enriched_pbis[0] ?? {};
    assert.match(context?.suggestions.join(' ') ?? '', /refinement meeting/);
    assert.ok((context?.notices ?? []).length > 0);
    const [first] = scored_pbis;
    assert.equal(
      (await step.enrich(first?.pbi ?? { title: '' })).degradation_level,
      DegradationLevel.DISABLED,
    );
  } finally {
    await step.close();
  }
});
