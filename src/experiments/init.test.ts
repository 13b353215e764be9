import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { evaluate } from './evaluate.js';
import { initQuestions } from './init.js';

let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ragstone-eval-init-'));
  mkdirSync(join(cwd, 'docs'));
  writeFileSync(join(cwd, 'ragstone.yaml'), 'rag: { provider: memory }\n');
});
afterEach(() => rmSync(cwd, { recursive: true }));

const write = (name: string, text: string | Uint8Array): void => writeFileSync(join(cwd, 'docs', name), text);

describe('a started question set', () => {
  test('is read by evaluate, which finds what it asks for', async () => {
    write(
      'audit.md',
      '# Audit\n\n## How long are logs kept\n\nAudit logs are kept for thirty days and then deleted.\n',
    );
    write(
      'queue.md',
      '# Queue\n\nA dead letter queue (DLQ) holds what could not be delivered three times.\n',
    );
    write(
      'start.md',
      '# Start\n\nRead about [keeping of audit logs](audit.md#how-long-are-logs-kept) first.\n',
    );
    const report = await initQuestions({ folder: 'docs', out: 'questions.jsonl', cwd });
    expect(report).toMatchObject({ documents: 3, questions: 3, byType: { link: 1, acronym: 1, heading: 1 } });
    expect(report.caveat).toContain('They cannot show');
    const { metrics, queries } = await evaluate({ target: 'docs', questions: 'questions.jsonl', cwd });
    expect(queries).toBe(3);
    expect(metrics['hit@5']).toBe(1);
  });

  test('never replaces a file unless told to', async () => {
    write('audit.md', '## How long are logs kept\n\nAudit logs are kept for thirty days and then deleted.\n');
    writeFileSync(join(cwd, 'questions.jsonl'), 'mine');
    const options = { folder: 'docs', out: 'questions.jsonl', cwd };
    await expect(initQuestions(options)).rejects.toThrow(/--force/);
    expect(readFileSync(join(cwd, 'questions.jsonl'), 'utf8')).toBe('mine');
    await initQuestions({ ...options, force: true });
    expect(readFileSync(join(cwd, 'questions.jsonl'), 'utf8')).toContain('heading-001');
  });

  test('reports what it could not read, and a folder that suggests nothing', async () => {
    write('bad.md', Buffer.from([0xff, 0xfe, 0x00, 0xd8]));
    write('plain.md', 'Nothing.');
    await expect(initQuestions({ folder: 'docs', out: 'q.jsonl', cwd })).rejects.toThrow(
      /suggest no question/,
    );
    write('audit.md', '## How long are logs kept\n\nAudit logs are kept for thirty days and then deleted.\n');
    const { notices } = await initQuestions({ folder: 'docs', out: 'q.jsonl', cwd });
    expect(notices.join()).toContain('bad.md');
  });
});
