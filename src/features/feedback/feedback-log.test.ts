import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { type Scope, scopeOf } from '../../core/scope.js';
import type { FeedbackEvent } from '../../operations/feedback-types.js';
import { eraseFeedback } from '../forgetting/erase-feedback.js';
import { FeedbackLog, feedbackFileOf } from './feedback-log.js';

const FIXTURE = fileURLToPath(new URL('test-appending-process.ts', import.meta.url));
const ACME = scopeOf({ tenant: 'acme' });
const MAX = { maxBytes: 1_000_000 };

const said = (question: string, documentId = 'a'): Omit<FeedbackEvent, 'id' | 'at' | 'scope'> => ({
  kind: 'search',
  question,
  clicked: [1],
  places: [{ rank: 1, documentId, chunkIds: ['c'], source: 'a.md', lines: { start: 1, end: 2 } }],
});

async function questionsOf(dataDir: string, scope: Scope = ACME): Promise<string[]> {
  const { feedback, cursor } = await new FeedbackLog(dataDir, MAX).list(scope, { limit: 1_000_000 });
  expect(cursor).toBeUndefined();
  return feedback.map(({ question }) => question);
}

/** Two processes that append, each as fast as it can, until they are killed; they tell what they have written. */
function appending(
  dataDir: string,
  name: string,
): { readonly child: ChildProcess; readonly told: () => string[] } {
  const child = spawn(process.execPath, ['--import', 'tsx', FIXTURE, dataDir, name], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let text = '';
  child.stdout?.on('data', (part: Buffer) => {
    text += part.toString();
  });
  // The last line may be cut where it was killed.
  return { child, told: () => text.split('\n').slice(0, -1) };
}

test('processes that append at once and are killed lose nothing that was written, and no line of each other', async () => {
  const dataDir = temporaryFolder();
  const all: string[] = [];
  for (const round of [0, 1]) {
    const writers = ['a', 'b'].map((name) => appending(dataDir, `${name}${round}`));
    await expect.poll(() => writers.every(({ told }) => told().length >= 40)).toBe(true);
    for (const { child } of writers) {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    }
    all.push(...writers.flatMap(({ told }) => told()));
    // As a death in the middle of a write would leave it.
    appendFileSync(feedbackFileOf(dataDir, 'acme'), '{"id":"torn","question":"half');
  }
  const kept = await questionsOf(dataDir);
  expect(new Set(kept).size).toBe(kept.length);
  for (const question of all) expect(kept).toContain(question);
  const { unreadable } = await new FeedbackLog(dataDir, MAX).list(ACME, { limit: 1_000_000 });
  expect(unreadable).toBe(2);
});

test('a line that was left torn costs no other', async () => {
  const dataDir = temporaryFolder();
  const log = new FeedbackLog(dataDir, MAX);
  log.add(ACME, said('one'));
  appendFileSync(feedbackFileOf(dataDir, 'acme'), '{"id":"x","at"');
  log.add(ACME, said('two'));
  expect(await questionsOf(dataDir)).toEqual(['one', 'two']);
});

test('lines that are JSON and no feedback are counted, and those of an older version too', async () => {
  const dataDir = temporaryFolder();
  const log = new FeedbackLog(dataDir, MAX);
  log.add(ACME, said('one'));
  const path = feedbackFileOf(dataDir, 'acme');
  const older = { id: 'o', at: '', kind: 'search', question: 'older', places: [], helpful: true };
  for (const line of ['null', '[]', '{"id":1}', JSON.stringify(older)]) appendFileSync(path, `${line}\n`);
  expect(await log.list(ACME, {})).toMatchObject({ feedback: [{ question: 'one' }], unreadable: 4 });
});

test('more than the limit is refused, and what is there stays', async () => {
  const dataDir = temporaryFolder();
  const log = new FeedbackLog(dataDir, { maxBytes: 4_096 });
  let kept = 0;
  const fill = () => {
    for (;;) log.add(ACME, said(`question ${kept++}`));
  };
  expect(fill).toThrow(expect.objectContaining({ reason: 'FEEDBACK_FULL' }));
  expect(statSync(feedbackFileOf(dataDir, 'acme')).size).toBeLessThanOrEqual(4_096);
  expect((await questionsOf(dataDir)).length).toBe(kept - 1);
  // Another tenant has room of its own.
  log.add(scopeOf({ tenant: 'globex' }), said('another'));
});

test('tenants, projects, groups and levels: nobody is shown what was asked with rights that they have not', async () => {
  const dataDir = temporaryFolder();
  const log = new FeedbackLog(dataDir, MAX);
  const scopes: Record<string, Parameters<typeof scopeOf>[0]> = {
    plain: { tenant: 'acme' },
    project: { tenant: 'acme', project: 'x' },
    group: { tenant: 'acme', groups: ['hr'] },
    level: { tenant: 'acme', clearance: 2 },
    other: { tenant: 'acme2' },
  };
  for (const [name, scope] of Object.entries(scopes)) log.add(scopeOf(scope), said(name));
  const seen = Object.fromEntries(
    await Promise.all(
      Object.entries(scopes).map(
        async ([name, scope]) => [name, (await questionsOf(dataDir, scopeOf(scope))).join(' ')] as const,
      ),
    ),
  );
  expect(seen).toEqual({
    plain: 'plain project',
    project: 'project',
    group: 'plain project group',
    level: 'plain project level',
    other: 'other',
  });
  expect(readFileSync(feedbackFileOf(dataDir, 'acme'), 'utf8')).not.toContain('"other"');
});

test('what forgetting removes is gone, and what came after it is there', async () => {
  const dataDir = temporaryFolder();
  const log = new FeedbackLog(dataDir, MAX);
  const path = feedbackFileOf(dataDir, 'acme');
  log.add(ACME, said('of a'));
  log.add(ACME, said('of jane', 'jane'));
  expect(eraseFeedback(path, (id) => id === 'jane')).toMatchObject([{ count: 1 }]);
  log.add(ACME, said('later'));
  expect(await questionsOf(dataDir)).toEqual(['of a', 'later']);
  expect(existsSync(`${path}.draft`)).toBe(false);
});

test('a line that is there twice, as when a file was replaced under a writer, counts once', async () => {
  const dataDir = temporaryFolder();
  const log = new FeedbackLog(dataDir, MAX);
  log.add(ACME, said('one'));
  const path = feedbackFileOf(dataDir, 'acme');
  appendFileSync(path, readFileSync(path));
  expect(await questionsOf(dataDir)).toEqual(['one']);
});

test('pages follow each other', async () => {
  const dataDir = temporaryFolder();
  const log = new FeedbackLog(dataDir, MAX);
  for (const question of ['1', '2', '3', '4', '5']) log.add(ACME, said(question));
  const pages: string[] = [];
  for (let cursor: string | undefined = '0'; cursor !== undefined; ) {
    const page: Awaited<ReturnType<FeedbackLog['list']>> = await log.list(ACME, { cursor, limit: 2 });
    pages.push(page.feedback.map(({ question }) => question).join(''));
    cursor = page.cursor;
  }
  expect(pages).toEqual(['12', '34', '5']);
});
