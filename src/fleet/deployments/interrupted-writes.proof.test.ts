import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../tests/e2e/temporary-folder.js';
import { IS_LONG } from '../../../tests/long-forms.js';
import type { EngineView } from '../../operations/engine.js';
import type { PushedDocument } from '../../sources/push/push-source.js';
import type { KnowledgeDeploymentService } from './knowledge-deployment-service.js';
import { customerOwned, TestServers, testDeployments } from './test-deployments.js';

/** Every n-th call of the server fails. */
const STEP = IS_LONG ? 1 : 4;
const READER = { tenant: 'acme', groups: ['hr'], clearance: 3 };
const CHUNKING = { chunking: { strategy: 'recursive', maxSize: 12, overlap: 0 } } as const;

const paragraphs = (...words: string[]): string =>
  words.map((word) => `The ${word} lamp hangs over the door of the house.`).join('\n\n');

/** What a reader of everything has, document by document: text, rights, and what of it is found. */
async function shown(view: EngineView) {
  const { documents } = await view.list();
  const { results } = await view.search({ text: 'lamp door', topK: 50, options: { minSimilarity: 0 } });
  const all: Record<string, unknown> = {};
  for (const { externalId, metadata, access, title } of documents) {
    const text = (await view.get(externalId))?.text;
    const found = results
      .filter((result) => result.metadata.source === externalId)
      .sort((a, b) => (a.metadata.lines?.start ?? 0) - (b.metadata.lines?.start ?? 0))
      .map(({ content, metadata: { lines } }) => [content.trim(), lines]);
    all[externalId] = { text, metadata, access, title, found };
  }
  return all;
}

const viewOf = async (deployments: KnowledgeDeploymentService): Promise<EngineView> =>
  (await deployments.of(READER)).view;

const FIRST: PushedDocument[] = [
  { id: 'a', title: 'A', text: paragraphs('blue', 'red', 'green'), metadata: { floor: 1 } },
  { id: 'b', title: 'B', text: paragraphs('old', 'new'), access: { groups: ['hr'], level: 2 } },
];

const WRITES: readonly [string, (view: EngineView) => Promise<unknown>][] = [
  ['a new document', (view) => view.push([{ id: 'c', text: paragraphs('one', 'two', 'three') }])],
  [
    'a revision that keeps some of the text, adds some and drops some',
    (view) =>
      view.push([
        {
          id: 'a',
          title: 'A',
          text: paragraphs('first', 'blue', 'yellow', 'green'),
          metadata: { floor: 2 },
          access: { groups: ['hr'], level: 1 },
        },
      ]),
  ],
  [
    'other rights to the same text',
    (view) => view.push([{ id: 'b', title: 'B', text: paragraphs('old', 'new'), access: { level: 0 } }]),
  ],
  ['a deletion', (view) => view.delete(['a'])],
  ['a revision without text', (view) => view.push([{ id: 'a', title: 'Empty', text: '' }])],
];

describe.each(WRITES)('%s that breaks off at whichever call of the server', (_, write) => {
  test('is finished or taken back by the next move', async () => {
    const outcomes = new Set<string>();
    for (let call = 0; ; call += STEP) {
      expect(call).toBeLessThan(80);
      const folder = temporaryFolder();
      const servers = new TestServers();
      const broken = await testDeployments(folder, servers, CHUNKING);
      await broken.saveDeploymentConfig(customerOwned('acme'));
      const view = await viewOf(broken);
      await view.push(FIRST);
      const before = await shown(view);
      servers.failAfter(call);
      const failure = await write(view).then(
        () => undefined,
        (error: unknown) => error,
      );
      servers.failAfter(undefined);
      await broken.close();
      const next = await testDeployments(folder, servers, CHUNKING);
      expect(await next.moveTenant({ tenantId: 'acme', model: 'Dedicated' })).toMatchObject({
        model: 'Dedicated',
      });
      const moved = await viewOf(next);
      const now = await shown(moved);
      expect(await servers.chunks()).toBe(0);
      expect(await moved.verify()).toMatchObject({ ok: true });
      await write(moved);
      const after = await shown(moved);
      await next.close();
      const isBefore = JSON.stringify(now) === JSON.stringify(before);
      if (!isBefore) expect(now).toEqual(after);
      outcomes.add(isBefore ? 'before' : 'after');
      if (failure === undefined) break;
    }
    expect([...outcomes].sort()).toEqual(['after', 'before']);
  });
});
