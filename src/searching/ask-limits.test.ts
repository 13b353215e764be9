import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import { ScriptedChatModel } from '../answering/test-answering.js';
import { createEngine } from '../engine/create-engine.js';
import type { AskRequest, Engine } from '../operations/engine.js';

const DOCUMENTS = [
  { id: 'gateway.md', text: '# Gateway\n\nThe gateway listens on port 8443.' },
  { id: 'audit.md', text: '# Audit\n\nAudit logs are kept for 45 days.' },
];
const QUESTION = 'Which port does the gateway listen on?';
const WRITTEN = 'The gateway listens on port 8443. [1]';

/** A model that has a price per token, or whose price nobody knows. */
const pricedModel = (perToken: number | undefined): ScriptedChatModel =>
  Object.assign(new ScriptedChatModel(WRITTEN, { object: { query: QUESTION } }), {
    priceOf: ({ inputTokens, outputTokens }: { inputTokens: number; outputTokens: number }) =>
      perToken === undefined ? undefined : perToken * (inputTokens + outputTokens),
  });

describe('limits of an answer by one search', () => {
  const engines: Engine[] = [];
  let model: ScriptedChatModel;

  const ask = async (request: Partial<AskRequest>, chatModel = model) => {
    const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder(), chatModel });
    engines.push(engine);
    await engine.index({ documents: DOCUMENTS });
    return engine.ask({ question: QUESTION, abstainBelow: 0, ...request });
  };

  beforeEach(() => {
    model = pricedModel(0.000_001);
  });
  afterEach(async () => {
    for (const engine of engines.splice(0)) await engine.close();
  });

  it('let the model write where they are wide enough', async () => {
    const limits = { maxCost: 1, maxTokens: 20_000, deadlineMs: 60_000 };
    const answer = await ask({ limits });
    expect(answer).toMatchObject({ answerer: 'chat', answer: WRITTEN, mode: 'enhanced' });
    expect(answer).not.toHaveProperty('agent');
    expect(answer).not.toHaveProperty('fallback');
  });

  it.each([
    { limits: { maxCost: 0.000_1 }, name: 'maxCost' },
    { limits: { maxTokens: 50 }, name: 'maxTokens' },
  ])('quote passages where $name is too little, and the model is not called', async ({ limits, name }) => {
    const answer = await ask({ limits });
    expect(answer).toMatchObject({ answerer: 'extractive', fallback: { reason: 'AGENT_LIMIT' } });
    expect(answer.fallback?.detail).toContain(`\`${name}\``);
    expect(answer.answer).toContain('8443');
    expect(model.asked).toEqual([]);
  });

  it('do not call a model whose price is unknown where a price is the limit', async () => {
    const unknown = pricedModel(undefined);
    const answer = await ask({ limits: { maxCost: 1 } }, unknown);
    expect(answer).toMatchObject({ answerer: 'extractive', fallback: { reason: 'AGENT_LIMIT' } });
    expect(unknown.asked).toEqual([]);
    expect(await ask({ limits: { maxTokens: 20_000 } }, unknown)).toMatchObject({ answerer: 'chat' });
  });

  it('count the reading of a follow-up, which rules do where the model may not', async () => {
    const history = [
      { role: 'user', content: 'Tell me about the gateway.' },
      { role: 'assistant', content: 'It is a gateway.' },
    ] as const;
    const question = 'Which port does it listen on?';
    const answer = await ask({ question, history, limits: { maxTokens: 50 } });
    expect(answer.fallback?.reason).toBe('AGENT_LIMIT');
    expect(answer.standaloneQuestion).toBe(`${question} (Tell gateway)`);
    expect(model.asked).toEqual([]);
    expect((await ask({ question, history, limits: { maxTokens: 20_000 } })).answerer).toBe('chat');
    // One reading and one writing.
    expect(model.asked).toHaveLength(2);
  });

  it('leave out of a search what has no time, and say so', async () => {
    const answer = await ask({ limits: { deadlineMs: 2 }, answerer: 'extractive' });
    expect(answer.noticeKinds).toContain('deadline');
    expect(answer.notices.join('\n')).toContain('To keep the deadline the search left out: ');
    expect(answer.sources).not.toEqual([]);
  });

  it('have steps in the mode agentic alone', async () => {
    await expect(ask({ limits: { maxSteps: 2 } })).rejects.toMatchObject({ reason: 'QUERY_INVALID' });
  });
});
