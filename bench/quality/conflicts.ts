// What `ragstone conflicts` finds: `npm run bench:conflicts -- [--half tune|test] [--json] [--sample FILE]`.
// Contradictions that somebody planted into the Sourcegraph handbook without knowing the code (`planted-conflicts.md`), with decoys beside them: even
// ids were looked at while it was tuned, odd ids were not. Then the untouched handbook: the cost of examining it, how the cost of comparing grows, and,
// with --sample, 40 findings drawn at random to be judged by a person.
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { seededRandom } from '../../src/evaluation/random.js';
import type { ConflictsResponse, Engine, Finding, FindingPlace } from '../../src/index.js';
import { createEngine } from '../../src/index.js';
import { circumstances } from '../shared/machine.js';
import { corpusFolder, REPOSITORY } from '../shared/places.js';
import { median, rounded } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';

const { values } = parseArgs({
  options: {
    half: { type: 'string', default: 'test' },
    json: { type: 'boolean', default: false },
    /** Where 40 findings of the untouched handbook are written to. */
    sample: { type: 'string' },
    /** Leaves out what takes long: times and growth. */
    quick: { type: 'boolean', default: false },
  },
});

interface Planted {
  readonly id: number;
  readonly kind: string;
  readonly wording: string;
  readonly file: string;
  readonly line: number;
  readonly originalColumn: number;
  readonly originalLength: number;
  readonly planted: { readonly file: string; readonly afterHeading: string | null; readonly text: string };
  readonly statement: string;
  readonly alsoAt: readonly { readonly file: string; readonly line: number }[];
}

const ROOT = join(corpusFolder('sourcegraph-handbook'), 'content');

const handbook = new Map(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => [path, readFileSync(join(ROOT, path), 'utf8')] as const),
);

const readPlanted = (name: string): Planted[] =>
  readFileSync(join(REPOSITORY, 'bench/quality', name), 'utf8')
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Planted)
    .filter(({ id }) => id % 2 === (values.half === 'tune' ? 0 : 1));

function withPlanted(pages: ReadonlyMap<string, string>, planted: readonly Planted[]): Map<string, string> {
  const changed = new Map(pages);
  for (const { planted: to } of planted) changed.set(to.file, inserted(changed.get(to.file) ?? '', to));
  return changed;
}

