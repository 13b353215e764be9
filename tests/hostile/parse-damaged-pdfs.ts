// A process of its own: parses every damaged variant of a PDF, prints what came of each as one JSON array, and ends.
import { RAGError } from '../../src/core/errors.js';
import { MEDIA_TYPES } from '../../src/core/media-types.js';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import { createParsers } from '../../src/parsing/create-parsers.js';
import { isolateParsers } from '../../src/parsing/worker/parsing-threads.js';
import { makePdf } from '../fixtures/documents/make-pdf.js';

const VALID = Buffer.from(
  makePdf([['One.', 'Two.'], ['Three.'], ['Four.'], ['Five.']], { title: 'Title' }),
).toString('latin1');

/** Where an object begins and where one is referred to. */
const PLACES = [...VALID.matchAll(/\d+ 0 (?:obj|R)/g)];

/** Two changes a variant: a failure at one object makes PDF.js forget that it has asked for the other. */
const VARIANTS = PLACES.flatMap((first, at) =>
  PLACES.slice(at + 1).map((second) => damage(damage(VALID, first), second)),
);

function damage(file: string, { index, 0: { length } }: RegExpExecArray): string {
  return file.slice(0, index) + '#'.repeat(length) + file.slice(index + length);
}

const parser = isolateParsers(createParsers(), {}, { timeoutMs: 30_000, memoryMb: 512 }).get(MEDIA_TYPES.pdf);

async function outcomeOf(variant: string): Promise<string> {
  try {
    await parser?.parse({
      externalId: 'a.pdf',
      mediaType: MEDIA_TYPES.pdf,
      content: Buffer.from(variant, 'latin1'),
      metadata: {},
      access: OPEN_ACCESS,
    });
    return 'read';
  } catch (error) {
    return RAGError.isInstance(error) ? error.reason : String(error);
  }
}

const outcomes: string[] = [];
for (const variant of VARIANTS) outcomes.push(await outcomeOf(variant));
process.stdout.write(JSON.stringify(outcomes));
