import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller, KnownDocuments } from './known-documents.js';
import { type Answered, ask, search, type Timed } from './requests.js';
import { TIMEOUT_MS } from './scene.js';

/** What was answered in a run, for people. */
export interface LoadReport {
  searches: number;
  answers: number;
  writes: number;
  acknowledged: number;
  /** Responses by level. */
  readonly levels: Record<string, number>;
  readonly statuses: Record<string, number>;
  readonly tookMs: number[];
  slowestWriteMs: number;
  /** What was wrong. */
  violations: number;
  /** From the end of an outage to full service, three searches in a row; of each outage. */
  readonly restoredMs: number[];
}

export const newReport = (): LoadReport => ({
  searches: 0,
  answers: 0,
  writes: 0,
  acknowledged: 0,
  levels: {},
  statuses: {},
  tookMs: [],
  slowestWriteMs: 0,
  violations: 0,
  restoredMs: [],
});

/** Times as their quantiles, in milliseconds. */
export const summaryOf = ({ tookMs, restoredMs, ...counts }: LoadReport): object => ({
  ...counts,
  outages: restoredMs.length,
  tookMs: quantilesOf(tookMs),
  restoredMs: quantilesOf(restoredMs),
});

function quantilesOf(times: readonly number[]): object {
  const sorted = [...times].sort((a, b) => a - b);
  const at = (share: number): number =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p50: at(0.5), p95: at(0.95), max: at(1) };
}

/** A machine under load is late for itself. */
const BUSY_MS = 10_000;
const MOST_SHOWN = 400;
const WORDS = ['quokka', 'wombat', 'numbat', 'bilby', 'dingo', 'possum', 'glider', 'echidna'];
/** Of each writer. */
const DOCUMENTS = 8;
/** Groups that may read a document from then on. */
const READERS: readonly (readonly string[])[] = [['hr'], ['it'], ['hr', 'it']];

export interface LoadOptions {
  readonly url: string;
  readonly readers: readonly Caller[];
  /** Each writes documents of its tenant, one write after the other, of numbers that no other writer has. */
  readonly writers: readonly Caller[];
  readonly known: KnownDocuments;
  readonly random: () => number;
  readonly report: LoadReport;
}

/** Searches, questions and writes of several tenants until it is stopped, each response held against what is known. */
export class Load {
  readonly #options: LoadOptions;
  readonly #clients: Promise<void>[] = [];
  readonly #violations: string[] = [];
  #isStopped = false;
  #isReadingAlone = false;
  /** Writes that are under way. */
  readonly #writing = new Set<Promise<void>>();
  #number = 0;

  private constructor(options: LoadOptions) {
    this.#options = options;
  }

