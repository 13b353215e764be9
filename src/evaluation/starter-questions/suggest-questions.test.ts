import { describe, expect, test } from 'vitest';
import { OPEN_ACCESS } from '../../core/scope.js';
import { createMarkdownParser } from '../../parsing/markdown/markdown-parser.js';
import type { StarterDocument } from './starter-document.js';
import { suggestQuestions } from './suggest-questions.js';

const parser = createMarkdownParser();

function parsed(files: Readonly<Record<string, string>>): StarterDocument[] {
  return Object.entries(files).map(([path, content]) => ({
    path,
    ...parser.parse({
      externalId: path,
      mediaType: 'text/markdown',
      content,
      metadata: {},
      access: OPEN_ACCESS,
    }),
  }));
}

const PROSE = 'Audit logs are kept for thirty days and then deleted by a nightly job.';

const questionsOf = (files: Readonly<Record<string, string>>) =>
  suggestQuestions(parsed(files)).map(({ type, question, gold }) => [type, question, gold[0]?.quote]);

describe('questions that a corpus suggests', () => {
  test('a heading asks for the prose below it', () => {
    expect(questionsOf({ 'a.md': `# Logs\n\n## Retention of audit logs\n\n${PROSE}\n` })).toEqual([
      ['heading', 'Retention of audit logs', PROSE],
    ]);
  });

  test('a heading that stands twice, says little, or has no prose asks for nothing', () => {
    const twice = `## Retention of audit logs\n\n${PROSE}\n`;
    expect(questionsOf({ 'a.md': twice, 'b.md': twice })).toEqual([]);
    expect(questionsOf({ 'a.md': `## Overview\n\n${PROSE}\n` })).toEqual([]);
    expect(
      questionsOf({ 'a.md': '## Retention of audit logs\n\n## Another heading of this kind\n' }),
    ).toEqual([]);
  });

  test('a link text asks for what it leads to, at its anchor', () => {
    const files = {
      'guide/start.md': 'See [how long logs stay](../audit.md#keeping-them) before you ask.\n',
      'audit.md': `# Audit\n\nSomething else is said at the beginning of this page, as so often.\n\n## Keeping them\n\n${PROSE}\n`,
    };
    expect(questionsOf(files)).toEqual([['link', 'how long logs stay', PROSE]]);
  });

  test.each([
    ['an image', '![how long logs stay](audit.md)'],
    ['the web', '[how long logs stay](https://example.org/audit.md)'],
    ['code', '`[how long logs stay](audit.md)`\n\n```md\n[how long logs stay](audit.md)\n```'],
    ['its surroundings', '[the policy linked above](audit.md)'],
    ['nothing that is there', '[how long logs stay](gone.md)'],
    ['a broken escape', '[how long logs stay](%E0%A4%A)'],
  ])('a link to %s asks for nothing', (_, text) => {
    const found = questionsOf({ 'start.md': text, 'audit.md': PROSE });
    expect(found).toEqual([]);
  });

  test('a definition asks for the acronym, and its repetition answers as well', () => {
    const first = 'Each team agrees on a service level objective (SLO) once a year.';
    const documents = parsed({
      'a.md': `Before. ${first} After.\n`,
      'b.md': 'A Service Level Objective (SLO) is a promise to users of a service.\n',
    });
    const [question] = suggestQuestions(documents);
    expect(question).toMatchObject({
      id: 'acronym-001',
      question: 'What does SLO stand for?',
      gold: [{ path: 'a.md', quote: first }],
      alternates: [{ path: 'b.md' }],
    });
  });

  test('words whose initials are not the acronym, and acronyms of two meanings, ask for nothing', () => {
    expect(
      questionsOf({ 'a.md': 'We met the whole team (SLO) on a rainy day in the big office.\n' }),
    ).toEqual([]);
    const two = {
      'a.md': 'Every pull request (PR) is reviewed by two people of the team.\n',
      'b.md': 'Our public relations (PR) are looked after by another team.\n',
    };
    expect(questionsOf(two)).toEqual([]);
  });

  test('every quote is verbatim, kinds are shared out, and the seed decides', () => {
    const files = Object.fromEntries(
      Array.from({ length: 12 }, (_, i) => [
        `p${i}.md`,
        `# Page number ${i} about logs\n\n${PROSE} Number ${i}.\n\nSee [page of number ${i + 1}](p${(i + 1) % 12}.md) too.\n`,
      ]),
    );
    const documents = parsed(files);
    const questions = suggestQuestions(documents, { max: 10, seed: 3 });
    expect(questions).toHaveLength(10);
    expect(new Set(questions.map(({ type }) => type))).toEqual(new Set(['link', 'heading']));
    for (const { gold } of questions)
      for (const { path, quote } of gold) expect(files[path]).toContain(quote);
    expect(suggestQuestions(documents, { max: 10, seed: 3 })).toEqual(questions);
    expect(suggestQuestions(documents, { max: 10, seed: 4 })).not.toEqual(questions);
  });
});
