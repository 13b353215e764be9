import { AsyncLocalStorage } from 'node:async_hooks';
import type { ParsedDocument } from '../../core/document.js';
import { CONVERTED_MEDIA_TYPES, isCodeMediaType, MEDIA_TYPES } from '../../core/media-types.js';
import type { ParserOptions } from '../create-parsers.js';
import type { Parser } from '../parser.js';
import type { ParseRequest } from './parse-message.js';
import { type ParsingLimits, ParsingThread } from './parsing-thread.js';

/** Threads that parse at once: so many tenants can send what never ends before others wait for them. */
const MOST_THREADS = 4;

const tenants = new AsyncLocalStorage<string>();

/** Does work whose documents are parsed in the turns of a tenant. */
export const parsingFor = <Result>(tenant: string, work: () => Result): Result => tenants.run(tenant, work);

const signals = new AsyncLocalStorage<AbortSignal | undefined>();

/** Does work whose documents are given up as soon as the signal fires. */
export const parsingUntil = <Result>(signal: AbortSignal | undefined, work: () => Result): Result =>
  signals.run(signal, work);

interface Waiting {
  readonly signal: AbortSignal | undefined;
  readonly request: ParseRequest;
  readonly settle: (parsed: Promise<ParsedDocument>) => void;
}

/**
 * Documents of one tenant are parsed one after another, those of several beside each other: who sends files that take as long as they may
 * holds up nobody else. Where more tenants wait than there are threads, each has its turn.
 */
export class ParsingThreads {
  readonly #limits: ParsingLimits;
  readonly #most: number;
  readonly #open: (limits: ParsingLimits) => Pick<ParsingThread, 'parse'>;
  readonly #free: Pick<ParsingThread, 'parse'>[] = [];
  #started = 0;
  /** By tenant; whose turn is next stands first. A tenant whose document is being parsed has none. */
  readonly #waiting = new Map<string, Waiting[]>();
  readonly #busy = new Set<string>();

  constructor(
    limits: ParsingLimits,
    {
      most = MOST_THREADS,
      open = (of: ParsingLimits): Pick<ParsingThread, 'parse'> => new ParsingThread(of),
    } = {},
  ) {
    this.#limits = limits;
    this.#most = most;
    this.#open = open;
  }

  /** @throws RAGError see `ParsingThread.parse` */
  parse(request: ParseRequest): Promise<ParsedDocument> {
    const tenant = tenants.getStore() ?? '';
    return new Promise((resolve) => {
      const queue = this.#waiting.get(tenant) ?? [];
      this.#waiting.set(tenant, [...queue, { request, signal: signals.getStore(), settle: resolve }]);
      this.#next();
    });
  }

  #next(): void {
    const found = [...this.#waiting].find(([tenant]) => !this.#busy.has(tenant));
    if (found === undefined) return;
    const thread = this.#thread();
    if (thread === undefined) return;
    const [tenant, [first, ...rest]] = found;
    if (first === undefined) return;
    this.#queue(tenant, rest);
    this.#busy.add(tenant);
    const parsed = thread.parse(first.request, first.signal);
    first.settle(parsed);
    const end = (): void => {
      this.#busy.delete(tenant);
      this.#free.push(thread);
      this.#queue(tenant, this.#waiting.get(tenant) ?? []);
      this.#next();
    };
    parsed.then(end, end);
  }

  /** Behind the tenants that wait already. */
  #queue(tenant: string, waiting: Waiting[]): void {
    this.#waiting.delete(tenant);
    if (waiting.length > 0) this.#waiting.set(tenant, waiting);
  }

  /** One that has parsed just now stands last, and is taken first: the others stop when they have nothing to do. */
  #thread(): Pick<ParsingThread, 'parse'> | undefined {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    if (this.#started === this.#most) return undefined;
    this.#started += 1;
    return this.#open(this.#limits);
  }
}

/** Formats whose libraries do work that a few bytes can make endless (unpacking, recursion, grammars), or much of. */
const ISOLATED: ReadonlySet<string> = new Set([
  ...CONVERTED_MEDIA_TYPES,
  ...[MEDIA_TYPES.pdf, MEDIA_TYPES.rst, MEDIA_TYPES.asciidoc, MEDIA_TYPES.csv, MEDIA_TYPES.tsv],
]);

/** Threads by their limits: all sources and engines of a process share them. */
const threads = new Map<string, ParsingThreads>();

/** The same parsers, those of risky formats in a thread that is killed when a document exceeds the limits. */
export function isolateParsers(
  parsers: ReadonlyMap<string, Parser>,
  options: ParserOptions,
  limits: ParsingLimits,
): ReadonlyMap<string, Parser> {
  const key = `${limits.timeoutMs}/${limits.memoryMb}`;
  const shared = threads.get(key) ?? new ParsingThreads(limits);
  threads.set(key, shared);
  return new Map(
    [...parsers].map(([mediaType, parser]) => [
      mediaType,
      ISOLATED.has(mediaType) || isCodeMediaType(mediaType)
        ? {
            mediaTypes: parser.mediaTypes,
            version: parser.version,
            parse: (document) => shared.parse({ document, options }),
          }
        : parser,
    ]),
  );
}
