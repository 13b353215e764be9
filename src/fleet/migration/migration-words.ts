import { basename, dirname, join } from 'node:path';
import { DEFAULT_DATA_DIR } from '../../config/find-project.js';
import type { MigrationEnd, ResultComparison } from './migration-types.js';

/* What a person is told of a migration beside its figures. */

interface Ends {
  readonly from: MigrationEnd;
  readonly to: MigrationEnd;
}

/** How to go back, and how to remove what is no longer needed. */
export function wayBack({ from, to }: Ends, isOneLedger: boolean): string {
  const old = globalOptions(from);
  if (!isOneLedger)
    return `The old index stays as it is in ${from.dataDir}, and gets nothing of what is written from now on. To go back use its configuration again; to remove it: \`ragstone${old} clear\`.`;
  const reversed = `ragstone migrate${endOptions('from', to)}${endOptions('to', from)}`;
  return `The old index is generation ${from.generation} (${from.store}). To go back: \`${reversed}\`, which copies what has changed since; to remove it: \`ragstone${old} generations drop ${from.generation}\`.`;
}

const globalOptions = (end: MigrationEnd): string => optionsOf(end, { config: '--config', data: '--data' });

const endOptions = (name: 'from' | 'to', end: MigrationEnd): string =>
  optionsOf(end, { config: `--${name}`, data: `--${name}-data` });

function optionsOf(
  { configFile, dataDir }: MigrationEnd,
  names: { readonly config: string; readonly data: string },
): string {
  const config = configFile === undefined ? '' : ` ${names.config} ${configFile}`;
  const isUsual = configFile !== undefined && usualPlaces(configFile).includes(dataDir);
  return isUsual ? config : `${config} ${names.data} ${dataDir}`;
}

/** A file belongs to its folder, or, in a folder `config`, to the one above. */
function usualPlaces(configFile: string): string[] {
  const folder = dirname(configFile);
  return [basename(folder) === 'config' ? dirname(folder) : folder].map((root) =>
    join(root, DEFAULT_DATA_DIR),
  );
}

export const noQuestionsNotice = (): string =>
  'Results were not compared: no question was there that finds anything for who asked. Name a file of questions with --questions, or the groups that may read the documents with --group.';

export const inexactNotice = (count: number): string =>
  `${count} chunks were indexed with words that are in no stored text (contexts written by a language model, surroundings that a program handed in); they were copied with their vectors, and without these words. The next \`ragstone index\` mends those of sources that it can read; push the others again.`;

export function keptNotice(
  from: MigrationEnd,
  minOverlap: number,
  comparison: ResultComparison | undefined,
): string {
  const why =
    comparison === undefined
      ? 'as it was asked to (--no-switch)'
      : `because only ${percent(comparison.overlap)} of its results are those of the old index (--min-overlap ${minOverlap})${comparison.worst === undefined ? '' : `; the most different are those of ${JSON.stringify(comparison.worst.question)}`}`;
  return `Searches stay with the old index (${from.store}), ${why}. The copy is complete: the same command without --no-switch, or with another --min-overlap, brings it in step and switches to it.`;
}

export function alreadyNotice(differences: number, { from, to }: Ends): string {
  if (differences === 0) return `The index is in the store "${to.store}" already, and live.`;
  return `The index was migrated to the store "${to.store}" before and is live there. Since then ${differences} documents were written or deleted in one of both: they differ. To copy the index of the store "${from.store}" anew, over what was changed there, say --replace.`;
}

const percent = (share: number): string => `${(share * 100).toFixed(1)} %`;
