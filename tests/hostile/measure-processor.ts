/**
 * Prints what parsers, grammars and chunkers take too much of the processor for, over every one that there is: growth that is not in proportion (what runs
 * inside of one call of a text's method is no step that could be counted), and work that is done once. The end of the process belongs to it, for threads of V8
 * that still compile.
 */
import type { ParsedDocument } from '../../src/core/document.js';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import { createParsers } from '../../src/parsing/create-parsers.js';
import { isolateParsers } from '../../src/parsing/worker/parsing-threads.js';
import { LONG_DOCUMENTS, type MakeDocument } from './long-documents.js';
import { MEASURED_CHUNKERS } from './measured-chunkers.js';

const [SHORT, LONG] = [400, 6_400];
/** Beyond proportion; the square of the length would be 16 times of it. A busy machine and the collector of garbage take less. */
const TOLERANCE = 3;
/** What is too short to be measured, in milliseconds. */
const CONSTANT_MS = 20;
/** Of the processor, for what a kind of document needs once: a second, and half of one for the translation of TypeScript as it loads and a busy machine. */
const MOST_ONCE_MS = 1_500;

const processorMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

const parsers = isolateParsers(createParsers(), {}, { timeoutMs: 300_000, memoryMb: 1_024 });

const tooMuch: string[] = [];

async function parse(mediaType: string, content: string | Uint8Array): Promise<ParsedDocument> {
  const parsed = await parsers
    .get(mediaType)
    ?.parse({ externalId: 'a', mediaType, content, metadata: {}, access: OPEN_ACCESS });
  if (parsed === undefined) throw new Error(`no parser of ${mediaType}`);
  return parsed;
}

async function measured<Result>(work: () => Result | Promise<Result>): Promise<[Result, number]> {
  const before = processorMs();
  const result = await work();
  return [result, processorMs() - before];
}

function compare(what: string, short: number, long: number): void {
  if (long > TOLERANCE * (LONG / SHORT) * (short + CONSTANT_MS))
    tooMuch.push(
      `${what}: ${Math.round(short)} ms, then ${Math.round(long)} ms for ${LONG / SHORT} times as much`,
    );
}

async function measureDocument(what: string, mediaType: string, make: MakeDocument): Promise<void> {
  const [, once] = await measured(() => parse(mediaType, make(1)));
  if (once > MOST_ONCE_MS) tooMuch.push(`${what}: ${Math.round(once)} ms for the first`);
  const [short, shortMs] = await measured(() => parse(mediaType, make(SHORT)));
  const [long, longMs] = await measured(() => parse(mediaType, make(LONG)));
  compare(what, shortMs, longMs);
  for (const { strategy, chunker } of MEASURED_CHUNKERS) {
    const [, shortCut] = await measured(() => chunker.chunk(short).length);
    const [, longCut] = await measured(() => chunker.chunk(long).length);
    compare(`${what}, ${strategy} chunks`, shortCut, longCut);
  }
}

const unmeasured = [...parsers.keys()].filter((mediaType) => LONG_DOCUMENTS[mediaType] === undefined);
for (const [mediaType, documents] of Object.entries(LONG_DOCUMENTS))
  for (const [name, make] of Object.entries(documents))
    await measureDocument(`${mediaType}, ${name}`, mediaType, make);

const before = processorMs();
process.on('exit', () => {
  const rest = processorMs() - before;
  if (rest > MOST_ONCE_MS) tooMuch.push(`${Math.round(rest)} ms after the last document`);
  process.stdout.write(JSON.stringify({ tooMuch, unmeasured, strategies: MEASURED_CHUNKERS.length }));
});
