import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEngine, type Engine } from '../index.js';

describe('an item that is asked for by its key', () => {
  let folder: string;
  let engine: Engine;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ragstone-asked-'));
    engine = await createEngine({ config: { provider: 'memory' }, dataDir: folder, cwd: folder });
    const chores = Array.from({ length: 20 }, (_, i) => ({
      id: `SHOP-${600 + i}`,
      title: `Chore ${i}`,
      text: `Chore ${i} of the warehouse.`,
    }));
    await engine.index({
      documents: [
        ...chores,
        { id: 'SHOP-481', title: 'Declined', text: 'Customers see an error when their card is declined.' },
        {
          id: 'SHOP-512',
          title: 'Retry queue',
          text: 'The retry queue of SHOP-481 must be emptied by night. SHOP-481 was about cards. SHOP-7 too.',
        },
        { id: 'items/7', text: 'Parcels wait at the gate.', metadata: { bug_id: 'SHOP-7' } },
        { id: 'items/8', text: 'Boxes are stacked.', metadata: { workItemId: 8 } },
        { id: 'colours', text: 'Red, green and blue.' },
      ],
    });
  });
  afterAll(async () => {
    await engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const firstFor = async (text: string): Promise<string | undefined> =>
    (await engine.search({ text })).results[0]?.metadata.source;

  test.each([
    ['SHOP-481', 'SHOP-481'],
    ['shop-605', 'SHOP-605'],
    ['what was wrong in SHOP-481 with the payment of customers', 'SHOP-481'],
    ['SHOP-7', 'items/7'],
    ['which parcels and boxes does SHOP-7 leave at the warehouse', 'items/7'],
    ['#8', 'items/8'],
    ['colours', 'colours'],
  ])('%s is found first, though it does not say its name', async (query, source) => {
    expect(await firstFor(query)).toBe(source);
  });

  test.each([
    ['What is SHOP-481 about?', 'card is declined'],
    ['What is the status of SHOP-7?', 'Parcels wait'],
  ])('%s is answered by the item itself', async (question, answer) => {
    expect((await engine.ask({ question, answerer: 'extractive' })).answer).toContain(answer);
  });

  test('what another item says of it is quoted where that is asked for', async () => {
    const { answer } = await engine.ask({
      question: 'When must the retry queue of SHOP-481 be emptied?',
      answerer: 'extractive',
      abstainBelow: 0,
    });
    expect(answer).toContain('by night');
  });
});
