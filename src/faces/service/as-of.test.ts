import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine } from '../../index.js';
import { testService } from './test-service.js';

const RAG = '/api/ai/rag';

it('asks the index of the caller as it was, and says of which moment it tells', async () => {
  const engine = await createEngine({
    config: { provider: 'memory', history: { keep: '90d' } },
    cwd: temporaryFolder(),
  });
  const { call } = await testService({ engine });
  const write = async (content: string): Promise<string> => {
    const body = { id: 'rota', content, documentType: 'note', tenantId: 'acme' };
    expect((await call('acme', 'POST', `${RAG}/index`, body)).status).toBe(200);
    const at = new Date().toISOString();
    // The next write is a later moment.
    await new Promise((resolve) => setTimeout(resolve, 5));
    return at;
  };
  const first = await write('The lighthouse is kept by Ada.');
  await write('The lighthouse is kept by Grace.');
  const ask = { query: 'lighthouse', minScore: 0, asOf: first };
  const found = await call('acme', 'POST', `${RAG}/search`, { ...ask, tenantId: 'acme' });
  expect(found.json()).toMatchObject({
    asOf: { at: first },
    results: [{ content: 'The lighthouse is kept by Ada.' }],
    noticeKinds: expect.arrayContaining(['as-of']),
  });
  const explained = await call('acme', 'POST', `${RAG}/explain`, ask);
  expect(explained.json()).toMatchObject({ asOf: { at: first } });
  expect(explained.text).toContain('Ada');
  const answer = await call('acme', 'POST', `${RAG}/answer`, {
    question: 'Who keeps the lighthouse?',
    asOf: first,
  });
  expect(answer.json()).toMatchObject({ asOf: { at: first } });
  expect(answer.text).not.toContain('Grace');
  const context = await call('acme', 'POST', `${RAG}/context`, { query: 'lighthouse', asOf: first });
  expect(context.json()).toMatchObject({ asOf: { at: first }, text: expect.stringContaining('Ada') });
  const others = await call('globex', 'POST', `${RAG}/search`, { ...ask, tenantId: 'globex' });
  expect(others.json()).toMatchObject({ results: [] });
  const early = { ...ask, tenantId: 'acme', asOf: '2020-01-01' };
  expect((await call('acme', 'POST', `${RAG}/search`, early)).status).toBe(400);
});
