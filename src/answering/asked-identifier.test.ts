import { expect, test } from 'vitest';
import { answerQuestion } from './answer-question.js';
import { askedIdentifier } from './asked-identifier.js';
import { fixedRetrieve, testDependencies } from './test-answering.js';

const ERRORS = `# Update errors

## Error 0x80070005

Access is denied. Run the installer as an administrator.

## Error 0x80070643

The installation failed. Its database is damaged.

## Error 0x8024402C

The proxy cannot be reached. What this does mean: check the proxy of the machine, then try again.
`;
const CODES = `# Codes of the boiler

The display shows what a fault does mean.

- E101: no gas. Open the tap.
- E102: the fan does not turn. What this does mean is told in the manual.

| Code | Meaning |
|---|---|
| F7001 | pump blocked |
| F7002 | sensor open |
`;

const answerTo = async (question: string, content: string, title = '') => {
  const retrieve = fixedRetrieve([{ content, document: 'guide.md', title, score: 0.9 }]);
  return answerQuestion({ question }, testDependencies(retrieve));
};

test.each([
  ['what does 0x80070005 mean?', 'Access is denied'],
  ['what does 0x80070643 mean?', 'The installation failed'],
  ['what does 0x8024402C mean?', 'The proxy cannot'],
])('%s is answered from its section', async (question, said) => {
  const { answer } = await answerTo(question, ERRORS);
  expect(answer).toContain(said);
});

test.each([
  ['what does E101 mean?', 'no gas'],
  ['what does E102 mean?', 'the fan'],
  ['what does F7002 mean?', 'sensor open'],
])('%s is answered from its item or row', async (question, said) => {
  const { answer } = await answerTo(question, CODES);
  expect(answer).toContain(said);
});

test('headings with a line below them are headings', async () => {
  const lined = ERRORS.replace(
    /^#+ (.*)$/gm,
    (_, title: string) => `${title}\n${/^Err/.test(title) ? '---' : '==='}`,
  );
  expect((await answerTo('what does 0x80070643 mean?', lined)).answer).toContain('The installation failed');
});

test('what stands under the heading of another code is no answer', async () => {
  const note =
    '# Notes\n\nSee 0x80070005 too.\n\n## Error 0x80070643\n\nWhat this does mean: the database is damaged.\n';
  expect((await answerTo('what does 0x80070005 mean?', note)).answer).not.toContain('damaged');
});

test.each([
  ['what does the ticket SHOP-481 say?', 'SHOP-481'],
  ['who is the contact for C#?', 'C#'],
  ['what is fixed in 4.2.1?', undefined],
  ['how does E101 differ from E102?', undefined],
  ['which OAuth2 flow do we take?', undefined],
  ['what does setup-v2.json set?', undefined],
])('the identifier of: %s', (question, name) => {
  expect(askedIdentifier(question)?.name).toBe(name);
});

const CONTACTS = `# Contacts of languages

The contact for C is Ruth Ohm.

The contact for C++ is Ana Weiss.

The contact for C# is Tom Lind.

The contact for .NET is Maria Keller.
`;
const POOLS = `# Pools

## C++

The object pool has a capacity of 64 objects.

## C#

The object pool keeps up to 128 objects, which threads share.
`;

test.each([
  ['who is the contact for C++?', CONTACTS, 'Ana Weiss'],
  ['who is the contact for C#?', CONTACTS, 'Tom Lind'],
  ['who is the contact for .NET?', CONTACTS, 'Maria Keller'],
  ['what is the capacity of the object pool in C#?', POOLS, '128 objects'],
])('%s is answered by what holds the name with its signs', async (question, content, said) => {
  const { highlight } = await answerTo(question, content);
  expect(highlight).toContain(said);
});

test('a passage about another language goes behind one of the language asked for', async () => {
  const pool = { content: 'The object pool has a capacity of 64.', document: 'pool.cpp', score: 0.9 };
  const guide = { content: 'In C# the pool of objects holds 128.', document: 'guide.md', score: 0.4 };
  const question = 'What is the capacity of the object pool in C#?';
  const ask = (chunks: (typeof pool)[]) =>
    answerQuestion({ question }, testDependencies(fixedRetrieve(chunks), undefined, { abstainBelow: 0.2 }));
  expect((await ask([pool, guide])).citations[0]?.source).toBe('guide.md');
  expect((await ask([pool])).abstained).toBe(true);
  expect((await ask([{ ...pool, document: 'pool.md' }])).abstained).toBe(false);
});
