import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allocateWindow, splitWindow } from '../context/window-budget.js';
import { passageUnits } from '../core/analysis/passage-units.js';
import { checkSupport, SUPPORT_THRESHOLD } from './check-support.js';
import { parseCitedAnswer } from './citations.js';
import { isFollowUp, rewriteByRules } from './follow-up.js';
import { trimHistory } from './history.js';
import { ANSWER_PROMPT } from './prompts/answer-prompt.js';
import { renderPrompt } from './prompts/prompt.js';
import { REWRITE_PROMPT } from './prompts/rewrite-prompt.js';
import { readEvidence } from './support-features.js';

describe('support check', () => {
  const evidence = readEvidence([
    'Audit logs are kept for 30 days. The service listens on port 8443. Retries are not enabled by default. Maria Lopez wrote the parser in 2021.',
  ]);
  it.each([
    ['Audit logs are kept for 30 days.', true],
    ['The parser was written by Maria Lopez.', true],
    ['Retries are not enabled by default.', true],
    ['Retries are enabled by default.', false],
    ['Audit logs are not kept for 30 days.', false],
    ['The service listens on port 9090.', false],
    ['Peter Miller wrote the parser in 2021.', false],
    ['The company was founded by wizards.', false],
  ])('%s %s', (claim, isSupported) => {
    expect(checkSupport(claim, evidence).score >= SUPPORT_THRESHOLD).toBe(isSupported);
  });
});

describe('citations', () => {
  const entries = [{ n: 1 }, { n: 2 }, { n: 3 }];
  it('belong to the sentence they follow, before or after its full stop, as lists and ranges', () => {
    const { sentences, invalid } = parseCitedAnswer('One [1]. Two. [2, 3] Three [1-3] [9].', entries);
    expect(sentences.map(({ text, cites }) => [text, cites])).toEqual([
      ['One.', [1]],
      ['Two.', [2, 3]],
      ['Three.', [1, 2, 3]],
    ]);
    expect(invalid).toEqual([9]);
  });

  it.each([
    '- [1] One.\n- [2] Two.',
    '[1] One.\n\n[2] Two.',
    '1. [1] One.\n2. [2] Two.',
    '> [1] One.\n\n> [2] Two.',
  ])('at the beginning of a paragraph or an item belong to what follows: %j', (text) => {
    const { sentences } = parseCitedAnswer(text, entries);
    expect(sentences.map((each) => [each.text, each.cites])).toEqual([
      ['One.', [1]],
      ['Two.', [2]],
    ]);
  });

  it('never loses a sentence of any answer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom('Alpha beta.', '[1]', '[99]', 'Gamma', '\n', '- item', '| a | b |'), {
          maxLength: 12,
        }),
        (parts) => {
          const text = parts.join(' ');
          const { sentences } = parseCitedAnswer(text, entries);
          expect(sentences.filter((each) => each.text.includes('Alpha')).length).toBeLessThanOrEqual(
            parts.length,
          );
          expect(
            sentences
              .map((each) => each.text)
              .join(' ')
              .match(/Alpha/g)?.length ?? 0,
          ).toBe(text.match(/Alpha/g)?.length ?? 0);
          for (const { start, end } of sentences) expect(start).toBeLessThan(end);
        },
      ),
    );
  });
});

describe('passage units', () => {
  it('hold every visible character exactly once, in order', () => {
    const line = fc.oneof(
      fc.lorem({ maxCount: 8, mode: 'sentences' }),
      fc.constantFrom(
        '| a | b |',
        '|---|---|',
        '- item',
        '  deeper',
        '```js',
        '~~~',
        'let a = 1;',
        '# H',
        '',
        '> quote',
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 25 }), (lines) => {
        const text = lines.join('\n');
        const units = passageUnits(text);
        const covered = units.map(({ start, end }) => text.slice(start, end)).join('');
        expect(covered.replace(/\s/g, '')).toBe(text.replace(/\s/g, ''));
        for (const [i, unit] of units.entries())
          expect(unit.start).toBeGreaterThanOrEqual(units[i - 1]?.end ?? 0);
      }),
    );
  });

  it('tell where links lead from what is said', () => {
    const text = 'See [a].\n[a]: a.md\n [b c]: <x y> (Title)\n[note]: Some words more.\n[^1]: Footnote.';
    expect(passageUnits(text).map(({ kind }) => kind)).toEqual([
      'sentence',
      'definition',
      'definition',
      'sentence',
      'sentence',
    ]);
  });

  it('keep list items, rows and lines of code whole', () => {
    const text = '- One. Two.\n\n| a. b | c |\n\n```js\nx(). y();\n```';
    expect(passageUnits(text).map(({ kind }) => kind)).toEqual([
      'list-item',
      'table-row',
      'fence',
      'code-line',
      'fence',
    ]);
  });
});

