import { describe, expect, it } from 'vitest';
import type { Answer } from '../../answering/answer.js';
import { answerQuestion } from '../../answering/answer-question.js';
import { fixedRetrieve, ScriptedChatModel, testDependencies } from '../../answering/test-answering.js';
import { answerValues, meanValues } from './answer-metrics.js';
import { judgeAnswer } from './judge.js';

const AUDIT = { content: 'Audit logs are kept for 30 days in eu-west.', document: 'audit.md', score: 0.9 };
const PORTS = {
  content: 'The gateway listens on port 8443 for clients.',
  document: 'gateway.md',
  score: 0.4,
};
const QUESTION = 'How long are audit logs kept?';

const answered = (script?: string, chunks = [AUDIT, PORTS]): Promise<Answer> =>
  answerQuestion(
    { question: QUESTION },
    testDependencies(fixedRetrieve(chunks), script === undefined ? undefined : new ScriptedChatModel(script)),
  );

describe('measures of an answer', () => {
  it('of a right, cited sentence are all 1, where half of the passages is used', async () => {
    const values = answerValues(await answered('Audit logs are kept for 30 days in eu-west [1].'), {
      spans: ['30  DAYS'],
    });
    expect(values).toMatchObject({
      abstained_wrongly: 0,
      answer_in_context: 1,
      answer_in_first_sentence: 1,
      answer_in_answer: 1,
      context_precision: 1,
      context_recall: 1,
      context_utilisation: 0.5,
      citation_precision: 1,
      citation_recall: 1,
    });
    expect(values.faithfulness).toBeGreaterThan(0.8);
    expect(values.answer_relevance).toBeGreaterThan(0.3);
  });

  it('tell where among the passages the answer stands', async () => {
    const values = answerValues(await answered(undefined, [AUDIT, PORTS]), { spans: ['8443', 'never said'] });
    expect(values).toMatchObject({
      context_precision: 0.5,
      context_recall: 0.5,
      answer_in_first_sentence: 0,
    });
  });

  it('of an invented sentence are low', async () => {
    const invented = `${'Audit logs are kept for 30 days in eu-west [1].'} Each customer in Iceland pays 400 euros [1].`;
    const values = answerValues(await answered(invented), { spans: ['30 days'] });
    const right = answerValues(await answered('Audit logs are kept for 30 days in eu-west [1].'), {
      spans: ['30 days'],
    });
    expect(values.faithfulness).toBeLessThan(right.faithfulness ?? 0);
    expect(values.citation_recall).toBe(0.5);
  });

  it('of a question without an answer are its abstention alone', async () => {
    expect(answerValues(await answered(), { spans: [] })).toEqual({ abstained_rightly: 0 });
  });

  it('leave out of a mean what has no value', () => {
    expect(meanValues([{ a: 1, b: 0 }, { a: 0 }])).toEqual({ a: 0.5, b: 0 });
  });
});

describe('the judge', () => {
  const judged = async (object: unknown) => {
    const model = new ScriptedChatModel('', { object });
    return { model, opinion: judgeAnswer(await answered(), model) };
  };

  it('is given question, passages and answer, as data, and its opinion is taken', async () => {
    const { model, opinion } = await judged({ faithfulness: 0.5, answer_relevance: 1 });
    expect(await opinion).toEqual({ judged_faithfulness: 0.5, judged_answer_relevance: 1 });
    const [system, user] = model.asked[0] ?? [];
    expect(system?.role).toBe('system');
    expect(system?.content).not.toContain('30 days');
    for (const part of [QUESTION, AUDIT.content, '[1]']) expect(user?.content).toContain(part);
  });

  it.each([undefined, { faithfulness: 2, answer_relevance: 0 }, { faithfulness: 1 }])(
    'that says %j fails',
    async (object) => {
      const { opinion } = await judged(object);
      await expect(opinion).rejects.toMatchObject({ reason: 'CHAT_OUTPUT_INVALID' });
    },
  );
});
