import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEngine, type Engine } from '../index.js';

const ISSUES = Array.from({ length: 120 }, (_, i) => ({
  id: `issue-${i}.md`,
  text: `# Crash ${i}\n\nMESOS-${4000 + i}: the agent of Mesos crashes on port 5050 when it restarts.`,
}));

let engine: Engine;
beforeAll(async () => {
  engine = await createEngine({ config: { provider: 'memory' } });
  await engine.index({
    documents: [
      ...ISSUES,
      { id: 'apart.md', text: 'The fix of mesos 7777 came late. The release was 2.7.1.' },
      { id: 'keps/sig-node/4939-swap/README.md', text: '# Swap\n\nNodes may swap.' },
      { id: 'note', text: 'A note on disks.', metadata: { bug_id: 'BUG-012' } },
      { id: 'secret', text: 'MESOS-8888 is hidden.', access: { groups: ['admins'] } },
    ],
  });
});
afterAll(() => engine.close());

const missingIn = async (name: string): Promise<readonly string[]> => {
  const { abstention } = await engine
    .as({ tenant: 'default', groups: ['staff'], clearance: 0 })
    .ask({ question: `What does ${name} fix?`, answerer: 'extractive' });
  return abstention?.missing ?? [];
};

test.each([
  'MESOS-99999',
  'MESOS-5050',
  'KEP-4940',
  'E4939',
  'BUG-999',
  'v9.9.9',
  'MESOS_NEW_FLAG',
  'deploy-plan.yaml',
])('%s is nowhere', async (name) => {
  expect(await missingIn(name)).toEqual([name]);
});

test.each(['MESOS-4042', 'mesos-4119', 'MESOS-7777', 'KEP-4939', 'BUG-012', 'BUG-12', 'v2.7', 'issue-7.md'])(
  '%s is there: in a text, spelled apart, in a path or in metadata',
  async (name) => {
    expect(await missingIn(name)).toEqual([]);
  },
);

test('what the asker may not read is not known', async () => {
  expect(await missingIn('MESOS-8888')).toEqual(['MESOS-8888']);
});
