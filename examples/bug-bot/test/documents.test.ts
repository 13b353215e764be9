import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { bugReportDocument, findingDocument, investigationDocument } from '../src/documents.js';
import { hadoopBugs } from '../src/hadoop-bugs.js';
import { readSettings } from '../src/settings.js';

describe('documents', () => {
  test('a bug report becomes four lines', () => {
    const report = {
      bug_id: 'BUG-001',
      severity: 'P1',
      status: 'investigating',
      original_message: 'It fails.',
    };
    assert.deepEqual(bugReportDocument(report), {
      source_type: 'bug_report',
      source_id: 'BUG-001',
      chunk_text: 'Bug ID: BUG-001\nSeverity: P1\nStatus: investigating\nReport: It fails.',
      chunk_metadata: { bug_id: 'BUG-001', severity: 'P1', status: 'investigating' },
    });
  });

  test('an investigation becomes eight lines, fewer where something is not known', () => {
    const whole = {
      bug_id: 'BUG-001',
      summary: 'It timed out.',
      root_cause: 'A limit.',
      fix_type: 'config_change',
      confidence: 0.92,
      recommended_actions: ['Raise it', 'Watch it'],
      services: ['payment-api', 'auth-svc'],
      pr_url: 'https://git.example.com/1',
    };
    assert.equal(
      investigationDocument(whole).chunk_text,
      [
        'Bug ID: BUG-001',
        'Summary: It timed out.',
        'Root Cause: A limit.',
        'Fix Type: config_change',
        'Confidence: 0.92',
        'Recommended Actions: Raise it; Watch it',
        'Services: payment-api, auth-svc',
        'PR: https://git.example.com/1',
      ].join('\n'),
    );
    const bare = { ...whole, root_cause: null, recommended_actions: null, services: [], pr_url: null };
    assert.equal(
      investigationDocument(bare).chunk_text,
      'Bug ID: BUG-001\nSummary: It timed out.\nFix Type: config_change\nConfidence: 0.92',
    );
  });

  test('a finding becomes four lines under the ids of bug and finding', () => {
    const finding = {
      id: '7d2f',
      bug_id: 'BUG-001',
      category: 'error_rate',
      severity: 'high',
      finding: 'Many.',
    };
    const { source_id, chunk_text } = findingDocument(finding);
    assert.equal(source_id, 'BUG-001:7d2f');
    assert.equal(chunk_text, 'Bug ID: BUG-001\nCategory: error_rate\nSeverity: high\nFinding: Many.');
  });
});

const CSV = `Summary,Issue id,Status,Priority,Resolution,Created,Resolved,Affects Version/s,Description
DataNode stops on a full disk,101,Resolved,Critical,Fixed,1/Jan/20 10:00,,3.0,"The DataNode stops because a volume is full.
We should keep the other volumes.

org.example.DiskException: no space left on device
 at org.example.Volume.write(Volume.java:7)"
Typo in the help,102,Open,Trivial,,2/Jan/20 10:00,,3.0,
`;

describe('Hadoop bugs', () => {
  test('have their priority as severity, and what is derived of them is marked', () => {
    const [disk, typo] = hadoopBugs(CSV);
    assert.deepEqual(
      [disk?.report.bug_id, disk?.report.severity, disk?.report.status],
      ['JIRA-101', 'Critical', 'Resolved'],
    );
    assert.match(
      disk?.report.original_message ?? '',
      /^DataNode stops on a full disk\nThe DataNode stops because/,
    );
    assert.equal(disk?.investigation?.root_cause, 'The DataNode stops because a volume is full.');
    assert.deepEqual(disk?.investigation?.recommended_actions, ['We should keep the other volumes.']);
    assert.deepEqual(disk?.investigation?.services, ['DataNode']);
    assert.deepEqual(
      disk?.findings.map(({ category, finding }) => [category, finding]),
      [['exception', 'DiskException: no space left on device']],
    );
    assert.equal(disk?.investigation?.is_derived, true);
    assert.equal(disk?.findings[0]?.is_derived, true);
    assert.equal(investigationDocument(disk.investigation).chunk_metadata.is_derived, true);
    assert.deepEqual(
      [typo?.report.original_message, typo?.investigation, typo?.findings],
      ['Typo in the help', undefined, []],
    );
    assert.deepEqual(hadoopBugs(CSV), hadoopBugs(CSV));
  });
});

describe('settings', () => {
  test('have defaults, and are refused where they cannot be meant', () => {
    assert.deepEqual(readSettings({ RAG_EMBEDDING_MODEL: '' }), {
      databaseUrl: undefined,
      embeddingModel: 'builtin',
      topK: 5,
      anthropicKey: undefined,
      anthropicUrl: undefined,
      bugs: undefined,
      port: 7250,
    });
    assert.equal(readSettings({ RAG_TOP_K: '3' }).topK, 3);
    assert.throws(() => readSettings({ RAG_TOP_K: 'five' }), /RAG_TOP_K is "five"/);
    assert.throws(() => readSettings({ PORT: '-1' }), /PORT/);
  });
});
