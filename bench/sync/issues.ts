import { join } from 'node:path';
import { analyzeText } from '../../src/core/analysis/lexical-analyzer.js';
import type { IndexResult } from '../../src/operations/engine.js';
import { filesWith } from '../../src/testing/files-with.js';
import { CLI } from '../shared/places.js';
import { runProcess } from '../shared/run-process.js';
import { median, rounded, spread, timed } from '../shared/statistics.js';
import { withTemporaryFolder } from '../shared/temporary-folder.js';
import { sumOfStages, sumWithOurStore } from './bare-stages.js';
import { type FirstSync, measureFirstSync, openEngine } from './first-sync.js';
import { editedIssues, type Issue, reportersOf } from './jira-issues.js';
import { loadIssues, updateIssues, withClient } from './load-issues.js';

const TARGET = 1.5;
const EDITS = 50;

interface IssuesOptions {
  readonly url: string;
  readonly issues: readonly Issue[];
  readonly pairs: number;
  readonly say: (text: string) => void;
}

/** First syncs beside their stages, a sync after edits, and one reporter forgotten. */
export function measureIssues({ url, issues, pairs, say }: IssuesOptions) {
  return withClient(url, async (client) => {
    say(`loading ${issues.length} issues`);
    await loadIssues(client, issues);
    const syncs: FirstSync[] = [];
    for (let pair = 1; pair < pairs; pair++) {
      say(`first sync: pair ${pair}`);
      syncs.push(await withTemporaryFolder((folder) => measureFirstSync(client, url, folder)));
    }
    return withTemporaryFolder(async (folder) => {
      say(`first sync: pair ${pairs}`);
      syncs.push(await measureFirstSync(client, url, folder));
      say('unchanged, and after edits');
      const unchanged = await syncAgain(url, folder);
      await updateIssues(client, editedIssues(issues, EDITS));
      const edited = await syncAgain(url, folder);
      say('forgetting a reporter');
      const forgotten = await forgetOne(issues, folder);
      const after = await syncAgain(url, folder);
      return {
        issues: issues.length,
        firstSync: firstSyncReport(syncs),
        unchanged: workOf(unchanged),
        edits: { edited: EDITS, ...workOf(edited), met: isWorkFor(EDITS, edited.value, issues.length) },
        forget: { ...forgotten, leftOutByTheNextSync: after.value.stats.forgotten?.issues ?? 0 },
      };
    });
  });
}

function firstSyncReport(syncs: readonly FirstSync[]) {
  const ratios = syncs.map(({ bare, sync }) => sync.ms / sumOfStages(bare.value));
  const last = syncs.at(-1);
  return {
    floorMs: Math.round(median(syncs.map(({ bare }) => sumOfStages(bare.value)))),
    oursMs: Math.round(median(syncs.map(({ sync }) => sync.ms))),
    ratio: rounded(median(ratios)),
    spread: spread(ratios),
    target: `<= ${TARGET}`,
    met: median(ratios) <= TARGET,
    ratioWithOurStoreInFloor: rounded(
      median(syncs.map(({ bare, sync }) => sync.ms / sumWithOurStore(bare.value))),
    ),
    bareMs: Object.fromEntries(
      Object.entries(last?.bare.value ?? {}).map(([stage, ms]) => [stage, Math.round(Number(ms))]),
    ),
    floorCpuMs: Math.round(median(syncs.map(({ bare }) => bare.value.cpuMs))),
    oursCpuMs: Math.round(median(syncs.map(({ sync }) => sync.cpuMs))),
    cpuRatio: rounded(median(syncs.map(({ bare, sync }) => sync.cpuMs / bare.value.cpuMs))),
    stages: last?.sync.value.stats.stages,
  };
}

async function syncAgain(url: string, folder: string) {
  const engine = await openEngine(url, folder);
  try {
    return await timed(() => engine.index());
  } finally {
    await engine.close();
  }
}

function workOf({ ms, value: { stats } }: { readonly ms: number; readonly value: IndexResult }) {
  const { documentsProcessed, documentsUnchanged, embeddingsComputed, vectorsIndexed, documentsDeleted } =
    stats;
  const counts = {
    documentsProcessed,
    documentsUnchanged,
    documentsDeleted,
    embeddingsComputed,
    vectorsIndexed,
  };
  return { ms: Math.round(ms), ...counts, stages: stats.stages };
}

const isWorkFor = (edits: number, { stats }: IndexResult, issues: number): boolean =>
  stats.documentsProcessed === edits &&
  stats.documentsUnchanged === issues - edits &&
  stats.embeddingsComputed <= stats.vectorsIndexed &&
  stats.errors.length === 0;

/** By the command, as a person does it: one who reported about as many issues as most. */
async function forgetOne(issues: readonly Issue[], folder: string) {
  const reporters = reportersOf(issues);
  const [name, documents] = reporters[Math.floor(reporters.length / 2)] ?? ['', 0];
  const dataDir = join(folder, 'data');
  const last = name.split(' ').at(-1) ?? '';
  // As it is written, and as words of an index are.
  const words = [...new Set([name, last, ...analyzeText(last)])];
  const placesOf = async (): Promise<string[]> =>
    (await Promise.all(words.map((word) => filesWith(dataDir, word)))).flat();
  const before = await placesOf();
  const ragstone = (...args: string[]) =>
    runProcess(process.execPath, [CLI, '--data', dataDir, '--json', ...args], { cwd: folder });
  const { ms, stdout } = await ragstone('forget', '--filter', `reporter=${name}`, '--yes');
  const receipt = JSON.parse(stdout) as { readonly id: string; readonly documents: number };
  await ragstone('verify', '--receipt', receipt.id);
  const after = await placesOf();
  const isAll = receipt.documents === documents;
  return {
    reported: documents,
    forgotten: receipt.documents,
    ms: Math.round(ms),
    placesBefore: [...new Set(before)],
    placesAfter: [...new Set(after)],
    met: isAll && before.length > 0 && after.length === 0,
  };
}
