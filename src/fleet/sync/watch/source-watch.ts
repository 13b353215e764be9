import { type RAGError, systemErrorCode, toRAGError } from '../../../core/errors.js';
import { repeat } from '../../../core/runtime.js';
import type { WatchedPlace } from '../../../sources/watched-place.js';
import { type PlaceNews, PlaceWatch, type WatchFolder } from './place-watch.js';

/** Told while a source is watched. */
export interface WatchListener {
  /** Something changed, or may have. `returned`: what was gone is there again, so that a failure may be over. */
  readonly onChange: (change: 'changed' | 'gone' | 'returned' | 'interval') => void;
  /** It cannot be watched, and is read at intervals from now on. */
  readonly onPolling: (why: string) => void;
}

export interface SourceWatchOptions extends WatchListener {
  readonly places: () => Promise<readonly WatchedPlace[]>;
  /** How often a source is read that cannot be watched, in milliseconds. */
  readonly pollMs: number;
  /** @default `fs.watch` */
  readonly watchFolder?: WatchFolder | undefined;
}

/** Watches all places of a source; where the system refuses, it tells of a change at every interval. */
export class SourceWatch {
  readonly #options: SourceWatchOptions;
  #places: readonly PlaceWatch[] = [];
  #stopPolling: (() => void) | undefined;
  #isOver = false;

  constructor(options: SourceWatchOptions) {
    this.#options = options;
  }

  get folders(): number {
    return this.#places.reduce((sum, { folders }) => sum + folders, 0);
  }

  get isPolling(): boolean {
    return this.#stopPolling !== undefined;
  }

  /** Resolves when all that is there now is watched: what changes from then on is told. */
  async start(): Promise<void> {
    const { places, watchFolder } = this.#options;
    const onNews = (news: PlaceNews): void => this.#hear(news);
    try {
      this.#places = (await places()).map((place) => new PlaceWatch(place, { onNews, watchFolder }));
      for (const place of this.#places) if (!this.#isOver) await place.start();
    } catch (error) {
      this.#poll(error);
    }
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    this.#stopPolling?.();
    await Promise.all(this.#places.map((place) => place.stop()));
  }

  #hear(news: PlaceNews): void {
    if (this.#isOver) return;
    if (news.kind === 'unwatchable') this.#poll(news.error);
    else this.#options.onChange(news.kind);
  }

  #poll(error: unknown): void {
    if (this.#isOver || this.isPolling) return;
    const { pollMs, onChange, onPolling } = this.#options;
    this.#stopPolling = repeat(() => onChange('interval'), pollMs);
    for (const place of this.#places) void place.stop();
    onPolling(whyNot(error));
  }
}

/** What the system refuses, and what may be done about it. */
function whyNot(error: unknown): string {
  const code = systemErrorCode(error);
  if (code === 'ENOSPC')
    return 'the system allows no more watches; `sysctl fs.inotify.max_user_watches` shows how many it allows, and `sysctl -w fs.inotify.max_user_watches=524288` (as root) allows more';
  if (code === 'EMFILE')
    return 'the system allows no more watching programs; `sysctl fs.inotify.max_user_instances` shows how many it allows, and `sysctl -w fs.inotify.max_user_instances=512` (as root) allows more, or too many files are open (`ulimit -n`)';
  return messageOf(toRAGError(error, 'SOURCE_UNREADABLE', `the system refuses (${code ?? 'unknown error'})`));
}

const messageOf = ({ message }: RAGError): string => message;
