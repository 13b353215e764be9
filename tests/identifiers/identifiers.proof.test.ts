import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { extractIdentifiers } from '../../src/core/analysis/identifiers.js';
import { createEngine, type Engine, type SearchResult } from '../../src/index.js';
import { IS_LONG } from '../long-forms.js';
import { type IdentifierQuery, identifierQueries, readIssues, readProposals } from './identifier-queries.js';

const DATA = fileURLToPath(new URL('../../../shared/data/', import.meta.url));
/** In all; a quarter of it unless `RAGSTONE_SLOW` asks for more. */
const QUERIES = IS_LONG ? 200 : 50;
const PROJECTS = ['mesos', 'springxd', 'usergrid', 'mule'];
const ISSUES_OF_EACH = 250;
const PROPOSALS = 100;

const hasData = existsSync(DATA);
if (!hasData) console.log(`identifiers: skipped, the data sets in ${DATA} are not there`);

const holds = ({ content, metadata }: SearchResult, identifier: string): boolean =>
  extractIdentifiers(`${metadata.title ?? ''}\n${metadata.headingPath.join('\n')}\n${content}`).includes(
    identifier,
  );

/** What is wrong with the first result; undefined where it is right. */
function faultOf(query: IdentifierQuery, first: SearchResult | undefined): string | undefined {
  if (first === undefined) return `${query.text}: nothing was found`;
  if (query.documentId !== undefined && first.metadata.source !== query.documentId)
    return `${query.text}: ${first.metadata.source} came first`;
  return holds(first, query.identifier)
    ? undefined
    : `${query.text}: ${first.metadata.source} came first and lacks it`;
}

let engine: Engine;
let queries: readonly IdentifierQuery[];
let cwd: string;

beforeAll(async () => {
  if (!hasData) return;
  const projects = PROJECTS.map((name) => join(DATA, `fixtures/jira-issues/${name}.csv`));
  const issues = (await Promise.all(projects.map((file) => readIssues(file, ISSUES_OF_EACH)))).flat();
  const proposals = await readProposals(join(DATA, 'corpora/kubernetes-keps'), PROPOSALS);
  queries = identifierQueries(issues, proposals, { count: QUERIES, seed: 1 });
  cwd = await mkdtemp(join(tmpdir(), 'ragstone-identifiers-'));
  engine = await createEngine({ config: { provider: 'memory' }, cwd });
  await engine.index({ documents: [...issues, ...proposals] });
});
afterAll(async () => {
  if (!hasData) return;
  await engine.close();
  await rm(cwd, { recursive: true });
});

describe.skipIf(!hasData)('exact identifiers come first', () => {
  test.each([
    ['hybrid', { mode: 'hybrid', rerank: false }],
    ['hybrid, reranked', { mode: 'hybrid', rerank: true }],
    ['lexical', { mode: 'lexical', rerank: false }],
  ] as const)(`hit@1 is 100 %% of ${QUERIES} queries over issues and proposals, %s`, async (_, options) => {
    expect(queries).toHaveLength(QUERIES);
    const faults: string[] = [];
    for (const query of queries) {
      const { results } = await engine.search({ text: query.text, options: { topK: 1, ...options } });
      const fault = faultOf(query, results[0]);
      if (fault !== undefined) faults.push(fault);
    }
    expect(faults).toEqual([]);
  });
});
