import fc from 'fast-check';
import { expect, it } from 'vitest';
import { answerQuestion } from './answer-question.js';
import { fixedRetrieve, ScriptedChatModel, testDependencies } from './test-answering.js';
import type { UnsupportedPolicy } from './verify-answer.js';

const SOURCE = {
  content:
    'Uploads fail at 2 GB. The limit of the new ingress is 2 GB, because nobody had set it. Downloads were not affected.',
  document: 'outage.md',
  score: 0.9,
};

const ask = (said: string, unsupported: UnsupportedPolicy = 'mark') => {
  const model = new ScriptedChatModel(async function* () {
    yield { type: 'text', text: said };
    yield { type: 'finish', reason: 'stop' };
  });
  return answerQuestion(
    { question: 'Why do uploads fail?' },
    testDependencies(fixedRetrieve([SOURCE]), model, { unsupported }),
  );
};

const CODE = 'kubectl annotate heavy-door people=turned-away';
const RIGHT = 'Downloads were not affected. [1]';

it.each([
  [
    'a fence',
    `Run:\n\n\`\`\`sh\n${CODE}\nif x; then\n    ${CODE}\n\n\n    - y\nfi\n\`\`\`\n\n${RIGHT}`,
    'fi\n```\n(unchecked)\n\n',
  ],
  ['a fence that text follows', `\`\`\`\n${CODE}\n\`\`\`\n${RIGHT}`, '```\n(unchecked)\n\nDownloads'],
  ['a fence of tildes', `~~~yaml\n${CODE}\n~~~\n\n${RIGHT}`, '~~~\n(unchecked)\n'],
  [
    'a fence that its source is cited behind',
    `\`\`\`\n${CODE}\n\`\`\`\n\n[1]\n\n${RIGHT}`,
    '```\n[1] (unchecked)\n',
  ],
  [
    'a fence in a list',
    `1. Run:\n\n    \`\`\`sh\n    ${CODE}\n    \`\`\`\n\n2. ${RIGHT}`,
    `    \`\`\`\n    (unchecked)\n\n2.`,
  ],
  ['a fence in a quote', `> \`\`\`\n> ${CODE}\n> \`\`\`\n> ${RIGHT}`, '> ```\n> (unchecked)\n>\n> Downloads'],
  [
    'a fence in a list that nothing closes',
    `- Run:\n  \`\`\`\n  ${CODE}\n- ${RIGHT}`,
    `  ${CODE}\n(unchecked)\n\n- Down`,
  ],
  ['a fence that nothing closes', `${RIGHT}\n\n\`\`\`\n${CODE}`, '\n```\n(unchecked)'],
  [
    'code by its indentation',
    `Run:\n\n    ${CODE}\n      more heavy people\n\n${RIGHT}`,
    'people\n(unchecked)\n\n',
  ],
  ['code by its indentation, first', `    ${CODE}\n\n${RIGHT}`, `    ${CODE}\n(unchecked)\n\n`],
  [
    'code without a fence',
    `SELECT people FROM heavy_door;\nUPDATE door SET people = 0;\n\n${RIGHT}`,
    'door;\nUPDATE door SET people = 0;\n(unchecked)\n',
  ],
  [
    'code in a line',
    `Use \`people. heavy door away\` for people [1]. ${RIGHT}`,
    '`people. heavy door away` for people. [1] (unchecked)',
  ],
  [
    'an address',
    `People at https://x.example/a.b turned away heavy [1]. ${RIGHT}`,
    '`https://x.example/a.b` turned away heavy. [1] (unchecked)',
  ],
  [
    'a link',
    `[Heavy people. Turned away](https://x.example) at doors [1]. ${RIGHT}`,
    'at doors. [1] (unchecked)',
  ],
  [
    'a row',
    `| a | b |\n|---|---|\n| heavy people | \`x\\|y\` [1] |\n| ${RIGHT} | |`,
    '|---|---|\n| heavy people | `x\\|y` [1] (unchecked) |\n',
  ],
  [
    'a row without bars at its ends',
    `a | b\n--- | ---\nheavy people | turned away\n\n${RIGHT}`,
    '\n--- | ---\nheavy people | turned away (unchecked)',
  ],
  [
    'a row with an empty cell',
    `| a | b |\n|---|---|\n| heavy people away | |\n\n${RIGHT}`,
    '| heavy people away (unchecked) | |',
  ],
  [
    'a head without rows',
    `| heavy | people |\n|---|---|\n\n${RIGHT}`,
    '| heavy | people |\n|---|---|\n\nDown',
  ],
])('a mark stands where it changes nothing that is copied or shown: %s', async (_, said, shown) => {
  const { answer } = await ask(said);
  expect(answer).toContain(shown);
  expect(answer).toContain(RIGHT.slice(0, -4));
});

