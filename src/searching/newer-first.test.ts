import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { createEngine } from '../engine/create-engine.js';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

async function ask(question: string, pages: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'newer-'));
  folders.push(folder);
  const engine = await createEngine({ config: { provider: 'libsql' }, dataDir: folder });
  await engine.push(Object.entries(pages).map(([id, text]) => ({ id, text, mediaType: 'text/markdown' })));
  const answer = await engine.ask(question);
  await engine.close();
  return answer;
}

const page = (date: string, title: string, text: string): string =>
  `---\n${date}\ntitle: ${title}\n---\n\n${text}\n`;

test.each([
  [
    'amounts in words',
    'how much does parking cost?',
    ['date: 2019-05-01', 'Parking rules', 'Parking costs two coins a day.'],
    ['date: 2024-09-01', 'Parking rules', 'Parking costs five coins a day.'],
  ],
  [
    'numbers',
    'how long are audit logs kept?',
    ['updated: 2021-01-01', 'Audit logs', 'Audit logs are kept for 30 days.'],
    ['updated: 2023-01-01', 'Audit logs', 'Audit logs are kept for 90 days.'],
  ],
  [
    'days of the week',
    'when is the weekly backup made?',
    ['lastmod: 2020-02-01', 'Backup', 'The weekly backup is made on Sunday at noon.'],
    ['lastmod: 2022-02-01', 'Backup', 'The weekly backup is made on Friday at noon.'],
  ],
  [
    'versions',
    'which version of Node does the runner need?',
    ['date: 2022-02-01', 'Runner', 'The runner needs Node version 18.2.0 or later.'],
    ['date: 2025-02-01', 'Runner', 'The runner needs Node version 22.1.0 or later.'],
  ],
])(
  'of dated pages that differ the newer is said first and the older beside it: %s',
  async (_, question, old, now) => {
    const pages = {
      old: page(old[0] ?? '', old[1] ?? '', old[2] ?? ''),
      now: page(now[0] ?? '', now[1] ?? '', now[2] ?? ''),
      other: 'The canteen opens at eleven.',
    };
    // In whatever order they were found.
    for (const given of [pages, { now: pages.now, old: pages.old, other: pages.other }]) {
      const { answer, further, sources, notices } = await ask(question, given);
      const quoted = [answer, ...further.map(({ quote }) => quote)].join('\n');
      expect(quoted.indexOf(now[2] ?? '')).toBeGreaterThanOrEqual(0);
      expect(quoted.indexOf(old[2] ?? '')).toBeGreaterThan(quoted.indexOf(now[2] ?? ''));
      expect(sources.length).toBeGreaterThan(1);
      expect(notices.join('\n')).toMatch(/now \(\d{4}-\d\d-\d\d\) says .* older old \(/);
    }
  },
);

test.each([
  [
    'another service',
    'which port does the billing service listen on?',
    ['date: 2024-01-01', 'Billing service', 'The billing service listens on port 7101.'],
    ['date: 2026-01-01', 'Mailer service', 'The mailer service listens on port 7102.'],
  ],
  [
    'another version',
    'what is the session timeout in 4.2.0?',
    ['date: 2024-01-01', 'Kestrel 4.2.0', 'The session timeout of the console is 45 minutes.'],
    ['date: 2026-01-01', 'Kestrel 4.3.0', 'The session timeout of the console is 60 minutes.'],
  ],
])('a newer page of %s goes before nothing', async (_, question, old, now) => {
  const { answer } = await ask(question, {
    old: page(old[0] ?? '', old[1] ?? '', old[2] ?? ''),
    now: page(now[0] ?? '', now[1] ?? '', now[2] ?? ''),
  });
  expect(answer).toContain(old[2]);
  expect(answer).not.toContain(now[2]);
});

test('pages of one day, and pages that say the same, keep their order', async () => {
  const text = 'Audit logs are kept for 30 days.';
  const same = await ask('how long are audit logs kept?', {
    a: page('date: 2020-01-01', 'Audit logs', text),
    b: page('date: 2024-01-01', 'Audit logs elsewhere', `${text} Ask the desk.`),
  });
  expect(same.notices.join('\n')).not.toContain('contradict');
  const ofOneDay = await ask('how long are audit logs kept?', {
    a: page('date: 2020-01-01', 'Audit logs', text),
    b: page('date: 2020-01-01', 'Audit logs', text.replace('30', '90')),
  });
  expect(ofOneDay.notices.join('\n')).not.toContain('older');
});

test.each([
  ['who owns the canteen page?', 'Bob Jones'],
  ['what is the status of the canteen page?', 'approved'],
  ['which version is the canteen page?', '2.4.1'],
  ['when was the canteen page updated?', '2023-01-02'],
  ['who is the owner of the billing service?', 'Carla Diaz'],
  ['which version of the search service is there?', '0.9.7'],
])('facts of front matter and tables answer: %s', async (question, fact) => {
  const rows = Array.from({ length: 30 }, (_, i) => `| tool-${i} | Person ${i} | live | ${i}.1.0 |`);
  const { answer, further } = await ask(question, {
    canteen:
      '---\ntitle: Canteen\nupdated: 2023-01-02\nowner: Bob Jones\nversion: 2.4.1\nstatus: approved\n---\n\nThe canteen opens at noon.\n',
    gym: '---\ntitle: Gym\nupdated: 2022-02-02\nowner: Eve Lee\nversion: 1.0.0\nstatus: draft\n---\n\nThe gym opens at six.\n',
    services: `# Services\n\n| Service | Owner | Status | Version |\n|---|---|---|---|\n${rows.slice(0, 15).join('\n')}\n| billing | Carla Diaz | live | 3.1.4 |\n${rows.slice(15).join('\n')}\n| search | Dan Wu | beta | 0.9.7 |\n`,
  });
  expect([answer, ...further.map(({ quote }) => quote)].join('\n')).toContain(fact);
  expect(answer).toContain(fact);
});

test('a conflict of statements that are not asked for is not told', async () => {
  const list = (minutes: number): string =>
    `- The session timeout of the console is now ${minutes} minutes.\n- Signatures of webhooks use SHA-256.`;
  const pages = {
    old: page('date: 2020-01-01', 'Changes', list(30)),
    now: page('date: 2024-01-01', 'Changes', list(60)),
  };
  const told = async (question: string) => (await ask(question, pages)).notices.join('\n');
  expect(await told('are webhooks signed with SHA-256?')).not.toContain('contradict');
  expect(await told('how long is the session timeout?')).toContain('contradict');
});
