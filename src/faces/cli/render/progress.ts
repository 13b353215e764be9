import type { SingleBar } from 'cli-progress';
import type { DownloadProgress } from '../../../config/models.js';
import type { IndexProgress } from '../../../index.js';
import type { CliContext } from '../context.js';
import { inert, type Terminal, UNKNOWN_COLUMNS } from '../terminal.js';
import { formatCount, formatDuration } from './text.js';

/** A running display of work on stderr. */
export interface ProgressDisplay<Update> {
  readonly update: (progress: Update) => void;
  /** Takes the display away; safe to call twice. */
  readonly stop: () => void;
}

/** Work that is counted. */
export interface CountedProgress {
  /** What is being done: `indexing`, `searching`. */
  readonly stage: string;
  readonly done: number;
  readonly total: number;
  /** Milliseconds left, where it can be told. */
  readonly etaMs?: number;
}

const MEGABYTE = 1_000_000;
const LINE_INTERVAL_MS = 3000;
const SILENT = { update: () => undefined, stop: () => undefined };

/** Progress of `index`: a bar with rate and time left on a terminal, else a line every few seconds. */
export function startProgress(context: CliContext): ProgressDisplay<IndexProgress> {
  const display = startDisplay(context);
  let stage: string | undefined;
  return {
    update: (progress) => {
      if (progress.stage !== stage) context.log('debug', `stage: ${progress.stage}`);
      stage = progress.stage;
      if (progress.stage !== 'done') display.update(describeProgress(progress));
    },
    stop: display.stop,
  };
}

/** Progress of work that is only counted. */
export function startCounter(context: CliContext): ProgressDisplay<CountedProgress> {
  const display = startDisplay(context);
  return {
    update: ({ stage, done, total, etaMs }) =>
      display.update({
        done,
        total,
        label: stage,
        detail: etaMs === undefined ? '' : `${formatDuration(etaMs)} left`,
      }),
    stop: display.stop,
  };
}

/** Progress of files that are fetched, in MB, with the rate and the time left. */
export function startDownload(context: CliContext): ProgressDisplay<DownloadProgress> {
  const display = startDisplay(context);
  let file: string | undefined;
  let [start, startedAt] = [0, 0];
  return {
    update: (progress) => {
      if (progress.file !== file) [file, start, startedAt] = [progress.file, progress.done, Date.now()];
      const { done, total = 0 } = progress;
      const rate = (done - start) / Math.max(1, Date.now() - startedAt);
      const left = rate > 0 && total > done ? `, ${formatDuration((total - done) / rate)} left` : '';
      display.update({
        done: Math.floor(done / MEGABYTE),
        total: Math.ceil(total / MEGABYTE),
        label: `MB of ${progress.file}`,
        detail: rate > 0 ? `${(rate / 1000).toFixed(1)} MB/s${left}` : '',
      });
    },
    stop: display.stop,
  };
}

/** One line of progress. */
export interface Line {
  readonly done: number;
  readonly total: number;
  readonly label: string;
  readonly detail: string;
}

const LABELS: Readonly<Record<IndexProgress['stage'], string>> = {
  listing: 'looking at',
  indexing: 'indexing',
  optimizing: 'optimizing',
  done: 'done',
};

/** What is shown of a run: the source and which of them it is, its count, rate and time left by stage. */
export function describeProgress(progress: IndexProgress): Line {
  const { stage, source, sourceNumber, sourcesTotal } = progress;
  const which = sourcesTotal > 1 ? ` (${sourceNumber} of ${sourcesTotal})` : '';
  const label = source === undefined ? LABELS[stage] : `${LABELS[stage]} ${source}${which}`;
  const detail = (stage === 'listing' ? listingDetails(progress) : indexingDetails(progress)).join(', ');
  const isIndexing = stage === 'indexing';
  return {
    done: isIndexing ? progress.sourceItemsDone : 0,
    total: isIndexing ? progress.sourceItemsTotal : 0,
    label,
    detail,
  };
}

function listingDetails({ itemsListed, itemsPerSecond }: IndexProgress): string[] {
  if (itemsListed === 0) return [];
  return [`${formatCount(itemsListed)} listed`, `${formatCount(itemsPerSecond)}/s`];
}

function indexingDetails(progress: IndexProgress): string[] {
  const { stage, itemsPerSecond, chunksWritten, chunksPerSecond, etaMs } = progress;
  if (stage !== 'indexing') return [];
  return [
    ...(itemsPerSecond >= 1 ? [`${formatCount(itemsPerSecond)}/s`] : []),
    ...(chunksWritten > 0 ? [`${formatCount(chunksPerSecond)} chunks/s`] : []),
    ...(etaMs === undefined ? [] : [`${formatDuration(etaMs)} left`]),
  ];
}

const BAR_COLUMNS = 24;
const LEAST_LABEL = 12;

/**
 * A bar, the count, the rate and the time left, then what is being done, in one line of at most `width` columns. The name of what is
 * done is shortened first, then the bar left out; what is not counted yet has no bar.
 */
export function progressLine({ done, total, label, detail }: Line, width: number): string {
  if (total === 0) return shortened(detail === '' ? `${label} ...` : `${label} ... ${detail}`, width);
  const filled = Math.round((BAR_COLUMNS * Math.min(done, total)) / total);
  const bar = '█'.repeat(filled) + '░'.repeat(BAR_COLUMNS - filled);
  const count = [`${formatCount(done)} of ${formatCount(total)}`, detail]
    .filter((part) => part !== '')
    .join(', ');
  const whole = `${bar} ${count}`;
  const room = width - whole.length - 2;
  if (room >= LEAST_LABEL) return `${whole}  ${shortened(label, room)}`;
  return shortened(whole.length <= width ? whole : count, width);
}

const shortened = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;

function startDisplay(context: CliContext): ProgressDisplay<Line> {
  if (context.isQuiet) return SILENT;
  return context.side.stream.isTTY ? startBar(context.side) : startLines(context.side);
}

function startLines(side: Terminal): ProgressDisplay<Line> {
  // The first line comes late: short work needs none.
  let last = Date.now();
  return {
    update: ({ done, total, label, detail }) => {
      if (Date.now() - last < LINE_INTERVAL_MS) return;
      last = Date.now();
      const count = total > 0 ? ` ${formatCount(done)} of ${formatCount(total)}` : '';
      side.writeMessage(`${label}${count}${detail === '' ? '' : `, ${detail}`}`);
    },
    stop: () => undefined,
  };
}

function startBar({ stream }: Terminal): ProgressDisplay<Line> {
  let bar: SingleBar | undefined;
  let isStopped = false;
  let latest: Line | undefined;
  const show = ({ done, total, label, detail }: Line): void => {
    bar?.setTotal(Math.max(total, 1));
    bar?.update(done, { line: { done, total, label: inert(label), detail } });
  };
  void import('cli-progress').then(({ default: progress }) => {
    if (isStopped) return;
    bar = new progress.SingleBar({
      // Drawn at the width that the terminal has then.
      format: (_, __, { line }: { readonly line?: Line }) =>
        line === undefined ? '' : progressLine(line, (stream.columns || UNKNOWN_COLUMNS) - 1),
      hideCursor: true,
      clearOnComplete: true,
      stream,
      linewrap: false,
    });
    bar.start(1, 0);
    if (latest !== undefined) show(latest);
  });
  return {
    update: (line) => {
      latest = line;
      show(line);
    },
    stop: () => {
      isStopped = true;
      bar?.stop();
      bar = undefined;
    },
  };
}
