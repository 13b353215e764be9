import { describe, expect, it } from 'vitest';
import { answerQuestion } from './answer-question.js';
import { fixedRetrieve, ScriptedChatModel, testDependencies } from './test-answering.js';

const CODES = [
  '```python\nimport sys\nprint(sys.argv[1], [1, 2])\n```',
  '```\n^[1-3]$\n```',
  '~~~js\nconst [first] = rows[1][2]; rows[1] = [2];\n~~~',
  '    names[1] = sorted(names)[2]',
  'Call `print(sys.argv[1], [1, 2])` there.',
  'The pattern is `^[1-3]$` there.',
  '| expression | meaning |\n|---|---|\n| `rows[1]` | the first row |',
  '- Use `values[2]` there.',
];

const source = (content: string) => ({ content, document: 'code.md', score: 0.9 });

describe('code in an answer', () => {
  it.each(CODES)('of a language model stays as it was written: %j', async (code) => {
    const model = new ScriptedChatModel(async function* () {
      yield { type: 'text', text: `The backup waits for the lock [1].\n\n${code}` };
      yield { type: 'finish', reason: 'stop' };
    });
    const sources = [source(`The backup waits for the lock.\n\n${code}\n`)];
    const { answer, support } = await answerQuestion(
      { question: 'How are names printed?' },
      testDependencies(fixedRetrieve(sources), model),
    );
    const written = code.match(/`[^`\n]+`/)?.[0];
    expect(answer).toContain(written ?? code.trim());
    expect(answer).toContain('lock. [1]');
    expect(answer).not.toContain('unchecked');
    if (written !== undefined) expect(support.map((each) => each.sentence).join('\n')).toContain(written);
  });

  it.each(CODES)('quoted from a passage stays as its source has it: %j', async (code) => {
    const { answer } = await answerQuestion(
      { question: 'print argv pattern rows names values expression' },
      testDependencies(fixedRetrieve([source(code)])),
    );
    expect(answer).not.toContain('［');
    const bracketed = code.match(/\S*\[\d[^`\n]*\]/)?.[0] ?? '';
    expect(answer).toContain(bracketed);
    if (!/[^`]`[^`]/.test(code)) expect(answer.split('\n').at(-1)).toBe('[1]');
  });

  it('of a language model is checked with the numbers in its brackets', async () => {
    const model = new ScriptedChatModel('The name is `sys.argv[2]` of the command [1].');
    const { support } = await answerQuestion(
      { question: 'Where is the name?' },
      testDependencies(fixedRetrieve([source('The name is `sys.argv[1]` of the command.')]), model),
    );
    expect(support.map(({ verdict }) => verdict)).toContain('contradicted');
  });

  it.each([
    'The kiln burns `x` at 900 degrees [2].',
    '```\nx = [1]\n```\n\nThe kiln burns at 900 degrees [2].',
    'The kiln burns \\`at 900\\` degrees [2].',
  ])('brings no mark of a passage into prose: %j', async (content) => {
    const { answer } = await answerQuestion(
      { question: 'How hot does the kiln burn?' },
      testDependencies(fixedRetrieve([source(content)])),
    );
    expect(answer).not.toContain('[2]');
  });
});
