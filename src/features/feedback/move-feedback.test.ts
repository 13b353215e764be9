import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { createKnowledgeDeployments } from '../../index.js';
import { feedbackFileOf } from './feedback-log.js';

test('feedback goes where its tenant goes and stays nowhere else, and that of others stays', async () => {
  const cwd = temporaryFolder();
  const deployments = await createKnowledgeDeployments({
    cwd,
    config: { provider: 'libsql', feedback: { enabled: true } },
    dataDir: 'data',
  });
  onTestFinished(() => deployments.close());
  const viewOf = async (tenant: string) => (await deployments.of({ tenant })).view;
  for (const tenant of ['acme', 'globex']) {
    const view = await viewOf(tenant);
    await view.push([{ id: 'lamp', text: `The blue lamp of ${tenant}.` }]);
    const { results } = await view.search('blue lamp');
    await view.feedback({ query: `lamp of ${tenant}`, shown: results.map(({ id }) => id), relevant: [1] });
  }
  const shared = join(cwd, 'data');
  const questions = async (tenant: string) => {
    const view = await viewOf(tenant);
    const { feedback } = await view.listFeedback();
    const judged = (await view.feedbackJudgments()).questions;
    return [feedback.map(({ question }) => question), judged.map(({ question }) => question)];
  };
  const ofAcme = [['lamp of acme'], ['lamp of acme']];
  for (const model of ['Dedicated', 'Shared'] as const) {
    await deployments.moveTenant({ tenantId: 'acme', model });
    expect(await questions('acme')).toEqual(ofAcme);
    expect(existsSync(feedbackFileOf(shared, 'acme'))).toBe(model === 'Shared');
    expect(existsSync(join(shared, 'deployments', 'acme-knowledge', 'feedback'))).toBe(model === 'Dedicated');
    expect(await questions('globex')).toEqual([['lamp of globex'], ['lamp of globex']]);
  }
});
