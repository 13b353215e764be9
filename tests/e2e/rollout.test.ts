import { expect, test } from 'vitest';
import { EnrichContextStep } from '../../src/compat/backlog/index.js';
import { ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

const CONFIG = 'rag:\n  provider: libsql\n  rollout:\n    rolloutPercentage: 60\n    shadow: true\n';

test('what a pipeline did is shown by the command, with the side of each item that is named', async () => {
  const cwd = temporaryFolder({
    'ragstone.yaml': CONFIG,
    'docs/adr.md': '# ADR-1 Tokens\n\nTokens live in Redis.\n',
  });
  const none = await runRagstone(['rollout'], { cwd });
  expect(none).toMatchObject({ code: 0, stdout: expect.stringContaining('No item was counted yet.') });
  expect(await runRagstone(['index', 'docs', '--quiet'], { cwd })).toMatchObject({ code: 0 });

  const step = new EnrichContextStep({ open: { cwd } });
  const ids = Array.from({ length: 20 }, (_, n) => `PBI-${n}`);
  const { enrichedPBIs } = await step.executeStep({
    scoredPBIs: { scored_pbis: ids.map((id) => ({ pbi: { id, title: 'Where do tokens live?' } })) },
  });
  await step.close();
  const reasons = new Map(
    enrichedPBIs.enriched_pbis.map(({ pbi, context }) => [pbi.id, context.rollout?.reason]),
  );
  const compared = [...reasons.values()].filter((reason) => reason === 'shadow').length;

  const { document } = await ragstoneJson<Record<string, unknown>>(['rollout', ...ids], { cwd });
  expect(document).toMatchObject({
    settings: { rag_enrichment: true, rolloutPercentage: 60, shadow: true },
    items: { rag: 0, legacy: { shadow: compared, percentage: 20 - compared } },
    shadow: { compared, agreed: 0, failed: 0, found: { legacy: 0, both: 0 } },
  });
  const sides = document.sides as { id: string; reason: string; position: number }[];
  for (const { id, reason, position } of sides) {
    expect(reason).toBe(reasons.get(id));
    expect(reason === 'shadow').toBe(position < 60);
  }

  const shown = (await runRagstone(['rollout', 'PBI-1'], { cwd })).stdout;
  expect(shown).toContain('60 % of the items are done both ways, to compare');
  expect(shown).toContain(`Compared: ${compared} items, 0 with the same found both ways`);
  expect(shown).toMatch(/PBI-1 +as before/);
  const acme = await ragstoneJson<object>(['rollout', '--tenant', 'acme'], { cwd });
  expect(acme.document).toMatchObject({ shadow: { compared: 0 } });

  expect(await runRagstone(['rollout', 'clear'], { cwd })).toMatchObject({ code: 0 });
  const after = await ragstoneJson<object>(['rollout'], { cwd });
  expect(after.document).toMatchObject({ items: { legacy: { shadow: 0 } }, shadow: { compared: 0 } });
  expect(after.document).not.toHaveProperty('since');
});

test('a rollout that says something else is refused', async () => {
  const cwd = temporaryFolder({
    'ragstone.yaml': 'rag:\n  rollout:\n    rolloutPercentage: 101\n    percent: 3\n',
  });
  const { code, stderr } = await runRagstone(['rollout'], { cwd });
  expect(code).toBe(2);
  expect(stderr).toContain('rolloutPercentage');
  expect(stderr).toContain('percent');
});
