import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assembleContext } from '../../src/context/assemble-context.js';
import { CITATION_MARK } from '../../src/context/citation-marks.js';
import { StepCounter } from '../../src/context/markup/step-counter.js';
import { neutralise, neutraliseAnswer, neutraliseLine, stepLimit } from '../../src/context/neutralise.js';
import { characterCounter, testChunk } from '../../src/context/test-chunks.js';
import { HOSTILE_MARKDOWN, hostileMarkdown, repeatedUnit } from './hostile-markdown.js';
import { liveElements } from './live-elements.js';
import { forSlowRuns } from './slow-runs.js';

describe('retrieved text', () => {
  it.each(HOSTILE_MARKDOWN)('is inert: %j', (text) => {
    expect(liveElements(neutralise(text))).toEqual([]);
    expect(liveElements(neutraliseAnswer(text))).toEqual([]);
    expect(liveElements(neutraliseLine(text))).toEqual([]);
  });

  it('most of the attacks are live to who shows them as they are', () => {
    const live = HOSTILE_MARKDOWN.filter((text) => liveElements(text).length > 0);
    expect(live.length / HOSTILE_MARKDOWN.length).toBeGreaterThan(0.8);
  });

  it(
    'is inert whatever it is made of, stays so, and says the same when it is made inert again',
    () => {
      fc.assert(
        fc.property(hostileMarkdown, (text) => {
          const inert = neutralise(text);
          expect(liveElements(inert)).toEqual([]);
          expect(neutralise(inert)).toBe(inert);
          expect(liveElements(neutraliseAnswer(text))).toEqual([]);
          expect(liveElements(neutraliseLine(text))).toEqual([]);
        }),
        forSlowRuns(600),
      );
    },
    forSlowRuns.timeout,
  );

  it(
    'is inert beside other text of its pack, and no code of one passage ends in the next',
    async () => {
      const pack = async (texts: readonly string[]) =>
        (
          await assembleContext(
            {
              question: 'q',
              ranked: texts.map((content, i) =>
                testChunk({
                  content: `${content}\n${i}`,
                  title: content,
                  headingPath: [content],
                  document: `${i}.md`,
                }),
              ),
            },
            { budget: 100_000, counter: characterCounter },
          )
        ).text;
      await fc.assert(
        fc.asyncProperty(fc.array(hostileMarkdown, { minLength: 1, maxLength: 4 }), async (texts) => {
          const ours = /^\["passage"/;
          expect(liveElements(await pack(texts)).filter((element) => !ours.test(element))).toEqual([]);
        }),
        forSlowRuns(120),
      );
    },
    forSlowRuns.timeout,
  );

  it.each([
    'Plain text, a < b and c > d, x <y and z.',
    '# Heading\n\n- item *with* _emphasis_\n- [ ] task\n\n> quote\n\n| a | b |\n|---|---|\n| 1 | `x[1]` |',
    'A `List<String>` of `![x](y)` and List<String> of T<U>.',
    '```html\n<img src="x.png" onload="go()">\n[2](https://example.org)\n```\n\nText.',
    '    indented <code href="x">\n\nText.',
    '- a\n\n  ```sh\n  curl https://example.org | sh # [1]\n  ```\n- b',
    'Jane Roe <jane@acme.example> wrote x[1] = values[0].',
    'Line one\r\nline two\r\n',
    '<b>bold</b> and<br>line <kbd>Ctrl</kbd>',
    '$x_i^2 + \\frac{a}{b}$ costs 5 * 3 ~ 15',
    '汉字、कि\u200dष and 👩\u200d💻',
  ])('stays as it is where nothing in it is live: %j', (text) => {
    expect(neutralise(text)).toBe(text);
  });
});

describe('marks in quoted text', () => {
  it.each([
    ['as [2] proves', 'as (2) proves'],
    ['proven[2].', 'proven(2).'],
    ['[2][3] and [ 1 , 2 ]', '(2)(3) and ( 1 , 2 )'],
    ['\\[2\\]', '(2)'],
    ['x[1] = values[0]', 'x[1] = values[0]'],
    ['rows[1][2] += 1', 'rows[1][2] += 1'],
  ])('%j', (text, expected) => {
    expect(neutralise(text)).toBe(expected);
  });

  it('in an answer stay, those of its prose and its code', () => {
    const answer = 'It is `a[2]` [1].\n\n```js\nb[3] = [4];\n```';
    expect(neutraliseAnswer(answer)).toBe(answer);
  });

  it('are never marks of ours outside code', () => {
    const citing = fc.array(
      fc.constantFrom('[2]', '[1, 3]', '[1-2]', 'word', ' ', '.', '\n', '\\', '!', '(', ']'),
      {
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(citing, (pieces) => {
        const shown = neutraliseLine(pieces.join(''));
        for (const { index } of shown.matchAll(CITATION_MARK)) expect(shown[index - 1]).toMatch(/[\w)\]]/);
      }),
      forSlowRuns(300),
    );
  });
});

describe('the work on a text', () => {
  const stepsFor = (text: string): number => {
    const counter = new StepCounter(stepLimit(text.length));
    neutralise(text, counter);
    return counter.steps;
  };

  it.each([
    '`',
    '[',
    '![',
    '<',
    '<!--',
    '<a b="',
    '> ',
    '- ',
    '*a_',
    '[a](',
    '[a]: b\n',
    '|',
    '| a ',
    '\\',
    '~',
    '\n',
    '[a](<',
    '<!X',
  ])('grows no faster than n log n for %j repeated', (unit) => {
    expectLinearithmic((length) => stepsFor(unit.repeat(Math.ceil(length / unit.length))));
  });

  it(
    'grows no faster than n log n for anything repeated',
    () => {
      fc.assert(
        fc.property(repeatedUnit, repeatedUnit, (start, unit) => {
          expectLinearithmic((length) => stepsFor(start + unit.repeat(Math.ceil(length / unit.length))));
        }),
        forSlowRuns(40),
      );
    },
    forSlowRuns.timeout,
  );

  it('is counted: the budget ends it, and the text is escaped whole', () => {
    const counter = new StepCounter(10);
    expect(neutralise('[a](//evil.example) '.repeat(100), counter)).toContain('(a)(//evil.example)');
    expect(counter.steps).toBeLessThanOrEqual(11);
  });
});

/** From 4,000 to 32,000 characters; small texts have a share that does not grow. */
function expectLinearithmic(stepsAt: (length: number) => number): void {
  const [short, long] = [4_000, 32_000];
  const growth = (long * Math.log(long)) / (short * Math.log(short));
  expect(stepsAt(long)).toBeLessThanOrEqual(growth * (stepsAt(short) + 1_000));
}
