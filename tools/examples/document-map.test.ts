import { expect, test } from 'vitest';
import { documentMap, headingsOf, mapFaults } from './document-map.js';

const README = `# X

| heading of the document | shown by |
| --- | --- |
| Overview | test: \`it answers\`, \`it cites\` |
| Files Changed / Added | reason: files of another language |
| 1. Schema (\`t\`) | test: \`the table\` |

More.
`;

test('a map names tests or a reason for each heading', () => {
  expect(documentMap(README)).toEqual([
    { heading: 'Overview', tests: ['it answers', 'it cites'], reason: undefined },
    { heading: 'Files Changed / Added', tests: [], reason: 'files of another language' },
    { heading: '1. Schema (t)', tests: ['the table'], reason: undefined },
  ]);
  expect(() => documentMap('# X')).toThrow('no table');
  expect(() => documentMap(README.replace('reason: files', 'files'))).toThrow('Files Changed');
});

test('headings of a document are those below its title, code and signs aside', () => {
  const document = '# Title\n\n## One\n\n```sh\n## no heading\n```\n\n#### Two (`x`)\n\n## Three (MVP) ✅\n';
  expect(headingsOf(document)).toEqual(['One', 'Two (x)', 'Three (MVP)']);
});

test('a map must have every heading once, in order, and name tests that there are', () => {
  const map = documentMap(README);
  const headings = map.map(({ heading }) => heading);
  const titles = ['it answers', 'it cites', 'the table'];
  const faults = (changes: { headings?: string[]; titles?: string[] }) =>
    mapFaults(map, { headings, titles, ...changes });
  expect(faults({})).toEqual([]);
  expect(faults({ headings: [...headings, 'Three'] })).toEqual(['no row for the heading "Three"']);
  expect(faults({ headings: headings.slice(1) })).toEqual(['the document has no heading "Overview"']);
  expect(faults({ headings: headings.toReversed() })).toEqual([
    'the rows are not in the order of the headings',
  ]);
  expect(faults({ titles: ['it answers', 'the table'] })).toEqual(['there is no test "it cites"']);
});
