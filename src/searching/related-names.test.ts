import { afterEach, beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../tests/e2e/temporary-folder.js';
import type { Engine } from '../index.js';
import { createEngine } from '../index.js';

let engine: Engine;
const FILES = {
  'pages/text/setup.md': '# Setup\n\nThen see [retries](https://docs.example.com/guide/retries/#how).',
  'pages/guide/retries.md': '# Retries\n\n## How\n\nSee https://docs.example.com/guide .',
  'pages/guide/index.md': '# The guide\n\nIt guides.',
  'pages/other/own.md':
    '---\nurl: https://blog.example.com/own\n---\n# Own\n\nSee <https://docs.example.com>.',
  'pages/README.md': '# Home\n\nRead https://blog.example.com/own too.',
};
beforeEach(async () => {
  engine = await createEngine({
    config: {
      provider: 'memory',
      sources: [
        {
          name: 'site',
          type: 'markdown',
          root: 'pages',
          paths: ['**/*.md'],
          siteUrl: 'https://docs.example.com/',
        },
      ],
    },
    cwd: temporaryFolder(FILES),
  });
  await engine.index();
});
afterEach(() => engine.close());

const linked = async (item: string) => {
  const { related } = await engine.related({ item, hops: 1, kinds: ['link'] });
  return related.map(({ externalId, path }) => `${path[0]?.direction} ${externalId}`).sort();
};

it('addresses of their own site lead from page to page', async () => {
  expect(await linked('text/setup.md')).toEqual(['out guide/retries.md']);
  expect(await linked('guide/retries.md')).toEqual(['in text/setup.md', 'out guide/index.md']);
  expect(await linked('other/own.md')).toEqual(['out README.md']);
  expect(await linked('README.md')).toEqual(['out other/own.md']);
  expect(await linked('https://docs.example.com/guide/retries')).toContain('in text/setup.md');
});

it('an item is called by the end of its path, and near names are told', async () => {
  expect((await engine.related('setup.md')).item.externalId).toBe('text/setup.md');
  expect((await engine.related('Text/Setup')).item.externalId).toBe('text/setup.md');
  await expect(engine.related('retrys.md')).rejects.toMatchObject({
    reason: 'DOCUMENT_NOT_FOUND',
    message: expect.stringContaining('Nearly so: guide/retries.md.'),
  });
  await expect(engine.related('nothing-like-it')).rejects.toMatchObject({
    message: expect.not.stringContaining('Nearly'),
  });
});

it('several ends of paths are told apart, and what may not be read is no near name', async () => {
  const HR = { tenant: 'default', groups: ['hr'], clearance: 0 };
  await engine.as(HR).push([
    { id: 'a/pay/plan.md', text: 'One plan.', access: { groups: ['hr'] } },
    { id: 'b/plan.md', text: 'Another plan.' },
  ]);
  expect((await engine.related('plan.md')).item.externalId).toBe('b/plan.md');
  await expect(engine.as(HR).related('plan.md')).rejects.toMatchObject({
    reason: 'USAGE',
    message: expect.stringContaining('2 documents'),
  });
  await expect(engine.related('pay/plann.md')).rejects.toMatchObject({
    message: expect.not.stringContaining('a/pay'),
  });
});
