import { describe, expect, it } from 'vitest';
import { CallDeadlineError, ConnectionCutError, describeFailure, retryAfterOf } from './call-failure.js';
import { HttpCallError } from './post-json.js';

const http = (status: number, body: unknown = {}, headers: Record<string, string> = {}): HttpCallError =>
  new HttpCallError(status, headers, JSON.stringify(body));

describe('describeFailure', () => {
  it.each([
    [400, 'rejected'],
    [401, 'rejected'],
    [404, 'rejected'],
    [408, 'unavailable'],
    [429, 'busy'],
    [500, 'unavailable'],
    [503, 'busy'],
    [529, 'busy'],
  ])('%i is %s', (status, kind) => {
    expect(describeFailure(http(status))).toMatchObject({ kind, status });
  });

  it.each(['insufficient_quota', 'enforced_spend_limit_reached'])(
    'a 429 for %s does not pass by waiting',
    (code) => {
      expect(describeFailure(http(429, { error: { message: 'no', code } }))).toMatchObject({
        kind: 'rejected',
      });
    },
  );

  it.each([
    [new CallDeadlineError('no answer'), 'late'],
    [new DOMException('gone', 'AbortError'), 'cancelled'],
    [new ConnectionCutError('cut'), 'unavailable'],
    [
      new TypeError('fetch failed', { cause: Object.assign(new Error('x'), { code: 'ECONNREFUSED' }) }),
      'unavailable',
    ],
    [new SyntaxError('Unexpected token < in JSON'), 'unreadable'],
    [{ type: 'overloaded_error', message: 'full' }, 'busy'],
    [{ type: 'server_error', message: 'oh' }, 'unavailable'],
    [undefined, 'unreadable'],
  ])('%s is %s', (error, kind) => {
    expect(describeFailure(error)).toMatchObject({ kind });
  });

  it("gives the provider's words on one short line, without the key", () => {
    const message = `Incorrect API key:\n sk-very-secret ${'x'.repeat(1000)}`;
    const { detail } = describeFailure(http(401, { error: { message } }), ['sk-very-secret']);
    expect(detail).toMatch(/^Incorrect API key: \*{8} x+\.\.\.$/);
    expect(detail.length).toBeLessThan(310);
  });
});

describe('retryAfterOf', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  it.each([
    [{ 'retry-after': '30' }, 30_000],
    [{ 'retry-after-ms': '120', 'retry-after': '30' }, 120],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:00 GMT' }, 0],
    [{ 'retry-after': 'soon' }, undefined],
    [{}, undefined],
    [undefined, undefined],
  ])('%j is %s', (headers, expected) => {
    expect(retryAfterOf(headers, now)).toBe(expected);
  });
});
