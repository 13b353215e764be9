import './embedded.js';
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { numberOf, readIssues, SAMPLE } from '../src/issues.js';
import { openIndex } from '../src/open-index.js';
import { runPipeline } from '../src/pipeline.js';
import { makeRuns } from '../src/runs.js';
import { makeProject } from './project.js';

const jira = process.env.TEST_JIRA_ISSUES;

test('runs are made of issues in their order, each in three files, and the newest wait', () => {
  const { output, waiting } = makeProject();
  assert.deepEqual(
    waiting.map(({ key }) => key),
    ['ORC-51', 'ORC-52', 'ORC-53', 'ORC-54'],
  );
  const files = ['step-2-extract-pbis.json', 'step-3-score-confidence.json', 'final-output.json'];
  for (const run of ['run-001', 'run-002', 'run-003'])
    for (const file of files) assert.ok(existsSync(join(output, run, file)));
  assert.ok(!existsSync(join(output, 'run-004')));
  assert.deepEqual(makeRuns(readIssues(SAMPLE), { folder: output, waiting: 22 }).length, 22);
  assert.throws(() => readIssues(new URL('../package.json', import.meta.url)), TypeError);
});

test('real issues of a tracker go through the pipeline, and find only older ones', {
  skip: jira === undefined && 'TEST_JIRA_ISSUES names no CSV of issues',
}, async (t) => {
  const { folder, output } = makeProject();
  const issues = readIssues(jira ?? '').slice(-400);
  const waiting = makeRuns(issues, { folder: output, size: 50, waiting: 20 });
  const { engine, indexed } = await openIndex({ folder });
  try {
    assert.deepEqual(indexed.stats.errors, []);
    const enriched = await runPipeline(waiting, { engine, output });
    const found = enriched.filter(({ context }) => context.similar_work.length > 0);
    t.diagnostic(`${issues.length} issues; ${found.length} of ${enriched.length} have similar work`);
    assert.ok(found.length > 0);
    for (const { pbi, context } of enriched) {
      const refs = context.similar_work.map(({ ref }) => ref);
      assert.equal(new Set(refs).size, refs.length);
      for (const ref of refs) assert.ok(numberOf(ref) < numberOf(pbi.id ?? ''));
    }
  } finally {
    await engine.close();
  }
});
