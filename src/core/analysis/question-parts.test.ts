import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contentTerms, questionParts } from './question-parts.js';

const textsOf = (question: string): string[] => questionParts(question).map(({ text }) => text);

describe('parts of a question', () => {
  it.each([
    [
      'How long are audit logs kept, and which port does the gateway listen on?',
      ['How long are audit logs kept', 'which port does the gateway listen on'],
    ],
    ['What is the difference between npm ci and npm install?', ['npm ci', 'npm install']],
    ['How does load testing differ from chaos testing in scope?', ['load testing', 'chaos testing']],
    ['package-lock.json versus npm-shrinkwrap.json', ['package-lock.json', 'npm-shrinkwrap.json']],
    [
      'Support routes tickets to a team. Which command line tool does it own?',
      ['Support routes tickets to a team', 'Which command line tool does it own'],
    ],
  ])('%s', (question, parts) => expect(textsOf(question)).toEqual(parts));

  it.each([
    'How long are audit logs kept?',
    'Where is research and development done?',
    'Which extension of VS Code formats Markdown?',
    'Is v1.2 supported, e.g. on Windows?',
    '',
  ])('none in: %s', (question) => expect(textsOf(question)).toEqual([]));

  const word = fc.constantFrom(
    'How',
    'what',
    'and',
    'between',
    'difference',
    'compare',
    'vs.',
    'versus',
    'audit',
    'Logs',
    'kept',
    ',',
    '?',
    '.',
    '\n',
    '(',
    'SHOP-481',
    '是',
  );
  const question = fc.oneof(
    fc.array(word, { maxLength: 40 }).map((words) => words.join(' ')),
    fc.string({ maxLength: 300 }),
  );

  it('are stretches of it, distinct, few, about something, and never all of it', () => {
    fc.assert(
      fc.property(question, (text) => {
        const parts = textsOf(text);
        expect(parts.length).toBeLessThanOrEqual(4);
        expect(new Set(parts).size).toBe(parts.length);
        for (const part of parts) {
          expect(text).toContain(part);
          expect(part.length).toBeLessThan(text.length);
          expect(contentTerms(part).length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('are found in time that grows with the text, whatever it repeats', () => {
    for (const piece of ['between a and ', 'vs ', 'how does ', ', and what ', '. A', 'compare x with '])
      expect(questionParts(piece.repeat(50_000)).length).toBeLessThanOrEqual(4);
  });
});
