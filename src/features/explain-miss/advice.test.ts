import { afterAll, beforeAll, expect, test } from 'vitest';
import { sharedFolder } from '../../../tests/e2e/temporary-folder.js';
import { loadConfig } from '../../config/load-config.js';
import { engineOver } from '../../engine/create-engine.js';
import type { Engine } from '../../operations/engine.js';
import { EngineResources } from '../../resources/engine-resources.js';

let engine: Engine;
beforeAll(async () => {
  const cwd = sharedFolder();
  const config = await loadConfig({ config: { provider: 'memory' }, cwd, env: {} });
  engine = engineOver(new EngineResources(config), cwd);
  const filler = Array.from({ length: 12 }, (_, at) => ({
    id: `pipes/${at}.md`,
    text: `Pipeline ${at} runs.`,
  }));
  await engine.index({
    documents: [
      { id: 'ci/credential_scanning.md', text: 'Secrets are found before they are pushed.' },
      ...filler,
    ],
  });
  await engine.index({ documents: [{ id: 'other.md', text: 'A text.' }] }, { tenant: 'globex' });
});
afterAll(() => engine.close());

test('a word that no passage holds is the first advice', async () => {
  const { found, remedies } = await engine.explainMiss('pipeline credscan', 'credential_scanning.md');
  expect(found).toBe(false);
  expect(remedies[0]).toEqual({
    setting: 'the query',
    detail: '`credscan` occurs in no passage that you may read; try other words.',
  });
});

test('words that are held somewhere are no advice', async () => {
  const { found, remedies } = await engine.explainMiss('pipeline runs', 'credential_scanning.md');
  expect(found).toBe(false);
  expect(remedies.filter(({ setting }) => setting === 'the query')).toEqual([]);
});

test.each(['credential-scanning.md', 'Credential_Scaning.md', 'ci/credential scanning.md'])(
  '%s is nearly a name',
  async (name) => {
    const { reason, remedies } = await engine.explainMiss('secrets', name);
    expect(reason).toContain('Did you mean "ci/credential_scanning.md"?');
    expect(remedies).toMatchObject([{ setting: 'ci/credential_scanning.md' }]);
  },
);

test('a name that is near to none, or to one of another tenant, is not known', async () => {
  for (const name of ['boats.md', 'others.md'])
    expect((await engine.explainMiss('secrets', name)).remedies[0]?.setting).toBe(`ragstone index ${name}`);
});
