import { describe, expect, test } from 'vitest';
import { decisionOf, learningsOf } from './telling-sentences.js';

const passage = (text: string, title = 'Queues', headings: readonly string[] = []) =>
  decisionOf({ text, title, headings });

describe('what a passage decides', () => {
  test.each([
    [
      'a team that says so',
      'Costs rose. We decided to keep PostgreSQL. It works.',
      'We decided to keep PostgreSQL.',
    ],
    ['somebody who refused', 'The rewrite was rejected in May.', 'The rewrite was rejected in May.'],
    [
      'a word before a colon',
      '- **Decision:** retries stop after five.',
      'Decision: retries stop after five.',
    ],
    ['an item that is left', "Closed as won't fix, nobody uses it.", "Closed as won't fix, nobody uses it."],
  ])('%s', (_, text, decision) => expect(passage(text)).toBe(decision));

  test('below a heading of decisions its first sentence is one', () => {
    expect(passage('Sessions live in Redis. They expire.', 'Sessions', ['Decision'])).toBe(
      'Sessions live in Redis.',
    );
    expect(passage('# ADR-7: sessions\n\nSessions live in Redis.', 'ADR-7: sessions')).toBe(
      'Sessions live in Redis.',
    );
  });

  test('neither a heading, nor front matter, nor the name of a field is quoted', () => {
    const text =
      '---\ntitle: ADR-5 Keys\n---\n\n# ADR-5 Keys\n\n## Decision\n\nOne key for each attempt. Not two.';
    expect(passage(text, 'ADR-5 Keys', ['ADR-5 Keys'])).toBe('One key for each attempt.');
    expect(passage('---\ntitle: ADR-5 Keys\n---', 'ADR-5 Keys')).toBeUndefined();
    expect(passage('description: The team rejected a captcha.')).toBe('The team rejected a captcha.');
    expect(passage('decision: one key.')).toBe('decision: one key.');
  });

  test('elsewhere nothing is taken for one', () => {
    expect(passage('Decide for yourself. The undecided wait. A decisive step.')).toBeUndefined();
    expect(passage('')).toBeUndefined();
    expect(passage('The request is rejected by the server. The port was chosen at random.')).toBeUndefined();
    expect(passage('resolution: Fixed')).toBeUndefined();
    expect(passage('Lookups time out.', 'DNS resolution fails', ['Decision tree is slow'])).toBeUndefined();
  });

  test('a sentence without an end is cut', () => {
    expect(passage(`We decided ${'x'.repeat(5000)}`)).toHaveLength(400);
  });
});

describe('what a piece of work taught', () => {
  test('is told in its own sentences, each once, three at most', () => {
    const text =
      'Login failed. The root cause was a stale token.\nThe root cause was a stale token.\nA workaround is to log out. It took longer than planned. It was fixed by a retry.';
    expect(learningsOf(text)).toEqual([
      'The root cause was a stale token.',
      'A workaround is to log out.',
      'It took longer than planned.',
    ]);
    expect(learningsOf('Add a button.')).toEqual([]);
  });
});
