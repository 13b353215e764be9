import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createEngine } from '../engine/create-engine.js';
import type { Engine } from '../operations/engine.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

const OTHERS = ['The canteen opens at eleven.', 'Parking is behind the hall.'];

const LONG =
  'The backup runs every night and is copied to the second site, where it is kept for a year and restored once a month to prove it, and whoever is on duty reads the log of the run, writes down what was found, and calls the owner of the data where a file is missing or cannot be read by the tool that is used for it.';

const search = (text: string, pages: readonly string[], options = {}) =>
  withPages(
    pages,
    async (engine) => (await engine.search({ text, options: { topK: 10, ...options } })).results,
  );

const ask = (question: string, pages: readonly string[]) =>
  withPages(pages, (engine) => engine.ask({ question }));

async function withPages<Result>(
  pages: readonly string[],
  use: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), 'copies-'));
  folders.push(folder);
  const engine = await createEngine({ config: { provider: 'libsql' }, dataDir: folder });
  await engine.push(
    [...pages, ...OTHERS].map((text, i) => ({
      id: `p${i}`,
      text,
      ...(/^[-#]/.test(text) ? { mediaType: 'text/markdown' } : {}),
    })),
  );
  try {
    return await use(engine);
  } finally {
    await engine.close();
  }
}

const twelve = (page: (at: number) => string): string[] => Array.from({ length: 12 }, (_, i) => page(i));

describe('near copies', () => {
  it.each([
    [
      'release notes',
      'bug fixes',
      twelve((i) => `Release 1.${i}.0: bug fixes and performance improvements.`),
    ],
    [
      'dated releases',
      'bug fixes',
      twelve((i) => `Version 2.0.${i} of 2024-05-${10 + i}: bug fixes and smaller changes.`),
    ],
    [
      'releases of a product',
      'wobble',
      twelve((i) => `# Buzzard 5.${i}\n\nMinor wobble fixes and stability improvements.`),
    ],
    [
      'releases in front matter',
      'wobble',
      twelve(
        (i) =>
          `---\ntitle: Buzzard 5.${i}\ndate: 2024-05-${10 + i}\n---\n\n# Buzzard 5.${i}\n\nMinor wobble fixes and stability.`,
      ),
    ],
    [
      'releases of a changelog',
      'jitter',
      twelve((i) => `## [6.${i}.0] - 2024-06-${10 + i}\n\n### Fixed\n\n- Minor jitter fixes and stability.`),
    ],
    [
      'releases with the day in the text',
      'flicker',
      twelve((i) => `# v7.${i}.0\n\nReleased 2024-07-${10 + i}. Minor flicker fixes and stability.`),
    ],
    [
      'long notes that name their release again',
      'backup',
      twelve((i) => `# Harrier 3.${i}\n\n${LONG} Harrier 3.${i} is installed as ever.`),
    ],
    ['the same text', 'licence', twelve(() => 'This page is under the licence of the project.')],
    [
      'other punctuation and case',
      'licence',
      twelve((i) => `This page is under the ${i % 2 === 0 ? 'licence' : 'LICENCE,'} of the project`),
    ],
    [
      'releases under headings',
      'bug fixes',
      twelve((i) => `v1.${i}.0-rc.1 (2024-05-${10 + i})\nBug fixes and performance improvements here.`),
    ],
    ['builds', 'bug fixes', twelve((i) => `Build 4${i}: bug fixes and performance improvements here.`)],
    [
      'a long text',
      'backup',
      twelve(
        (i) =>
          `${'The backup runs every night and is copied to the second site, where it is kept for a year and restored once a month to prove it. '.repeat(2)}Copy ${i}.`,
      ),
    ],
    [
      'long texts that differ in common words',
      'backup',
      twelve((i) => `${LONG} ${i % 2 === 0 ? 'It is a big help' : 'It is a great help'} to us all.`),
    ],
    [
      'long texts with the day that they were changed',
      'backup',
      twelve((i) => `${LONG}\nLast updated: 2026-05-${10 + i}`),
    ],
    ['Chinese', '备份', twelve((i) => `第${i + 1}版：修复错误并改进备份的性能和稳定性，更新文档。`)],
  ])('are one result that says how many are like it: %s', async (_, text, pages) => {
    const results = await search(text, pages);
    const copies = results.filter(({ metadata }) => pages[Number(metadata.source.slice(1))] !== undefined);
    expect(copies).toHaveLength(1);
    expect(copies[0]?.more).toEqual({ passages: 0, copies: 0, alike: 11 });
  });

  it('are all results where they are kept', async () => {
    const pages = twelve((i) => `Release 1.${i}.0: bug fixes and performance improvements.`);
    const results = await search('bug fixes', pages, { nearDuplicates: 'keep' });
    expect(results.length).toBeGreaterThanOrEqual(10);
    expect(results[0]?.more).toBeUndefined();
  });

  it.each([
    [
      'two that differ in a number',
      'audit logs',
      ['Audit logs are kept on the server for 30 days.', 'Audit logs are kept on the server for 90 days.'],
    ],
    [
      'facts of several things',
      'port',
      [
        'Service alpha listens on port 8001.',
        'Service beta listens on port 8002.',
        'Service gamma listens on port 8003.',
        'Service delta listens on port 8004.',
      ],
    ],
    [
      'things with an address, a price and a date',
      'IP address of the data center',
      ['Berlin', 'Madrid', 'Oslo', 'Rome'].map(
        (city, i) =>
          `The data center in ${city} is reached at the IP address 10.${i}.0.1, costs ${i + 1}.50 EUR an hour and was opened on 202${i}-03-0${i + 1}.`,
      ),
    ],
    [
      'regions with a gateway',
      'gateway',
      ['eu-west', 'eu-east', 'us-west', 'us-east'].map(
        (region, i) =>
          `The gateway of the region ${region} is 192.168.${i}.254 and answers on the usual port.`,
      ),
    ],
    [
      'services with a version',
      'version of the driver',
      twelve(
        (i) =>
          `The service ${'abcdefghijkl'[i]}x needs at least the version 1.${i}.0 of the driver to start.`,
      ).slice(0, 6),
    ],
    [
      'prices of a thing over time',
      'price of the ticket',
      Array.from({ length: 6 }, (_, i) => `The price of the ticket was 2.${i}0 euros from 202${i}-01-01 on.`),
    ],
    [
      'addresses in front of a text',
      'gateway',
      Array.from({ length: 6 }, (_, i) => `10.0.0.${i}: gateway of the second floor, reached by cable.`),
    ],
    [
      'days in front of a text',
      'meeting',
      Array.from(
        { length: 6 },
        (_, i) => `2024-05-0${i + 1}: meeting of the board in the large room upstairs.`,
      ),
    ],
    [
      'a form with a name',
      'runbook',
      ['red', 'blue', 'green', 'grey'].map(
        (team) =>
          `Runbook of team ${team}: what breaks, whom to call, how to restart, how to roll back, where logs are.`,
      ),
    ],
    [
      'a form with a number',
      'minutes',
      Array.from(
        { length: 6 },
        (_, i) => `Minutes ${i + 1}: agenda, people who are there, decisions, next steps.`,
      ),
    ],
    [
      'releases of several things',
      'bug fixes',
      ['server', 'client', 'agent', 'driver'].map(
        (part, i) => `Release 1.${i}.0 of the ${part}: bug fixes and performance improvements.`,
      ),
    ],
    [
      'releases that say something else in numbers',
      'timeout',
      Array.from(
        { length: 6 },
        (_, i) => `Release 1.${i}.0: the timeout of a request is ${i + 1}.5 seconds.`,
      ),
    ],
    [
      'releases of a product that differ in an amount',
      'timeout',
      Array.from(
        { length: 6 },
        (_, i) => `# Buzzard 5.${i}\n\nThe timeout is now ${i + 2} seconds, not more.`,
      ),
    ],
    [
      'long notes of releases that differ in a name',
      'backup',
      ['Ann', 'Bob', 'Cid', 'Dan'].map(
        (name, i) => `# Harrier 3.${i}\n\n${LONG} Ask ${name} about the backup.`,
      ),
    ],
    [
      'products with a release each',
      'wobble',
      ['Buzzard', 'Harrier', 'Kestrel', 'Merlin'].map(
        (product) => `# ${product} 5.1\n\nMinor wobble fixes and stability improvements.`,
      ),
    ],
    [
      'rooms',
      'projector',
      Array.from({ length: 6 }, (_, i) => `# Room 4.${i}\n\nIt has a projector, a table and some chairs.`),
    ],
    [
      'a sentence that begins with a release',
      'server',
      Array.from(
        { length: 6 },
        (_, i) => `Release 1.${i}.0 was the one that the server in room 4.${i} ran on.`,
      ),
    ],
    [
      'prices in Chinese',
      '价格',
      Array.from(
        { length: 6 },
        (_, i) => `第二机房的服务器地址是10.0.${i}.1，价格为${i + 1}.5欧元，今年开放。`,
      ),
    ],
    [
      'long passages with an address, a price and a date',
      'IP address of the data center',
      ['Berlin', 'Madrid', 'Oslo', 'Rome'].map(
        (city, i) =>
          `The data center in ${city} is reached at the IP address 10.${i}.0.1. It stands behind a fence with two gates, of which one is open by day and the other one for deliveries, and there are two lines from two providers, a diesel generator for three days, a room for visitors and a desk for the guards. Whoever wants to go in asks the desk of the owner for a card the day before, brings a passport, and is led to the rack by a guard who stays until the work is done. A rack costs ${i + 1}.50 EUR an hour.`,
      ),
    ],
    ...(
      [
        ['a number', 'nightly', ['for 30 days', 'for 90 days']],
        ['an amount', 'nightly', ['under 5 MB', 'under 5 GB']],
        ['a currency', 'nightly', ['for €50', 'for $50']],
        ['a number in words', 'nightly', ['for three days', 'for nine days']],
        ['a version', 'nightly', ['with v1.2.0', 'with v1.3.0']],
        ['a time', 'nightly', ['at 02:30', 'at 03:30']],
        ['a name', 'nightly', ['in Berlin', 'in Madrid']],
        ['a name of code', 'nightly', ['by max_wal_size', 'by min_wal_size']],
        ['a denial', 'nightly', ['and is encrypted', 'and is not encrypted']],
        ['a denial in German', 'nightly', ['und wird geprüft', 'und wird nicht geprüft']],
        ['an opposite', 'nightly', ['and is enabled', 'and is disabled']],
        ['a weekday', 'nightly', ['each monday', 'each friday']],
        ['a name at the beginning', 'nightly', ['. Ann decides', '. Bob decides']],
      ] as const
    ).map(([kind, text, ends]): [string, string, string[]] => [
      `long texts that differ in ${kind}`,
      text,
      ends.map((end) => `${LONG} It goes on nightly ${end}`.replace(' . ', '. ').concat('.')),
    ]),
    [
      'long Chinese texts that differ in a word',
      '备份',
      ['北京', '上海'].map(
        (city) =>
          `备份每天晚上运行并复制到第二个站点保存一年每月恢复一次以证明其有效性，负责人需要在第二天检查日志并签字确认，地点在${city}。`,
      ),
    ],
    [
      'short notes about one thing',
      'pool',
      ['The pool opens at six.', 'The pool closes at nine.', 'The pool is heated.', 'The pool has a slide.'],
    ],
  ])('are not: %s', async (_, text, pages) => {
    const results = await search(text, pages);
    const own = results.filter(({ metadata }) => pages[Number(metadata.source.slice(1))] !== undefined);
    expect(own).toHaveLength(pages.length);
    expect(own.every(({ more }) => more === undefined)).toBe(true);
  });

  it('are counted in a notice of an answer, which has none where nothing was left out', async () => {
    const releases = twelve((i) => `Release 1.${i}.0: bug fixes and performance improvements.`);
    const cities = ['Berlin', 'Madrid', 'Oslo', 'Rome'].map(
      (city, i) => `The data center in ${city} is reached at the IP address 10.${i}.0.1.`,
    );
    const released = await ask('What do releases bring?', releases);
    expect(released.notices).toContain(
      '11 more passages say nearly the same as what was found, and were left out; a search shows them with nearDuplicates: "keep".',
    );
    expect(released.noticeKinds).toContain('alike-left-out');
    const reached = await ask('At which IP address is the data center reached?', cities);
    expect(reached.noticeKinds).not.toContain('alike-left-out');
    expect(reached.sources.length).toBeGreaterThanOrEqual(4);
  });

  it('leave what holds an identifier of the question', async () => {
    const pages = twelve((i) => `Release 1.${i}.0: bug fixes and performance improvements.`);
    const results = await search('1.4.0 1.7.0', pages);
    const first = results.slice(0, 2).map(({ content }) => content);
    expect(first.toSorted()).toEqual([pages[4], pages[7]]);
  });
});