describe('a model window', () => {
  it('is split into its shares', () => {
    expect(splitWindow(32_000)).toEqual({
      system: 3200,
      context: 8000,
      history: 4800,
      query: 1600,
      response: 14_400,
    });
  });

  it('splits a window by other shares, and lends by them', () => {
    const shares = { system: 0.01, context: 0.29, history: 0.1, query: 0.1, response: 0.5 };
    expect(splitWindow(100, shares)).toEqual({
      system: 1,
      context: 29,
      history: 10,
      query: 10,
      response: 50,
    });
    const needs = { system: 0, context: 900, history: 0, query: 0 };
    expect(allocateWindow(1000, { needs, shares })).toMatchObject({ context: 290, response: 500 });
  });

  it('lends what is left over, and takes from the lowest priority first', () => {
    const needs = { system: 100, context: 5000, history: 100, query: 3000 };
    expect(allocateWindow(10_000, { needs })).toMatchObject({
      query: 2800,
      context: 2500,
      history: 100,
      system: 100,
    });
    const tight = allocateWindow(1000, {
      needs: { ...needs, system: 90, query: 300 },
      floors: { query: 300, system: 20 },
    });
    expect(tight.query).toBe(300);
    expect(tight.system + tight.context + tight.history + tight.query).toBeLessThanOrEqual(550);
  });

  it('refuses a question that is longer than the window', () => {
    const needs = { system: 10, context: 10, history: 0, query: 900 };
    expect(() => allocateWindow(1000, { needs, floors: { query: 900 } })).toThrow('does not fit');
  });
});

describe('conversations', () => {
  const turns = [
    { role: 'user' as const, content: 'a'.repeat(40) },
    { role: 'assistant' as const, content: 'b'.repeat(40) },
    { role: 'user' as const, content: 'c'.repeat(40) },
    { role: 'assistant' as const, content: 'd'.repeat(40) },
  ];
  const tokensOf = (text: string) => text.length / 4;

  it('are cut between questions, never inside a turn', () => {
    expect(trimHistory(turns, { budget: 1000, tokensOf })).toMatchObject({ dropped: 0 });
    expect(trimHistory(turns, { budget: 45, tokensOf }).turns).toEqual(turns.slice(2));
    expect(trimHistory(turns, { budget: 5, tokensOf }).turns).toEqual([]);
  });

  it('lend their words to what leans on them', () => {
    expect(isFollowUp('Why is that?')).toBe(true);
    expect(isFollowUp('Which port does the gateway service listen on?')).toBe(false);
    const history = [{ role: 'user' as const, content: 'How does the parser cache grammars?' }];
    expect(rewriteByRules('And is it slow?', history)).toMatchObject({
      isRewritten: true,
      by: 'rules',
      asked: 'And is it slow?',
    });
    expect(rewriteByRules('And is it slow?', history).query).toContain('grammars');
    expect(rewriteByRules('Anything', [])).toMatchObject({ isRewritten: false, query: 'Anything' });
    const another = 'Which port does the payment gateway listen on?';
    expect(rewriteByRules(another, history)).toMatchObject({ isRewritten: false, query: another });
  });
});

describe('prompts', () => {
  it('render as pinned, in one pass', () => {
    expect(renderPrompt(ANSWER_PROMPT.user, { context: 'C {{question}}', question: 'Q' })).toBe(
      '# Retrieved Information\n\nC {{question}}\n\n# Question\n\nQ',
    );
    expect(renderPrompt(REWRITE_PROMPT.user, { history: 'H', question: 'Q' })).toBe(
      '# Conversation\n\nH\n\n# Last message\n\nQ',
    );
    expect(() => renderPrompt('{{toString}}', {})).toThrow('does not exist');
  });

  it('hold what answers rely on', () => {
    for (const text of [ANSWER_PROMPT.system, ANSWER_PROMPT.shortSystem]) {
      expect(text).toContain('NO_ANSWER');
      expect(text).toContain('[1]');
      expect(text).toMatch(/never (?:follow|followed)/);
    }
  });
});
