/**
 * One host of a shared index, as a process: `host-process.ts NAME SETTINGS`, SETTINGS being the options of `createEngine` as JSON.
 * It is told what to do by messages, and says what came of it.
 */

import { toRAGError } from '../../../src/core/errors.js';
import { createEngine } from '../../../src/engine/create-engine.js';

export type Order =
  /** Pushes what a process before had not got through, then brings the source in step and pushes documents, again and again. */
  | { readonly do: 'write'; readonly first: readonly string[] }
  /** Ends the writing with one more run over everything. */
  | { readonly do: 'finish' }
  /** Searches again and again. */
  | { readonly do: 'read' }
  /** Ends the reading and answers. */
  | { readonly do: 'answer'; readonly queries: readonly string[] };

export type Report =
  | { readonly said: 'ready' }
  | { readonly said: 'pushing'; readonly ids: readonly string[] }
  /** Documents that are indexed: they must never be lost from now on. */
  | { readonly said: 'pushed'; readonly ids: readonly string[] }
  | { readonly said: 'finished'; readonly failures: readonly string[] }
  | { readonly said: 'answers'; readonly answers: readonly Answer[]; readonly failures: readonly string[] };

/** Ids and scores of what a query found, in order. */
export type Answer = readonly (readonly [string, number])[];

const [name = '', settings = '{}'] = process.argv.slice(2);
const engine = await createEngine(JSON.parse(settings) as Parameters<typeof createEngine>[0]);
const report = (message: Report): void => void process.send?.(message);
const failures: string[] = [];
const isOver = { writing: false, reading: false };
let working: Promise<void> = Promise.resolve();

/** What is deleted between the listing and the reading of its source is no fault. */
const PASSING = new Set(['DOCUMENT_VANISHED', 'DOCUMENT_UNREADABLE']);

async function indexAll(): Promise<void> {
  const { stats } = await engine.index();
  for (const { reason, message } of stats.errors) if (!PASSING.has(reason)) failures.push(message);
}

async function push(ids: readonly string[]): Promise<void> {
  report({ said: 'pushing', ids });
  await engine.push(ids.map((id) => ({ id, text: `The push ${id} was last told by ${name} at harvest.` })));
  report({ said: 'pushed', ids });
}

async function write(first: readonly string[]): Promise<void> {
  if (first.length > 0) await push(first);
  for (let round = 0; !isOver.writing; round++) {
    await indexAll();
    // One of its own, and one that the other host pushes too.
    await push([`${name}-${process.pid}-${round}`, `common-${round % 3}`]);
  }
}

async function read(): Promise<void> {
  for (let round = 0; !isOver.reading; round++) {
    const { results } = await engine.search(`the gate of garden ${round % 20}`);
    if (results.length === 0) failures.push('A search found nothing.');
  }
}

const collected = (work: Promise<void>): Promise<void> =>
  work.catch((error: unknown) => {
    const { reason, message, stack } = toRAGError(error, 'INTERNAL', String(error));
    failures.push(`${reason}: ${message} ${stack ?? ''}`);
  });

async function obey(order: Order): Promise<void> {
  if (order.do === 'write') working = collected(write(order.first));
  else if (order.do === 'read') working = collected(read());
  else if (order.do === 'finish') {
    isOver.writing = true;
    await working;
    await collected(indexAll());
    report({ said: 'finished', failures });
  } else {
    isOver.reading = true;
    await working;
    const answers: Answer[] = [];
    for (const query of order.queries)
      answers.push(
        (await engine.search({ text: query, topK: 10 })).results.map(({ id, score }) => [id, score]),
      );
    report({ said: 'answers', answers, failures });
  }
}

process.on('message', (order: Order) => void obey(order));
process.on('disconnect', () => process.exit());
report({ said: 'ready' });
