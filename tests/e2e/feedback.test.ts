import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ragstoneJson, runRagstone } from './run-ragstone.js';
import { temporaryFolder } from './temporary-folder.js';

const QUERY = 'how long are audit logs kept';

test('feedback from the command line becomes questions that are evaluated, and a page of a comparison', async () => {
  const cwd = temporaryFolder({
    'ragstone.yaml':
      'rag:\n  provider: libsql\n  feedback: { enabled: true }\n  sources: [{ type: files, name: docs, paths: [docs] }]\n',
    'docs/audit.md': '# Audit\n\nAudit logs are kept for 30 days.\n',
    'docs/boat.md': '# Boat\n\nThe gondola waits for passengers.\n',
  });
  const run = async (...args: string[]) => {
    const outcome = await runRagstone(args, { cwd });
    expect(outcome.stderr).not.toMatch(/^error/m);
    expect(outcome.code).toBe(0);
    return outcome.stdout;
  };
  await run('index', '--quiet');
  await run('feedback', 'add', QUERY, '--relevant', 'docs/audit.md', '--comment', 'Just right.');
  await run('feedback', 'add', QUERY, '--clicked', '1', '--answer', 'good');
  const list = await run('feedback', 'list');
  expect(list).toMatch(/relevant 1; "Just right\."/);
  expect(list).toMatch(/opened 1; answer good/);
  await run('feedback', 'judgments', '--folder', 'docs', '--out', 'judged.jsonl');
  expect(JSON.parse(readFileSync(join(cwd, 'judged.jsonl'), 'utf8'))).toMatchObject({
    question: QUERY,
    gold: [{ path: 'audit.md', grade: 3 }],
  });
  const evaluated = ['eval', 'docs', '--questions', 'judged.jsonl'];
  const { document } = await ragstoneJson<{ metrics: Record<string, number> }>(evaluated, { cwd });
  expect(document.metrics).toMatchObject({ 'hit@1': 1, 'ndcg@10': 1 });
  await run(...evaluated, '--compare', 'retrieval.rerank.enabled=false', '--html', 'page.html');
  const page = readFileSync(join(cwd, 'page.html'), 'utf8');
  expect(page).toMatch(/^<!DOCTYPE html>/);
  expect(page).toContain('<code>rag.retrieval.rerank.enabled</code>');
  if (process.platform !== 'win32') expect(statSync(join(cwd, 'page.html')).mode & 0o077).toBe(0);

  const tuned = await runRagstone(['tune', 'docs', '--feedback'], { cwd });
  expect([tuned.code, tuned.stderr]).toEqual([expect.any(Number), expect.stringContaining('19 more')]);
  expect(tuned.code).not.toBe(0);
  const unknown = await runRagstone(['feedback', 'add', QUERY, '--clicked', 'nowhere.md'], { cwd });
  expect(unknown.stderr).toContain('None of the');
  const idle = await runRagstone([...evaluated, '--html', 'page.html'], { cwd });
  expect(idle.stderr).toContain('--html has no effect without --compare');
});

test('feedback that is off says how it is switched on', async () => {
  const cwd = temporaryFolder({ 'ragstone.yaml': 'rag: {}\n', 'docs/a.md': 'a' });
  const { code, stderr } = await runRagstone(['feedback', 'add', 'a', '--clicked', '1'], { cwd });
  expect(code).not.toBe(0);
  expect(stderr).toContain('rag.feedback.enabled: true');
});
