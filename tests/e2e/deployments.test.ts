import { expect, test } from 'vitest';
import { createKnowledgeDeployments } from '../../src/index.js';
import { documentOf, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

test('search, status and verify reach the index that a tenant has of its own', async () => {
  const cwd = temporaryFolder();
  const ragstone = (...args: string[]) => runRagstone([...args, '--json'], { cwd, env: {} });
  const deployments = await createKnowledgeDeployments({ cwd, config: { provider: 'libsql' } });
  await deployments.saveDeploymentConfig({ tenantId: 'acme', model: 'Dedicated' });
  await (await deployments.of({ tenant: 'acme' })).view.push([{ id: 'lamp', text: 'The lamp is blue.' }]);
  await deployments.close();

  const found = documentOf<{ results: { content: string }[] }>(
    await ragstone('search', 'blue lamp', '--tenant', 'acme'),
  );
  expect(found.results.map(({ content }) => content)).toEqual(['The lamp is blue.']);
  expect(documentOf(await ragstone('status', '--tenant', 'acme'))).toMatchObject({ documents: 1 });
  expect(documentOf(await ragstone('status', '--deployments'))).toMatchObject({
    ok: true,
    deployments: [{ tenantId: 'acme', model: 'Dedicated', documents: 1, ok: true }],
  });
  for (const scope of [['--tenant', 'acme'], ['--deployments']])
    expect(documentOf(await ragstone('verify', '--repair', ...scope))).toMatchObject({ ok: true });
  expect((await ragstone('verify', '--deployments', '--tenant', 'acme')).code).toBe(2);
});
