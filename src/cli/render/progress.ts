import type { SingleBar } from 'cli-progress';
import type { IndexProgress } from '../../index.js';
import type { CliContext } from '../context.js';
import { inert, type Terminal } from '../terminal.js';
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
      if (progress.stage !== 'done') display.update(describe(progress));
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

interface Line {
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

function describe(progress: IndexProgress): Line {
  const { stage, source, itemsDone, itemsTotal, chunksWritten, chunksPerSecond, etaMs } = progress;
  const label = source === undefined ? LABELS[stage] : `${LABELS[stage]} ${source}`;
  const rate =
    stage === 'indexing' ? `${formatCount(chunksWritten)} chunks, ${formatCount(chunksPerSecond)}/s` : '';
  const left = stage === 'indexing' && etaMs !== undefined ? `${formatDuration(etaMs)} left` : '';
  return {
    done: itemsDone,
    total: itemsTotal,
    label,
    detail: [rate, left].filter((part) => part !== '').join(', '),
  };
}

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
    bar?.update(done, { label: inert(label), detail });
  };
  void import('cli-progress').then(({ default: progress }) => {
    if (isStopped) return;
    bar = new progress.SingleBar({
      format: '{bar} {value}/{total}  {label}  {detail}',
      barsize: 24,
      hideCursor: true,
      clearOnComplete: true,
      stream,
      linewrap: false,
    });
    bar.start(1, 0, { label: '', detail: '' });
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