  /** Writes something of each writer first, so that there is an index. */
  static async begin(options: LoadOptions): Promise<Load> {
    const load = new Load(options);
    for (const caller of options.writers) await load.#write(caller, { isDeletion: false });
    const { random } = options;
    const write = (caller: Caller): Promise<void> =>
      load.#isReadingAlone ? sleep(50) : load.#noted(load.#write(caller, { isDeletion: random() < 0.2 }));
    load.#clients.push(
      ...options.readers.map((caller) => load.#repeat(() => load.#read(caller))),
      ...options.writers.map((caller) => load.#repeat(() => write(caller))),
    );
    return load;
  }

  /** What was wrong since this was called last, each kind of it a few times. */
  takeViolations(): string[] {
    const seen = new Map<string, number>();
    this.#options.report.violations += this.#violations.length;
    return this.#violations.splice(0).filter((text) => {
      const kind = text.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|\d+/g, '#');
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
      return (seen.get(kind) ?? 0) <= 2;
    });
  }

  /** Ends when nothing is written any more. What was kept of a search holds until something is written. */
  async readAlone(): Promise<void> {
    this.#isReadingAlone = true;
    await Promise.allSettled(this.#writing);
  }

  writeAgain(): void {
    this.#isReadingAlone = false;
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#clients);
  }

  /** Holds an answer to a question against what is known, and notes it. */
  checked(caller: Caller, what: string, { answered, from, to }: Timed): Answered {
    const { known, report } = this.#options;
    const { status, text, level, tookMs } = answered;
    const wrong = (problem: string): void =>
      void this.#violations.push(`${what} of ${caller.name} (${status}, ${tookMs} ms): ${problem}`);
    for (const problem of known.violations(text, caller, { from, to })) wrong(problem);
    report.tookMs.push(tookMs);
    report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    report.levels[String(level)] = (report.levels[String(level)] ?? 0) + 1;
    if (tookMs > TIMEOUT_MS + BUSY_MS) wrong('it took longer than a request may');
    if (text.includes('REQUEST_TIMEOUT')) wrong('what it waited for has no limit of its own');
    if (level === undefined) wrong(`it does not say its level: ${text.slice(0, MOST_SHOWN)}`);
    if (status !== 200) this.#checkProblem(answered, wrong);
    return answered;
  }

  #checkProblem({ status, text }: Answered, wrong: (problem: string) => void): void {
    if (status !== 503 && status !== 504) wrong(text.slice(0, MOST_SHOWN));
    else if (!/"parts":\["/.test(text)) wrong(`it does not say what is out: ${text.slice(0, MOST_SHOWN)}`);
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#isStopped) {
      // The service is there all the while.
      await work().catch((error: unknown) => this.#violations.push(`no answer: ${String(error)}`));
      await sleep(50 + this.#options.random() * 150);
    }
  }

  async #noted(write: Promise<void>): Promise<void> {
    this.#writing.add(write);
    try {
      await write;
    } finally {
      this.#writing.delete(write);
    }
  }

  async #read(caller: Caller): Promise<void> {
    const { random, report, url } = this.#options;
    const word = WORDS[Math.floor(random() * WORDS.length)] ?? '';
    if (random() < 0.15) {
      report.answers++;
      const question = `What is the ${word} of note ${Math.floor(random() * DOCUMENTS)}?`;
      const body = { question, tenantId: caller.tenant };
      this.checked(caller, 'answer', await ask(url, caller, 'POST', '/api/ai/rag/answer', body));
      return;
    }
    report.searches++;
    // Some are asked again and again, others never were.
    const query = random() < 0.4 ? `the ${word}` : `${word} of ${this.#number++} gardens`;
    this.checked(caller, 'search', await search(url, caller, query));
  }

  async #write(caller: Caller, { isDeletion }: { readonly isDeletion: boolean }): Promise<void> {
    const { random, known, report, url, writers } = this.#options;
    const document = Math.floor(random() * DOCUMENTS) * writers.length + writers.indexOf(caller);
    const groups = isDeletion ? undefined : (READERS[Math.floor(random() * READERS.length)] ?? []);
    const version = known.begin(caller.tenant, document, groups, performance.now());
    report.writes++;
    const { answered, to } = isDeletion
      ? await ask(url, caller, 'DELETE', `/api/ai/rag/note-${document}`)
      : await ask(url, caller, 'POST', '/api/ai/rag/index', {
          id: `note-${document}`,
          tenantId: caller.tenant,
          content: textOf(document, version.token),
          access: { groups },
        });
    const { status, tookMs } = answered;
    report.slowestWriteMs = Math.max(report.slowestWriteMs, tookMs);
    const wrong = (problem: string): void =>
      void this.#violations.push(
        `${isDeletion ? 'deletion' : 'push'} of ${caller.name} (${status}, ${tookMs} ms): ${problem}`,
      );
    if (tookMs > TIMEOUT_MS + BUSY_MS) wrong('it took longer than a request may');
    // Deleting what is not there changes nothing, and says so.
    if (status === 200 || status === 204 || (isDeletion && status === 404)) {
      report.acknowledged++;
      version.acknowledge(to);
    } else this.#checkProblem(answered, wrong);
  }
}

/** A note that every question finds. */
const textOf = (document: number, token: string): string =>
  [
    `The ${wordAt(document)} of note ${document} is ${token}.`,
    `The ${wordAt(document + 3)} lives beside the gardens of the ${wordAt(document + 5)}.\n`,
  ].join('\n\n');

const wordAt = (number: number): string => WORDS[number % WORDS.length] ?? '';
