import type { Element, Nodes, Root } from 'hast';
import rehypeParse from 'rehype-parse';
import { unified } from 'unified';
import { VFile } from 'vfile';
import { expect, test } from 'vitest';
import { compareScores } from '../../evaluation/compare-scores.js';
import type { ComparedQuery, ComparisonReport } from '../compare.js';
import { comparisonPage } from './comparison-page.js';

const MADE = new Date('2026-05-01T10:00:00Z');
const HOSTILE = `<script>alert(1)</script>"><img src=x onerror=alert(2)>' onload='x' &lt;b&gt; </title></style>\u0000\u202E`;

function parsed(page: string): { readonly tree: Root; readonly problems: readonly string[] } {
  const file = new VFile(page);
  const tree = unified().use(rehypeParse, { emitParseErrors: true }).parse(file);
  return { tree, problems: file.messages.map((message) => `${message.line}: ${message.ruleId}`) };
}

function* elements(node: Nodes): Generator<Element> {
  if (node.type === 'element') yield node;
  if ('children' in node) for (const child of node.children) yield* elements(child);
}

function textOf(node: Nodes): string {
  if (node.type === 'text') return node.value;
  return 'children' in node ? node.children.map(textOf).join('') : '';
}

function reportOf(count: number, hostile = ''): ComparisonReport {
  const queries = Array.from({ length: count }, (_, at) => ({
    id: `q${at}${hostile}`,
    text: `${hostile}question ${at}`,
  }));
  const values = (shift: number) => ({
    'ndcg@10': queries.map((_, at) => ((at * 7 + shift) % 10) / 10),
  });
  const side = (name: string) =>
    ({
      ...{
        name: `${name}${hostile}`,
        dataset: `set${hostile}`,
        split: 'test',
        queries: count,
        documents: 3,
        chunks: 4,
      },
      ...{ latencyMs: { p50: 1, p95: 2 }, metrics: {}, notices: [`A notice.${hostile}`] },
      config: { embedder: `builtin${hostile}`, rerank: 'builtin' },
    }) as unknown as ComparisonReport['a'];
  const found = (name: string, at: number): ComparedQuery['a'] => ({
    tookMs: at + 1,
    results: [
      {
        documentId: `${name}${at}${hostile}`,
        title: `Title${hostile}`,
        excerpt: `Text${hostile}`,
        isRelevant: true,
      },
      { documentId: `${name}x${hostile}`, excerpt: '', isRelevant: false },
    ],
  });
  return {
    a: side('a'),
    b: side('b'),
    ...compareScores({ queries, values: values(0) }, { queries, values: values(5) }),
    differingSettings: [{ key: `rag.x${hostile}`, a: `"1${hostile}"`, b: '"2"' }],
    asked: queries.map(({ id }, at) => ({ id, a: found('a', at), b: found('b', at) })),
  };
}

test.each([1, 40, 450])('a page of %i questions is whole, and needs nothing but itself', (count) => {
  const page = comparisonPage(reportOf(count), { made: MADE });
  const { tree, problems } = parsed(page);
  expect(problems).toEqual([]);
  const all = [...elements(tree)];
  const names = new Set(all.map(({ tagName }) => tagName));
  for (const outside of ['script', 'link', 'img', 'iframe', 'object', 'embed', 'base', 'form', 'a'])
    expect(names).not.toContain(outside);
  expect(page).not.toMatch(/url\(|@import|https?:/);
  expect(all.filter(({ tagName }) => tagName === 'svg')).toHaveLength(3);
  // Pictures say in words what they show; tables name their rows and columns.
  for (const { tagName, properties } of all)
    if (tagName === 'svg') expect(String(properties.ariaLabel)).toMatch(/\w/);
  for (const { tagName, properties } of all)
    if (tagName === 'th') expect(properties.scope).toMatch(/row|col/);
  expect(page).toContain('2026-05-01 10:00 UTC');
});

test('questions, names, titles and texts stand in it as text alone', () => {
  const plain = parsed(comparisonPage(reportOf(30), { made: MADE }));
  const page = comparisonPage(reportOf(30, HOSTILE), { made: MADE });
  const { tree, problems } = parsed(page);
  expect(problems).toEqual([]);
  const shape = (root: Root) =>
    [...elements(root)].map(({ tagName, properties }) => [tagName, Object.keys(properties)]);
  // Not one element or attribute more than where nobody is hostile.
  expect(shape(tree)).toEqual(shape(plain.tree));
  expect(textOf(tree)).toContain(
    `${HOSTILE.replace('\u0000', '\uFFFD').replace('\u202E', '\uFFFD')}question`,
  );
});

test('says whether the difference is more than chance, and where it comes from', () => {
  const { tree } = parsed(comparisonPage(reportOf(40), { made: MADE }));
  const text = textOf(tree);
  expect(text).toContain('Chance explains the difference');
  expect(text).toMatch(/B won \d+ questions, lost \d+, \d+ alike/);
  const queries = Array.from({ length: 40 }, (_, at) => ({ id: `${at}`, text: `${at}` }));
  const all = (value: number) => ({ queries, values: { 'ndcg@10': queries.map(() => value) } });
  const better = { ...reportOf(40), ...compareScores(all(0.2), all(0.9)) };
  const words = textOf(parsed(comparisonPage(better, { made: MADE })).tree);
  expect(words).toContain('Held against A (a), B (b) is better by more than chance explains.');
  expect(words).toContain('By ndcg@10 B lost no question.');
});

test('calls equals equal, and says where other measures differ', () => {
  const queries = Array.from({ length: 5 }, (_, at) => ({ id: `${at}`, text: `${at}` }));
  const scores = (recall: number) => ({
    queries,
    values: {
      'ndcg@10': queries.map(() => 0.5),
      'recall@5': queries.map((_, at) => (at === 0 ? recall : 1)),
    },
  });
  const pageOf = (a: number, b: number) =>
    textOf(
      parsed(comparisonPage({ ...reportOf(5), ...compareScores(scores(a), scores(b)) }, { made: MADE })).tree,
    );
  const same = pageOf(0.5, 0.5);
  expect(same).toContain('A and B found the same');
  const other = pageOf(0.5, 0.2);
  expect(other).toContain('Other measures changed');
  expect(other).toContain('By ndcg@10 B lost no question. By other measures: recall@5 1.');
  for (const page of [same, other]) expect(page).not.toContain('Chance explains the difference');
});

test('results and times are shown where they were kept, and a page without them says what it has', () => {
  const { asked: _, ...without } = reportOf(10);
  const text = textOf(parsed(comparisonPage(without, { made: MADE })).tree);
  expect(text).not.toContain('A found');
  expect(text).toContain('95 % of searches took at most 2.0 ms');
});
