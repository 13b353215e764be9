import { describe, expect, it } from 'vitest';
import { onTimersAlone } from '../core/test-clock.js';
import { evidenceGatherer } from './agentic/gather-evidence.js';
import { answerQuestion } from './answer-question.js';
import type { AnswerDependencies } from './answer-request.js';
import { fixedRetrieve, testDependencies } from './test-answering.js';

const never = () => new Promise<never>(() => undefined);
const AUDIT = { document: 'audit.md', content: 'Audit logs are kept for 30 days.' };

const dependencies = (own: Partial<AnswerDependencies>): AnswerDependencies => ({
  ...testDependencies(fixedRetrieve([AUDIT])),
  gather: evidenceGatherer({ search: never, document: never, values: never }, { deadlineMs: 50 }),
  ...own,
});

describe('an answer with the mode agentic', () => {
  const request = { question: 'How long are audit logs of Kafka kept?', mode: 'agentic' as const };

  it('waits for nothing longer than its deadline: no search, no look-up of names, no chunks beside', async () => {
    const parts = dependencies({ isKnownWord: never, isKnownIdentifier: never, similarity: never });
    const context = { ...parts.context, neighbours: 2, loadChunks: never };
    const answer = await onTimersAlone(() => answerQuestion(request, { ...parts, context }));
    expect(answer).toMatchObject({ agent: { stopped: 'deadline', used: { ms: 50 } } });
    expect(answer.noticeKinds).toContain('search-degraded');
    const known = { ...request, question: 'How long are audit logs kept?' };
    const quoted = await onTimersAlone(() => answerQuestion(known, { ...parts, context }));
    expect(quoted).toMatchObject({ answerer: 'extractive', agent: { stopped: 'answered' } });
    expect(quoted.noticeKinds).toContain('search-degraded');
    const hanging = await onTimersAlone(() => answerQuestion(request, { ...parts, retrieve: never }));
    expect(hanging).toMatchObject({ outcome: 'not-found', agent: { stopped: 'deadline' } });
  });

  it('is refused where nothing searches in steps', async () => {
    const { gather: _, ...parts } = dependencies({});
    await expect(answerQuestion(request, parts)).rejects.toMatchObject({ reason: 'CONFIG_INVALID' });
  });
});