/** A paragraph behind the section of a heading, else at the end. */
function inserted(page: string, { afterHeading, text }: Planted['planted']): string {
  const lines = page.split('\n');
  const heading = lines.findIndex(
    (line) => line.replace(/^#+\s+/, '').trim() === afterHeading && line.startsWith('#'),
  );
  const next = heading < 0 ? -1 : lines.findIndex((line, at) => at > heading && /^#{1,6}\s/.test(line));
  const at = afterHeading === null || next < 0 ? lines.length : next;
  return [...lines.slice(0, at), '', text, '', ...lines.slice(at)].join('\n');
}

async function withHandbook<T>(
  pages: ReadonlyMap<string, string>,
  work: (engine: Engine, indexMs: { total: number; conflicts: number }) => Promise<T>,
  isOn = true,
): Promise<T> {
  return withTemporaryFolder(async (folder) => {
    for (const [path, text] of pages) {
      mkdirSync(dirname(join(folder, 'pages', path)), { recursive: true });
      writeFileSync(join(folder, 'pages', path), text);
    }
    const engine = await createEngine({
      config: {
        provider: 'libsql',
        embedding: { model: 'builtin' },
        conflicts: { enabled: isOn },
        sources: [{ name: 'handbook', type: 'files', paths: [join(folder, 'pages')] }],
      },
      dataDir: join(folder, 'data'),
      cwd: folder,
    });
    try {
      const { stats } = await engine.index();
      return await work(engine, { total: stats.timeElapsed, conflicts: stats.stages.conflicts ?? 0 });
    } finally {
      await engine.close();
    }
  });
}

const pathOf = ({ externalId }: FindingPlace): string => externalId.replace(/^(?:.*\/)?pages\//, '');

/** Whether a place of a finding lies where a text stands in a page. */
function liesIn(place: FindingPlace, file: string, { page, text }: { page: string; text: string }): boolean {
  if (pathOf(place) !== file) return false;
  for (let start = page.indexOf(text); start >= 0; start = page.indexOf(text, start + 1))
    if (place.offsets.start < start + text.length && place.offsets.end > start) return true;
  return false;
}

function isOriginal(place: FindingPlace, planted: Planted, pages: ReadonlyMap<string, string>): boolean {
  const { file, line, originalColumn, originalLength, alsoAt } = planted;
  const original = (handbook.get(file) ?? '').split('\n')[line - 1] ?? '';
  const text = original.slice(originalColumn, originalColumn + originalLength);
  return [file, ...alsoAt.map((other) => other.file)].some((path) =>
    liesIn(place, path, { page: pages.get(path) ?? '', text }),
  );
}

interface Score {
  readonly found: ReadonlySet<Planted>;
  /** Findings with a planted text on one side: right, and wrong. */
  readonly right: number;
  readonly wrong: number;
  readonly ofDecoys: number;
}

function score(
  findings: readonly Finding[],
  {
    conflicts,
    decoys,
    pages,
  }: { conflicts: readonly Planted[]; decoys: readonly Planted[]; pages: ReadonlyMap<string, string> },
): Score {
  const found = new Set<Planted>();
  let right = 0;
  let wrong = 0;
  let ofDecoys = 0;
  const all = [...conflicts, ...decoys];
  for (const { passages } of findings) {
    const [first, second] = passages.map(({ places }) => places);
    if (first === undefined || second === undefined) continue;
    for (const [own, other] of [
      [first, second],
      [second, first],
    ] as const)
      for (const planted of all) {
        const { file, text } = planted.planted;
        if (!own.some((place) => liesIn(place, file, { page: pages.get(file) ?? '', text }))) continue;
        const isRight =
          conflicts.includes(planted) && other.some((place) => isOriginal(place, planted, pages));
        if (isRight) found.add(planted);
        if (isRight) right++;
        else wrong++;
        if (decoys.includes(planted)) ofDecoys++;
      }
  }
  return { found, right, wrong, ofDecoys };
}

const share = (part: number, all: number): string => (all === 0 ? '-' : rounded(part / all).toString());

async function measurePlanted(): Promise<object[]> {
  const conflicts = readPlanted('planted-conflicts.jsonl');
  const decoys = readPlanted('planted-decoys.jsonl');
  const pages = withPlanted(handbook, [...conflicts, ...decoys]);
  const { findings } = await withHandbook(pages, (engine) =>
    engine.conflicts({ kinds: ['conflict'], limit: 10_000 }),
  );
  const { found, right, wrong, ofDecoys } = score(findings, { conflicts, decoys, pages });
  const row = (name: string, of: readonly Planted[]): object => ({
    name,
    planted: of.length,
    recall: share(of.filter((planted) => found.has(planted)).length, of.length),
  });
  const groups = (key: 'wording' | 'kind'): object[] =>
    [...new Set(conflicts.map((planted) => planted[key]))].map((name) =>
      row(
        name,
        conflicts.filter((planted) => planted[key] === name),
      ),
    );
  return [
    {
      ...row(`all, half ${values.half}`, conflicts),
      precision: share(right, right + wrong),
      right,
      wrong,
      decoys: decoys.length,
      'found decoys': ofDecoys,
    },
    ...groups('wording'),
    ...groups('kind'),
  ];
}

const part = (every: number): Map<string, string> =>
  new Map([...handbook].filter((_, at) => at % every === 0));

/** How the time of a comparison grows with the pages. */
async function measureGrowth(): Promise<object[]> {
  const rows: object[] = [];
  for (const every of [8, 4, 2, 1])
    rows.push(
      await withHandbook(part(every), async (engine) => {
        const began = performance.now();
        const { totals, examined } = await engine.conflicts();
        return { pages: examined, ...totals, 'compare ms': Math.round(performance.now() - began) };
      }),
    );
  return rows;
}

/** On and off in turns, so that both meet the same machine. */
async function measureIndexing(): Promise<object[]> {
  const on: number[] = [];
  const off: number[] = [];
  const own: number[] = [];
  for (let round = 0; round < 3; round++) {
    await withHandbook(handbook, async (_, { total }) => off.push(total), false);
    await withHandbook(handbook, async (_, { total, conflicts }) => {
      on.push(total);
      own.push(conflicts);
    });
  }
  return [
    {
      'index ms, off': Math.round(median(off)),
      'index ms, on': Math.round(median(on)),
      'of that examining': Math.round(median(own)),
      share: rounded(median(on) / median(off) - 1),
    },
  ];
}

const SAMPLED = 40;

/** A name of a finding without its words. */
const nameOf = ({ passages }: Finding): string =>
  createHash('sha256')
    .update(
      passages
        .map(({ quote }) => quote)
        .sort()
        .join('\n'),
    )
    .digest('hex')
    .slice(0, 16);

function writeSample(path: string, { findings }: ConflictsResponse): void {
  const random = seededRandom(20_261_125);
  const rest = findings.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const drawn = Array.from({ length: Math.min(SAMPLED, rest.length) }, () =>
    rest.splice(Math.floor(random() * rest.length), 1),
  ).flat();
  writeFileSync(
    path,
    drawn
      .map((finding) => {
        const differences = finding.differences.map(
          ({ kind, first, second }) => `${kind}: ${first} / ${second}`,
        );
        const passages = finding.passages.map(
          ({ quote, places: [place] }) => `  ${place?.externalId}: ${quote}`,
        );
        return [
          `${nameOf(finding)} ${finding.agreement.toFixed(2)} ${differences.join('; ')}`,
          ...passages,
        ].join('\n');
      })
      .join('\n\n'),
  );
}

const planted = await measurePlanted();
if (values.sample !== undefined) {
  const path = values.sample;
  await withHandbook(handbook, async (engine) =>
    writeSample(path, await engine.conflicts({ kinds: ['conflict'], limit: 10_000 })),
  );
}
const growth = values.quick ? [] : await measureGrowth();
const indexing = values.quick ? [] : await measureIndexing();
if (values.json) console.log(JSON.stringify({ ...circumstances(), planted, growth, indexing }, null, 2));
else for (const table of [planted, growth, indexing]) if (table.length > 0) console.table(table);
