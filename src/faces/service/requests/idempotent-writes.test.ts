import { expect, test, vi } from 'vitest';
import { RagDeploymentModel } from '../../../index.js';
import { MemoryValues } from '../retained/retained-values.js';
import { IdempotentWrites } from './idempotent-writes.js';

const SHARED = { deploymentId: 'shared', deploymentModel: RagDeploymentModel.Shared };

/** A write whose outcome has so many characters; counts how often it was done. */
function writesOf(kept: IdempotentWrites, tenant: string) {
  let done = 0;
  const write = (key: string, length: number): Promise<string> =>
    kept.run({
      tenant,
      deployment: SHARED,
      key,
      content: key,
      work: async () => {
        done++;
        return 'x'.repeat(length);
      },
    });
  return { write, done: () => done };
}

test('what is kept for a tenant is bounded by what it holds, and takes no room of another tenant', async () => {
  const kept = new IdempotentWrites();
  const globex = writesOf(kept, 'globex');
  const acme = writesOf(kept, 'acme');
  await globex.write('first', 10);
  await acme.write('first', 10);
  for (let i = 0; i < 30; i++) await acme.write(`large-${i}`, 200_000);
  expect(acme.done()).toBe(31);
  await acme.write('large-29', 200_000);
  expect(acme.done(), 'the last one is kept').toBe(31);
  await acme.write('first', 10);
  expect(acme.done(), 'the first one gave way').toBe(32);
  await globex.write('first', 10);
  expect(globex.done(), 'that of the other tenant is kept').toBe(1);
});

test('outcomes of a tenant whose documents a customer keeps are known to this process, and written nowhere', async () => {
  const written = new MemoryValues();
  const set = vi.spyOn(written, 'set');
  const claim = vi.spyOn(written, 'claim');
  const kept = new IdempotentWrites(written);
  const deployment = { deploymentId: 'of-acme', deploymentModel: RagDeploymentModel.CustomerOwned };
  let done = 0;
  const write = () =>
    kept.run({
      tenant: 'acme',
      deployment,
      key: 'k',
      content: 1,
      work: async () => ({ id: `zirconflorin ${++done}` }),
    });
  expect([await write(), await write()]).toEqual(Array(2).fill({ id: 'zirconflorin 1' }));
  expect([set, claim].map(({ mock }) => mock.calls)).toEqual([[], []]);
});
