import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Answer, AnswersReport } from '../../src/index.js';
import { type ChatBehaviour, chatReply } from '../fakes/wire/chat-wire.js';
import { compatibleWire } from '../fakes/wire/openai-wire.js';
import { startWireServer, type WireServer } from '../fakes/wire/wire-server.js';
import { type ErrorDocument, ragstoneJson, runRagstone } from './run-ragstone.js';
import { sharedFolder, temporaryFolder, writeFiles } from './temporary-folder.js';

const QUESTION = 'How long are audit logs kept?';
const AUDIT = '# Audit\n\nAudit logs are kept for 30 days.\nThey are stored in the eu-west region.\n';
const GATEWAY = '# Gateway\n\nThe gateway listens on port 8443. It restarts each night at 03:00.\n';
const FILES = {
  'ragstone.yaml': 'rag: { provider: libsql }\n',
  'docs/audit.md': AUDIT,
  'docs/gateway.md': GATEWAY,
};

const cwd = sharedFolder(FILES);
const servers: WireServer[] = [];

beforeAll(async () => {
  expect((await runRagstone(['index', 'docs'], { cwd })).code).toBe(0);
});

afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

/** A folder with an index whose language model behaves as told. */
async function folderWithModel(behaviour: ChatBehaviour): Promise<{ cwd: string; server: WireServer }> {
  const server = await startWireServer(compatibleWire, (request) =>
    chatReply(compatibleWire, request, behaviour),
  );
  servers.push(server);
  const folder = temporaryFolder(FILES);
  writeFiles(folder, {
    'ragstone.yaml': `rag:
  provider: libsql
  chat: { model: "ollama:llama3.2", maxRetries: 0 }
  modelProviders: { ollama: { baseUrl: "${server.url}/v1" } }
`,
  });
  expect((await runRagstone(['index', 'docs'], { cwd: folder })).code).toBe(0);
  return { cwd: folder, server };
}

