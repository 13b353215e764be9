import { CONVERTED_MEDIA_TYPES, isCodeMediaType, MEDIA_TYPES } from '../../core/media-types.js';
import type { ParserOptions } from '../create-parsers.js';
import type { Parser } from '../parser.js';
import type { ParsingLimits } from './parsing-thread.js';
import { ParsingThreads } from './parsing-threads.js';

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
