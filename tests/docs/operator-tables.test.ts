import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

/** A test that brings about what a row of a table says, and looks at what the operator sees. */
interface Replay {
  /** From the root of the repository. */
  readonly file: string;
  /** Its title or that of its group, as the file has it. */
  readonly title: string;
}

const ROOT = new URL('../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');

const SEEN = 'src/faces/service/levels-seen.test.ts';
const OUTAGES = 'src/searching/degradation.proof.test.ts';
const ON_POSTGRES = 'src/searching/degradation-postgres.test.ts';
const seen: Replay = { file: SEEN, title: 'level $level, out: $out' };

/** By level. */
const LEVELS: Readonly<Record<string, readonly Replay[]>> = {
  0: [seen, { file: OUTAGES, title: 'an embedding service that is %s' }],
  1: [seen, { file: OUTAGES, title: 'is done without, at level 1, and is back without a restart' }],
  2: [
    seen,
    { file: OUTAGES, title: 'leaves what was found before, else words, and is back without a restart' },
  ],
  3: [
    seen,
    {
      file: OUTAGES,
      title: 'whose words are kept beside the ledger is searched by them, after a cold start too',
    },
  ],
  4: [
    seen,
    {
      file: SEEN,
      title:
        'level 4 without static texts is the error, which names what is out, and the health says that nobody is answered',
    },
    { file: ON_POSTGRES, title: 'with the ledger on it leaves the static texts' },
  ],
  5: [
    seen,
    {
      file: 'src/compat/backlog/enrich-context-step.test.ts',
      title:
        'some percent of the items are enriched from the index, the others as before, and each says which',
    },
  ],
};

/** Rows of `SEEN` by which the test of that name is run for a level. */
const seenLevels = (): string[] =>
  [...read(SEEN).matchAll(/\{ level: (\d), out:/g)].map(([, level = '']) => level);

const WATCHED = 'src/fleet/monitoring/start-monitoring.test.ts';
const specified: Replay = {
  file: 'src/fleet/monitoring/alerts/specified-alerts.test.ts',
  title:
    'the alerts of the specification: each is told once and resolved once, to the channels that its severity reaches',
};

/** By condition. */
const CONDITIONS: Readonly<Record<string, readonly Replay[]>> = {
  slow_query: [
    specified,
    {
      file: WATCHED,
      title: 'slow_query: searches that take longer, until none did for a minute; a webhook is told',
    },
  ],
  indexing_failure: [
    specified,
    { file: WATCHED, title: 'indexing_failure: a source whose folder is gone, until it is back' },
  ],
  store_unreachable: [specified, { file: WATCHED, title: 'store_unreachable: %s, until it is whole again' }],
};

/** First cells of the first table with such a first heading. */
function rowsOf(page: string, heading: string): string[] {
  const lines = page.split('\n');
  const start = lines.findIndex((line) => line.startsWith(`| ${heading} |`));
  const rest = lines.slice(start + 2);
  const end = rest.findIndex((line) => !line.startsWith('|'));
  return rest.slice(0, end).map((line) => line.split('|')[1]?.trim().replaceAll('`', '') ?? '');
}

/** What calls a test or a group by a title, up to the title; empty where nothing does. */
function callOf(text: string, title: string): string {
  const before = text.slice(0, Math.max(0, text.indexOf(`'${title}'`))).trimEnd();
  const starts = [...before.matchAll(/^ *(?:test|it|describe)\b/gm)];
  return before.endsWith('(') ? before.slice(starts.at(-1)?.index).trimStart() : '';
}
/** One that is not left out; `skipIf` says when. */
const RUN = /^(?:test|it|describe)(?!\.(?:skip|todo)\b)/;

describe.each([
  ['docs/degradation.md', 'level', LEVELS],
  ['docs/monitoring.md', 'condition', CONDITIONS],
] as const)('the table of %s by %s', (page, heading, replays) => {
  const rows = rowsOf(read(page), heading);

  test('has a replay for each row, and no other', () => {
    expect(rows.length).toBeGreaterThan(0);
    expect(rows).toEqual(Object.keys(replays));
  });

  test.each(Object.entries(replays))('the replays of %s are tests', (_, named) => {
    expect(named.length).toBeGreaterThan(0);
    for (const { file, title } of named) expect(callOf(read(file), title), `${file}: ${title}`).toMatch(RUN);
  });
});

test('what is seen of a level is replayed for each', () => {
  expect([...new Set(seenLevels())]).toEqual(Object.keys(LEVELS));
});