describe('ask without a language model', () => {
  test('prints the answer and its place as path:line', async () => {
    const { code, stdout } = await runRagstone(['ask', QUESTION], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('Audit logs are kept for 30 days.\nThey are stored in the eu-west region. [1]');
    expect(stdout).toContain('docs/audit.md:3');
  });

  test('takes a question without quotes', async () => {
    const { code, stdout } = await runRagstone(['ask', ...QUESTION.split(' ')], { cwd });
    expect(code).toBe(0);
    expect(stdout).toContain('30 days');
  });

  test('--mode agentic --explain prints each step, and a limit of steps of another mode is refused', async () => {
    const asked = ['ask', 'How long are audit logs kept, and where are they stored?'];
    const { code, stdout } = await runRagstone([...asked, '--mode', 'agentic', '--explain'], { cwd });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^step 2: search "How long are audit logs kept"/m);
    expect(stdout).toMatch(/^stopped: .*\(\d+ steps, /m);
    const refused = await runRagstone([...asked, '--max-steps', '2'], { cwd });
    expect(refused.code).not.toBe(0);
    expect(refused.stderr).toContain('mode: "agentic"');
  });

  test('--json binds each citation to the bytes of the file', async () => {
    const { code, document } = await ragstoneJson<Answer>(['ask', QUESTION], { cwd });
    expect(code).toBe(0);
    expect(document).toMatchObject({
      outcome: 'answer',
      answerer: 'extractive',
      highlight: 'Audit logs are kept for 30 days.',
      abstained: false,
      degradationLevel: 0,
      isPartial: false,
    });
    const [citation] = document.citations;
    expect(citation?.lines.start).toBe(3);
    const text = readFileSync(join(cwd, 'docs/audit.md'), 'utf8');
    expect(text.slice(citation?.start, citation?.end)).toBe(citation?.quote);
    expect(document.sources[0]).toMatchObject({ n: 1, source_type: expect.any(String) });
  });

  test.each([[['--source-type', 'nothing']], [['--since', '2999-01-01']], [['--until', '1999-01-01']]])(
    '%j narrows what is searched, as it does for search',
    async (narrowing) => {
      const { code, document } = await ragstoneJson<Answer>(['ask', QUESTION, ...narrowing], { cwd });
      expect(code).toBe(0);
      expect(document).toMatchObject({ abstained: true, sources: [] });
    },
  );

  test('insisted on the model, fails and says what to set', async () => {
    const args = ['ask', QUESTION, '--answerer', 'chat'];
    const { code, document } = await ragstoneJson<ErrorDocument>(args, { cwd });
    expect(code).toBe(2);
    expect(document.error).toMatchObject({ reason: 'CONFIG_INVALID' });
    expect(document.error.message).toContain('rag.chat.model');
  });

  test('withholds an answer and lists the nearest passages', async () => {
    const args = ['ask', 'Who painted the ceiling of the Sistine Chapel?'];
    const { code, document } = await ragstoneJson<Answer>(args, { cwd });
    expect(code).toBe(0);
    expect(document).toMatchObject({
      outcome: 'not-found',
      abstained: true,
      answerer: 'none',
      citations: [],
      abstention: { reason: 'unknown-names', missing: ['Sistine', 'Chapel'] },
    });
    expect(document.sources.length).toBeGreaterThan(0);
    const { stdout } = await runRagstone(args, { cwd });
    expect(stdout).toContain('Nothing here mentions Sistine or Chapel.');
    expect(stdout).toMatch(/\.md:\d/);
  });

  test('an empty index gives an answer that says so, or the next step', async () => {
    const folder = temporaryFolder({ 'docs/empty.md': '' });
    await runRagstone(['index', 'docs'], { cwd: folder });
    const { document } = await ragstoneJson<Answer>(['ask', QUESTION], { cwd: folder });
    expect(document).toMatchObject({ abstained: true, abstention: { reason: 'nothing-found' }, sources: [] });
  });

  test('no index is an error with the next step', async () => {
    const { code, document } = await ragstoneJson<ErrorDocument>(['ask', QUESTION], {
      cwd: temporaryFolder(),
    });
    expect(code).not.toBe(0);
    expect(document.error.message).toContain('ragstone index');
  });

  test('needs a question, and no conversation is held in JSON', async () => {
    for (const args of [['ask'], ['ask', '--chat', '--json']]) {
      const { code, stderr, stdout } = await runRagstone(args, { cwd });
      expect(code).toBe(2);
      expect(stderr + stdout).toContain('ask');
    }
  });

  test('--chat reads questions from a pipe, one a line, and a follow-up leans on the one before', async () => {
    const input = 'Where are the audit logs stored?\nAnd how long are they kept?\n';
    const { code, stdout, stderr } = await runRagstone(['ask', '--chat'], { cwd, input });
    expect(code).toBe(0);
    expect(stdout).toContain('eu-west');
    expect(stdout).toContain('30 days');
    expect(stderr).toMatch(/searched for: .*audit/);
  });
});

describe('ask with a language model', () => {
  test('--stream shows text as it comes on stderr and the checked answer on stdout', async () => {
    const answer = 'Audit logs are kept for 30 days [1]. Each costs 400 euros in Iceland [1].';
    const { cwd: folder, server } = await folderWithModel({ kind: 'answer', text: answer });
    const { code, stdout, stderr } = await runRagstone(['ask', QUESTION, '--stream'], { cwd: folder });
    expect(code).toBe(0);
    expect(server.violations).toEqual([]);
    expect(server.requests).toHaveLength(1);
    expect(stderr).toContain('Each costs 400 euros in Iceland [1].');
    expect(stdout).toContain('Audit logs are kept for 30 days. [1]');
    expect(stdout).toContain('(unchecked)');
    expect(stdout).toContain('1 of 2 sentences supported, 1 unchecked');
    expect(stderr).toContain('1 of 2 sentences unchecked');
    expect(stdout).toContain('ollama:llama3.2');
  });

  test('keeps what it says in words of its own, marked, with the passage to compare it with', async () => {
    const text = 'Traces of what people did vanish after a month [1].';
    const { cwd: folder } = await folderWithModel({ kind: 'answer', text });
    const { stdout, stderr } = await runRagstone(['ask', QUESTION], { cwd: folder });
    expect(stdout).toContain('Traces of what people did vanish after a month. [1] (unchecked)');
    expect(stdout).toContain('docs/audit.md:');
    expect(stdout).toContain('0 of 1 sentence supported, 1 unchecked');
    expect(stderr).toContain('1 of 1 sentence unchecked');
    const { document } = await ragstoneJson<Answer>(['ask', QUESTION], { cwd: folder });
    expect(document).toMatchObject({
      answerer: 'chat',
      support: [{ verdict: 'unsupported', cites: [1] }],
      noticeKinds: expect.arrayContaining(['sentences-unsupported']),
    });
    expect(document.fallback).toBeUndefined();
  });

  test('removes what its source contradicts, and says so', async () => {
    const text = 'They are stored in the eu-west region [1]. Audit logs are kept for 90 days [1].';
    const { cwd: folder } = await folderWithModel({ kind: 'answer', text });
    const { stdout, stderr } = await runRagstone(['ask', QUESTION], { cwd: folder });
    expect(stdout).not.toContain('90 days');
    expect(stdout).toContain('1 of 1 sentence supported, 1 removed');
    expect(stderr).toContain('1 of 2 sentences removed: the passages cited say otherwise');
    const { document } = await ragstoneJson<Answer>(['ask', QUESTION], { cwd: folder });
    expect(document.support).toMatchObject([
      { verdict: 'supported', isRemoved: false },
      { verdict: 'contradicted', isRemoved: true },
    ]);
  });

  test('tells what it said where nothing of it is left', async () => {
    const text = 'Audit logs are kept for 90 days [1].';
    const { cwd: folder } = await folderWithModel({ kind: 'answer', text });
    const { document } = await ragstoneJson<Answer>(['ask', QUESTION], { cwd: folder });
    expect(document).toMatchObject({
      answerer: 'extractive',
      fallback: { reason: 'UNSUPPORTED_ANSWER' },
      support: [
        { verdict: 'supported', isRemoved: false },
        { sentence: 'Audit logs are kept for 90 days.', verdict: 'contradicted', isRemoved: true },
      ],
    });
    const { stdout } = await runRagstone(['ask', QUESTION], { cwd: folder });
    expect(stdout).toMatch(
      /quoted, .*1 removed, degradation level 1 \(the language model's answer was removed/,
    );
  });

  test('falls back to the sentences of the sources where it is overloaded', async () => {
    const { cwd: folder, server } = await folderWithModel({ kind: 'status', status: 529 });
    const { code, document } = await ragstoneJson<Answer>(['ask', QUESTION], { cwd: folder });
    expect(code).toBe(0);
    expect(server.requests).toHaveLength(1);
    expect(document).toMatchObject({
      answerer: 'extractive',
      degradationLevel: 1,
      fallback: { reason: 'CHAT_UNAVAILABLE' },
    });
    expect(document.answer).toContain('30 days');
    const { stderr, stdout } = await runRagstone(['ask', QUESTION], { cwd: folder });
    expect(stderr).toContain('without the language model');
    expect(stdout).toContain('degradation level 1 (without the language model)');
  });

  test('keeps and marks half an answer', async () => {
    const { cwd: folder } = await folderWithModel({
      kind: 'cut',
      text: 'Audit logs are kept for 30 days [1]. ',
    });
    const { document } = await ragstoneJson<Answer>(['ask', QUESTION], { cwd: folder });
    expect(document).toMatchObject({ answerer: 'chat', isPartial: true });
    expect((await runRagstone(['ask', QUESTION], { cwd: folder })).stdout).toContain('not complete');
  });
});

describe('eval --answers', () => {
  const questions = [
    {
      id: 'q1',
      question: QUESTION,
      type: 'lookup',
      answer: '30 days',
      gold: [gold('Audit logs are kept for 30 days.')],
      alternates: [],
    },
    {
      id: 'q2',
      question: 'Who painted the Sistine Chapel?',
      type: 'unanswerable',
      answer: '',
      gold: [],
      alternates: [],
    },
  ];
  const files = { 'questions.jsonl': questions.map((row) => JSON.stringify(row)).join('\n') };
  const args = ['eval', 'docs', '--questions', 'questions.jsonl', '--answers'];

  test('measures answers and abstention over a folder', async () => {
    writeFiles(cwd, files);
    const { code, document } = await ragstoneJson<AnswersReport>(args, { cwd });
    expect(code).toBe(0);
    expect(document.questions).toBe(2);
    expect(document.metrics).toMatchObject({
      answer_in_first_sentence: 1,
      answer_in_context: 1,
      abstained_wrongly: 0,
      abstained_rightly: 1,
      citation_precision: 1,
    });
    const { stdout } = await runRagstone(args, { cwd });
    expect(stdout).toContain('answer_in_first_sentence');
  });

  test('--judge needs a model, and leaves out what the model fails at', async () => {
    writeFiles(cwd, files);
    const without = await ragstoneJson<ErrorDocument>([...args, '--judge'], { cwd });
    expect(without.code).not.toBe(0);
    expect(without.document.error.message).toContain('rag.chat.model');
    const { cwd: folder } = await folderWithModel({
      kind: 'answer',
      text: 'Audit logs are kept for 30 days [1].',
    });
    writeFiles(folder, files);
    const { code, document } = await ragstoneJson<AnswersReport>([...args, '--judge'], { cwd: folder });
    expect(code).toBe(0);
    expect(document.answerers).toMatchObject({ chat: 1, none: 1 });
    expect(document.notices.join()).toContain('The judge failed on 1 answers');
    expect(document.metrics.judged_faithfulness).toBeUndefined();
  });
});

function gold(quote: string): { readonly path: string; readonly quote: string } {
  return { path: 'audit.md', quote };
}
