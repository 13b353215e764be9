import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROUTES } from '../../faces/client/routes.js';
import { TOOLS } from '../../faces/mcp/tools/all-tools.js';
import { PlantedDocuments } from './planted-documents.js';
import type { ProbeRequest } from './probe-exchange.js';
import { ProbeRandom } from './probe-random.js';
import { READS } from './probe-requests.js';

const CALLER = { authorization: 'Bearer 0', tenant: 'acme' };
/** Enough that each tool and each part of a document is drawn. */
const DRAWS = 200;

function drawn(): readonly ProbeRequest[] {
  const random = new ProbeRandom(1);
  const documents = new PlantedDocuments();
  documents.add(documents.draw(CALLER, 0, random));
  return Array.from({ length: DRAWS }, () =>
    READS.map((draw) => draw({ caller: CALLER, random, documents })),
  ).flat();
}

/** Routes that are read and not drawn, and why nothing of another tenant can be in what they answer. */
const NOT_DRAWN: Readonly<Record<string, string>> = {
  embed: 'a vector of the text that is sent',
  explainMiss: 'for maintainers of the index: it tells of documents that the caller may not read',
};

const readsOfTenants = (
  name: string,
  { method, isWrite }: { readonly method: string; readonly isWrite?: boolean },
) => isWrite !== true && (method === 'POST' || method === 'GET') && !OF_OPERATORS.has(name);
/** Of the whole service: its state, its keys, its deployments, its log. */
const OF_OPERATORS: ReadonlySet<string> = new Set([
  ...['status', 'sources', 'runs', 'runEvents', 'failures', 'queries', 'keys', 'health', 'partsHealth'],
  ...[
    'deploymentHealth',
    'listDeployments',
    'getDeployment',
    'validateDeployment',
    'listFeedback',
    'feedbackJudgments',
  ],
]);

test('every route that tells of documents is asked', () => {
  const paths = drawn().map(({ method, path }) => `${method} ${path.split('?')[0]}`);
  const isAsked = ({ method, path }: { readonly method: string; readonly path: string }): boolean => {
    const pattern = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
    return paths.some((asked) => pattern.test(asked));
  };
  const unasked = Object.entries(ROUTES).filter(
    ([name, route]) => readsOfTenants(name, route) && !isAsked(route),
  );
  expect(unasked.map(([name]) => name).sort()).toEqual(Object.keys(NOT_DRAWN));
});

test('every tool is called', () => {
  const called = new Set(
    drawn().flatMap(({ path, body }) =>
      path === '/mcp' ? [(body as { readonly params: { readonly name: string } }).params.name] : [],
    ),
  );
  expect(TOOLS.map(({ name }) => name).filter((name) => !called.has(name))).toEqual([]);
});

test('every file of a tool is listed', () => {
  const folder = new URL('../../faces/mcp/tools/', import.meta.url);
  const files = readdirSync(folder).filter(
    (file) => !/^(all-tools|inputs|tool|find-document)\.ts$|\.test\.ts$/.test(file),
  );
  expect(files.length).toBe(TOOLS.length);
});
