import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

describe('engine.ask', () => {
  let folder: string;
  let engine: Engine;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ragstone-ask-'));
    engine = await createEngine({
      config: { provider: 'memory' },
      cwd: folder,
      dataDir: join(folder, 'data'),
    });
    await engine.index({
      documents: [
        {
          id: 'audit.md',
          title: 'Audit',
          text: '# Audit\n\n## Retention\n\nAudit logs are kept for 30 days.\n\n## Place\n\nThey live in the region eu-west.',
        },
        { id: 'gateway.md', title: 'Gateway', text: '# Gateway\n\nThe gateway listens on port 8443.' },
      ],
    });
  });

  afterEach(async () => {
    await engine.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers from the index, each citation bound to offsets and lines of the stored text', async () => {
    const answer = await engine.ask('How long are audit logs kept?');
    expect(answer).toMatchObject({ answerer: 'extractive', abstained: false });
    expect(answer.citations[0]).toMatchObject({
      quote: 'Audit logs are kept for 30 days.',
      lines: { start: 5, end: 5 },
    });
    expect(answer.context.tokens.used).toBeLessThanOrEqual(answer.context.tokens.budget);
  });

  it('takes other names too: message, conversation_history', async () => {
    const answer = await engine.ask({
      message: 'And on which port does it listen?',
      conversation_history: [
        { role: 'user', content: 'What is the gateway?' },
        { role: 'assistant', content: 'An entry point.' },
      ],
    });
    expect(answer.standaloneQuestion).toContain('gateway');
    expect(answer.answer).toContain('8443');
  });

  it('abstains on what the index does not hold, and shows the nearest passages', async () => {
    const answer = await engine.ask('Who painted the ceiling of the chapel in Rome?');
    expect(answer).toMatchObject({ abstained: true, answerer: 'none' });
  });

  it.each([
    ['SnapshotAgent', 'RetryHandler', 'setGlobalDispatcher', 'maxRetries', 'SoftTimeLimitExceeded'],
    ['max_retries', 'app.PersistentScheduler', 'autoSelectFamily', 'ProxyAgents', 'useOnlyCustomLevels'],
  ])('says of no name that it is not mentioned where it is: %s, %s, %s, %s, %s', async (...names) => {
    const documents = [...Array(12).keys()].map((n) => ({ id: `${n}.md`, text: `What is told of: ${n}.` }));
    const text = names.map((name) => name.replace(/s$/, '')).join(' and ');
    await engine.index({
      documents: [...documents, { id: 'names.md', text: `${names.join(', ')}; ${text}.` }],
    });
    for (const name of names) {
      // Even where the one passage that is looked at is another.
      const { abstention } = await engine.ask({ question: `what is told of ${name}?`, topK: 1 });
      expect(abstention?.missing).toBeUndefined();
    }
    const other = await engine.ask('what is told of OtherAgent?');
    expect(other.abstention?.missing).toEqual(['OtherAgent']);
  });

  it('shows nothing of another tenant', async () => {
    const answer = await engine.ask('How long are audit logs kept?', {
      tenant: 'other',
      groups: [],
      clearance: 9,
    });
    expect(answer).toMatchObject({ abstained: true, sources: [], abstention: { reason: 'nothing-found' } });
  });

  it('refuses an empty question, and instructions that cannot be read', async () => {
    await expect(engine.ask(' ')).rejects.toMatchObject({ reason: 'QUERY_EMPTY' });
    const broken = await createEngine({
      config: { provider: 'memory', answering: { instructions: 'missing.md' } },
      cwd: folder,
      dataDir: join(folder, 'other'),
    });
    await expect(broken.ask('x?')).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
    await broken.close();
  });

  it('reads instructions from a file of the project', async () => {
    await writeFile(join(folder, 'house.md'), 'Answer in haiku.');
    const own = await createEngine({
      config: { provider: 'memory', answering: { instructions: 'house.md' } },
      cwd: folder,
      dataDir: join(folder, 'own'),
    });
    await own.index({ documents: [{ id: 'a.md', text: 'The sky is blue.' }] });
    expect((await own.ask({ question: 'Which colour has the sky?', abstainBelow: 0 })).answer).toContain(
      'blue',
    );
    await own.close();
  });
});