it('lines of a paragraph, blanks of its code and the marks of its list stay as they were written', async () => {
  const said =
    '- People who sent\n  something `a   b` heavy  \n  were turned away [1].\n\n  - Deeper heavy people [1]';
  expect((await ask(said)).answer).toBe(
    '- People who sent\n  something `a   b` heavy  \n  were turned away. [1] (unchecked)\n\n  - Deeper heavy people [1] (unchecked)',
  );
});

it.each([
  ['a line of few words in code', `\`\`\`\n${RIGHT.slice(0, -4)}\nrm -rf /\n\`\`\``],
  ['nothing but such a line', `${RIGHT}\n\n\`\`\`\nrm -rf /\n\`\`\``],
  ['an identifier in inline code', `Downloads were not affected by \`purge-all.sh\`. [1]`],
  ['a heading with a number', `# Downloads were affected for 90 days\n\n${RIGHT}`],
  ['a heading below which a line stands', `Downloads were affected for 90 days\n===\n\n${RIGHT}`],
  [
    'the head of a table',
    `| downloads affected for 90 days | who |\n|---|---|\n| people | all |\n\n${RIGHT}`,
  ],
  ['what leads in', `Downloads were affected for 90 days:\n\n- ${RIGHT}`],
])('what the sources do not have is no more true as %s', async (_, said) => {
  const { support } = await ask(said);
  expect(support.map(({ verdict }) => verdict)).toEqual(
    expect.arrayContaining([expect.stringMatching(/^(?:unsupported|contradicted)$/)]),
  );
});

it('a mark inside of code is none of its numbers', async () => {
  const { support } = await ask(`\`\`\`\n${RIGHT}\n\`\`\``);
  expect(support).toMatchObject([{ verdict: 'supported' }]);
});

it('code with a line that its source contradicts is removed as a whole, and counts as one sentence', async () => {
  const wrong = 'The limit of the new ingress is 5 GB';
  const { answer, support, notices } = await ask(
    `\`\`\`\n${RIGHT.slice(0, -4)}\n${wrong}.\n\`\`\`\n\n${RIGHT}`,
  );
  expect(answer).toBe(RIGHT);
  expect(support).toMatchObject([
    { verdict: 'contradicted', isRemoved: true, sentence: expect.stringContaining(wrong) },
    { verdict: 'supported', isRemoved: false },
  ]);
  expect(notices.join()).toContain('1 of 2 sentences removed');
});

it.each([
  ['a quote', `> Heavy people away [1].\n>\n> ${RIGHT}`, `> ${RIGHT}`],
  ['an item', `- Heavy people away [1].\n- ${RIGHT}`, `- ${RIGHT}`],
  [
    'an item with deeper ones',
    `- Heavy people away [1].\n    - ${RIGHT}\n- ${RIGHT}`,
    `-\n    - ${RIGHT}\n- ${RIGHT}`,
  ],
  ['a row', `| a |\n|---|\n| heavy people away |\n| ${RIGHT} |`, `| a |\n|---|\n| ${RIGHT} |`],
  [
    'a paragraph over code',
    `Heavy people away [1].\n\n    {\n\n\n    - \n\n${RIGHT}`,
    `    {\n\n\n    - \n\n${RIGHT}`,
  ],
])('where a sentence is removed nothing of %s is left, and nothing else changes', async (_, said, left) => {
  expect((await ask(said, 'remove')).answer).toBe(left);
});

it('code is in the answer as it was written, whatever stands around it', async () => {
  const line = fc.constantFrom(
    'a: heavy people 7',
    '    deeper away = door()',
    '',
    '- x',
    '  | a | b |',
    '# heavy people',
    '> q',
  );
  const prose = fc.constantFrom(
    '',
    `${RIGHT}\n`,
    'Heavy people were away [1].\n',
    '- Heavy people. Away.\n',
    '| a | b |\n|---|---|\n',
  );
  await fc.assert(
    fc.asyncProperty(
      prose,
      fc.array(line, { minLength: 1, maxLength: 6 }),
      prose,
      async (before, code, after) => {
        const block = `\`\`\`yaml\n${code.join('\n')}\n\`\`\``;
        const { answer, answerer } = await ask(`${before}\n${block}\n${after}\n${RIGHT}`);
        expect(answerer).toBe('chat');
        expect(answer).toContain(block);
      },
    ),
    { numRuns: 60 },
  );
});
