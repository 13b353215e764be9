import { describe, expect, it } from 'vitest';
import { RAGError } from '../../core/errors.js';
import { describeChain } from './error-chain.js';

/** As clients of servers throw them: the server's words are the message. */
const answerOf = (fields: object): Error =>
  Object.assign(new Error('bad request\nfrom {"authorization":"Bearer canary"}\n    with canary'), fields);

describe('a chain of errors in the log', () => {
  it.each([
    { statusCode: 401, responseBody: '{"error":"Bearer canary"}' },
    { status: 403, body: 'canary' },
    { meta: { body: 'canary' } },
    { response: { data: 'canary' } },
  ])('leaves out what a server answered, and keeps where: %o', (fields) => {
    const error = new RAGError('CHAT_REJECTED', 'The provider refuses the key.', { cause: answerOf(fields) });
    const described = describeChain(new Error('outermost', { cause: error }));
    expect(described).not.toContain('canary');
    expect(described).toMatch(
      /outermost[\s\S]*caused by: RAGError: The provider refuses[\s\S]*caused by: Error/,
    );
    expect(described.match(/ {4}at .*error-chain\.test/g)?.length).toBeGreaterThanOrEqual(3);
  });

  it('ends, whatever it holds', () => {
    const endless = new Error('round');
    endless.cause = endless;
    expect(describeChain(endless).split('caused by').length).toBeLessThan(20);
  });
});
