import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { neutralise } from '../../src/context/neutralise.js';
import { passageUnits } from '../../src/core/analysis/passage-units.js';
import { withholdText } from '../../src/resources/withheld-fields.js';
import { IS_LONG } from '../long-forms.js';

const withhold = (text: string): unknown => withholdText(text, ['pay'], { isConverted: true });
const withholdDefined =
  (mediaType: string) =>
  (text: string): unknown =>
    withholdText(text, ['pay'], { isConverted: true, mediaType });
const withholdFile =
  (name: string) =>
  (text: string): unknown =>
    withholdText(text, ['pay'], { isConverted: true, calledBy: [name] });

const SCRIPT = fileURLToPath(new URL('count-growth.ts', import.meta.url));
const MEASURE = fileURLToPath(new URL('measure-processor.ts', import.meta.url));
const TIMEOUT_MS = IS_LONG ? 60 * 60_000 : 300_000;

it(
  'the steps of every reader of texts grow no faster than n log n',
  () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--no-flush-bytecode', '--import', 'tsx', SCRIPT, ...(IS_LONG ? ['all'] : [])],
      { encoding: 'utf8', timeout: TIMEOUT_MS },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    const steep = JSON.parse(stdout) as Record<string, string[]>;
    expect(Object.keys(steep)).toHaveLength(15);
    expect(Object.values(steep).flat()).toEqual([]);
  },
  TIMEOUT_MS,
);

it(
  'the processor time of every parser, grammar and chunker grows as its document, and none takes a second once',
  () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', MEASURE], {
      encoding: 'utf8',
      timeout: TIMEOUT_MS,
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ tooMuch: [], unmeasured: [], strategies: 6 });
  },
  TIMEOUT_MS,
);

const SHAPES = fileURLToPath(new URL('measure-shapes.ts', import.meta.url));

it(
  'the processor time of every reader of texts grows as its text, whatever shape that has',
  () => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', SHAPES, ...(IS_LONG ? ['all'] : [])],
      { encoding: 'utf8', timeout: TIMEOUT_MS },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({ tooMuch: [], readers: 79 });
  },
  TIMEOUT_MS,
);

// Steps inside a regular expression cannot be counted. In proportion these take a moment; with the square, minutes.
it.each([
  ['dashes below a table', '-', (text: string) => passageUnits(`| a |\n|${text}x`)],
  ['bars below a table', '|-', (text: string) => passageUnits(`| a |\n|${text}x`)],
  ['blanks below a table', ' ', (text: string) => passageUnits(`| a |\n|-${text}x`)],
  // More pieces of code than a call takes arguments.
  ['code', '`a', neutralise],
  ['links', '[a](b)', neutralise],
  ['blanks in an item', ' ', (text: string) => withhold(`- ${text}x`)],
  ['blanks behind a name', ' ', (text: string) => withhold(`- a${text}`)],
  ['blanks in a heading', ' ', (text: string) => withhold(`# ${text}x`)],
  ['asterisks in a name', '*', (text: string) => withhold(`- a${text}a:`)],
  ['columns', '|', (text: string) => withhold(`| pay ${text}\n|-${text}\n| a ${text}x`)],
  ['rules of tables', ' ', (text: string) => withhold(`| pay |\n|-${text}|${text}x`)],
  ['cells beyond the columns', '|x', (text: string) => withhold(`|a|pay|\n|-|-|\n${text}|`)],
  ['names of columns', '|pay', (text: string) => withhold(`${text}\n${text.replaceAll('pay', '-')}\n`)],
  ['names above columns of blanks', 'pay  ', (text: string) => withhold(`${text}\n${'x  y\n'.repeat(200)}`)],
  ['blocks that are never closed', 'pay {\n', (text: string) => withhold(text)],
  ['terms', '- pay\n\n', (text: string) => withhold(text)],
  ['records inside', '{"pay":', (text: string) => withhold(`${text}1${'}'.repeat(text.length / 7)}`)],
  ['lists of names', '["pay","b"],', (text: string) => withhold(`[${text.slice(0, 240_000)}1]`)],
  [
    'metadata inside of metadata',
    '{"knowledgeMetadata":',
    (text: string) => withhold(`${text.slice(0, 440_000)}1${'}'.repeat(20_000)}`),
  ],
  ['front matter', '--- ', (text: string) => withhold(`${text}a`)],
  ['comments of a page', '<!-- a -->', (text: string) => withhold(`${text}<!--`)],
  ['marks of items', '- ', (text: string) => withhold(`---\na: [\n${text}x\n---\n`)],
  ['marks of items and keys', '- ? ', (text: string) => withhold(`---\na: [\n${text}x\n---\n`)],
  ...['pay.', 'pay ', 'pay[', '[pay]\n', '\\', '\\\n', ' a\n', '"', '[', "'''", '# pay\n', 'a.'].flatMap(
    (piece) =>
      ['a.toml', 'a.ini', 'a.yaml'].map((name): [string, string, (text: string) => unknown] => [
        `${JSON.stringify(piece)} in ${name}`,
        piece,
        withholdFile(name),
      ]),
  ),
  ...[':a: \\\n', ':pay:\n', ':pay: {a} {', ':a:', ':pay:\n\n', '.. |a| replace:: |', '|', ' ', '\n'].flatMap(
    (piece) =>
      ['text/asciidoc', 'text/x-rst'].map((mediaType): [string, string, (text: string) => unknown] => [
        `${JSON.stringify(piece)} in ${mediaType}`,
        piece,
        withholdDefined(mediaType),
      ]),
  ),
  ['items in braces', '{a: [b]}, ', (text: string) => withhold(`---\nx: [${text}{pay: a}]\n---\n`)],
])(
  'one long line of %s is read at once',
  (_, piece, use) => {
    use(piece.repeat(200_000));
  },
  60_000,
);
