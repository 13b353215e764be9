import { afterEach, expect, test } from 'vitest';
import type { ExtractionEstimate, ExtractionResult, FactStatus, SummaryPage } from '../../src/index.js';
import { chatReply } from '../fakes/wire/chat-wire.js';
import { compatibleWire } from '../fakes/wire/openai-wire.js';
import { startWireServer, type WireServer } from '../fakes/wire/wire-server.js';
import { type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder, writeFiles } from './temporary-folder.js';

const servers: WireServer[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const FILES = {
  'ragstone.yaml': 'rag: { provider: libsql }\n',
  'docs/pay.md':
    '# Pay\n\nThe Pay Service uses the Ledger Database. The Audit Team owns the Ledger Database.\n',
  'docs/mail.md':
    '# Mail\n\nThe Mail Service and the Pay Service ask the Audit Team before they use the Ledger Database.\n',
};
const named = (name: string) => ({ name, type: 'system', description: 'It is named here.' });
const FACTS = JSON.stringify({
  entities: ['Pay Service', 'Ledger Database', 'Audit Team', 'Mail Service'].map(named),
  relations: [],
});
const SUMMARY = JSON.stringify({
  title: 'Who uses the ledger',
  sentences: [{ text: 'Several services use the Ledger Database.', sources: [1] }],
});

test('facts are estimated, read under a limit, summarised and shown', async () => {
  const server = await startWireServer(compatibleWire, (request) =>
    chatReply(compatibleWire, request, {
      kind: 'answer',
      text: JSON.stringify(request.body).includes('You summarise') ? SUMMARY : FACTS,
    }),
  );
  servers.push(server);
  const cwd = temporaryFolder(FILES);
  writeFiles(cwd, {
    'ragstone.yaml': `rag:
  provider: libsql
  chat: { model: "ollama:llama3.2", maxRetries: 0, price: { input: 1, output: 2 } }
  modelProviders: { ollama: { baseUrl: "${server.url}/v1" } }
`,
  });
  expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);

  const { document: estimate } = await ragstoneJson<ExtractionEstimate>(['graph', 'estimate'], { cwd });
  expect(estimate).toMatchObject({ chunks: 2, read: 0, extraction: { calls: 2 } });
  expect(estimate.extraction.cost).toBeGreaterThan(0);
  expect((await runRagstone(['graph', 'estimate'], { cwd })).stdout).toContain('Nothing was sent.');
  expect(server.requests).toHaveLength(0);

  const stopped = await runRagstone(['graph', 'extract', '--max-tokens', '100'], { cwd });
  expect(stopped).toMatchObject({ code: 0 });
  expect(stopped.stdout).toContain('would pass --max-tokens. 2 chunks left');
  const { document: result } = await ragstoneJson<ExtractionResult>(['graph', 'extract', '--max-cost', '1'], {
    cwd,
  });
  expect(result).toMatchObject({ read: 2, failed: 0, left: 0 });

  expect((await runRagstone(['graph', 'summarize'], { cwd })).stdout).toContain('1 summarised');
  const { document: page } = await ragstoneJson<SummaryPage>(['graph', 'summaries'], { cwd });
  expect(page.summaries).toMatchObject([{ title: 'Who uses the ledger' }]);
  const shown = await runRagstone(['graph', 'summaries', '--entity', 'mail service'], { cwd });
  expect(shown.stdout).toContain('Several services use the Ledger Database. [');
  const { document: status } = await ragstoneJson<FactStatus>(['graph', 'status'], { cwd });
  expect(status).toMatchObject({ read: 2, unread: 0, summaries: 1 });
  expect((await runRagstone(['graph', 'entity', 'ledger database'], { cwd })).stdout).toContain(
    'mail.md: It is named here.',
  );
  expect(await runRagstone(['graph', 'entity', 'Nobody'], { cwd })).toMatchObject({ code: 1 });
  const related = await runRagstone(['related', 'docs/pay.md', '--kind', 'entity'], { cwd });
  expect(related.stdout).toContain('-entity ');
});

test('without a language model it says what to set, and an estimate tells no price', async () => {
  const cwd = temporaryFolder(FILES);
  expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
  const { code, document: json } = await ragstoneJson<ErrorDocument>(['graph', 'extract'], { cwd });
  expect(code).toBe(2);
  expect(json).toMatchObject({ error: { reason: 'CONFIG_INVALID' } });
  expect(json.error.message).toContain('Set rag.chat.model or rag.graph.extraction.model.');
  const estimate = await runRagstone(['graph', 'estimate'], { cwd });
  expect(estimate).toMatchObject({ code: 0 });
  expect(estimate.stdout).toContain('price unknown');
  expect((await runRagstone(['graph', 'extract', '--max-cost', 'much'], { cwd })).code).toBe(2);
});
