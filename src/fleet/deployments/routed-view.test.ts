import { expect, test } from 'vitest';
import type { Engine, EngineView } from '../../operations/engine.js';
import type { MeantIndex, OpenIndex } from './deployment-indexes.js';
import { routedView } from './routed-view.js';

const SCOPE = { tenant: 'acme', groups: [], clearance: 0 };
const INDEXES: readonly MeantIndex[] = [
  { deployment: { tenantId: 'acme', model: 'Shared', isActive: true }, revision: 0 },
  { deployment: { tenantId: 'acme', model: 'Dedicated', isActive: true, indexName: 'n' }, revision: 1 },
];

/** A tenant that is moved while it is read for the first time; each index is told by its model. */
function movedWhileRead(answer: (model: string) => Partial<EngineView>): EngineView {
  let moves = 0;
  const indexOf = (meant: MeantIndex): OpenIndex => {
    const engine = { as: () => answer(meant.deployment.model) } as unknown as Engine;
    moves = 1;
    return { engine, resources: undefined as never };
  };
  return routedView(SCOPE, {
    serving: () => INDEXES[moves] as MeantIndex,
    assertSettled: () => undefined,
    use: async (meant, work) => work(indexOf(meant)),
    stream: (meant, work) => work(indexOf(meant)),
    enterToWrite: async () => () => undefined,
  });
}

test('what a move overtook is read again where the documents are now', async () => {
  const view = movedWhileRead((model) => ({ get: async () => ({ id: model }) as never }));
  expect(await view.get('x')).toEqual({ id: 'Dedicated' });
});

test('so is what failed because the old index was being removed', async () => {
  const view = movedWhileRead((model) => ({
    list: async () => {
      if (model === 'Shared') throw new Error('half removed');
      return { documents: [] };
    },
  }));
  expect(await view.list()).toEqual({ documents: [] });
});

test('a stream begins again before anything of it was told', async () => {
  const view = movedWhileRead((model) => ({
    async *askStream() {
      yield { type: 'text', text: model };
    },
  }));
  const events: unknown[] = [];
  for await (const event of view.askStream('x')) events.push(event);
  expect(events).toEqual([{ type: 'text', text: 'Dedicated' }]);
});
