import { expect, test } from 'vitest';
import { loadConfig } from './load-config.js';

const load = (source: object, sync: object = {}) =>
  loadConfig({ config: { sync, sources: [{ name: 'a', type: 'files', ...source }] } as never, env: {} });

test.each(['indexSchedule', 'updateSchedule'])(
  '%s: a cron expression, or it is refused with an example',
  async (key) => {
    await expect(load({ [key]: '*/5 * * * *' })).resolves.toBeDefined();
    await expect(load({ [key]: '0 25 * * *' })).rejects.toMatchObject({
      reason: 'CONFIG_INVALID',
      message: expect.stringMatching(
        new RegExp(`rag.sources\\[0\\].${key} must be a cron .*"0 2 \\* \\* \\*".*"25" is no hour`, 's'),
      ) as string,
    });
  },
);

test('a time zone is one that the machine knows', async () => {
  await expect(load({}, { timezone: 'Europe/Berlin' })).resolves.toBeDefined();
  await expect(load({}, { timezone: 'Berlin' })).rejects.toMatchObject({
    message: expect.stringContaining('"Europe/Berlin" or "UTC"') as string,
  });
});

test('watch of what is not on this machine has no effect, and that is said', async () => {
  const settings = async (source: object) => (await load(source)).notActive.map(({ setting }) => setting);
  expect(await settings({ watch: true })).toEqual([]);
  expect(await settings({ type: 'git', repository: '.', watch: true })).toEqual([]);
  expect(await settings({ type: 'git', repository: 'https://git.example.com/a.git', watch: true })).toEqual([
    'rag.sources[0].watch',
  ]);
  expect(
    await settings({
      type: 'azure_devops',
      organization: 'o',
      project: 'p',
      auth: { pat: 'x' },
      watch: true,
    }),
  ).toEqual(['rag.sources[0].watch']);
});
