// Entry of the thread that parses; it may be killed at any moment and keeps nothing.
import { parentPort } from 'node:worker_threads';
import { RAGError } from '../../core/errors.js';
import { sentError } from '../../core/sent-error.js';
import { createParsers } from '../create-parsers.js';
import type { Parser } from '../parser.js';
import { threadIsSpent } from '../spent-thread.js';
import { type ParseReply, type ParseRequest, READY } from './parse-message.js';

const parsersByOptions = new Map<string, ReadonlyMap<string, Parser>>();

/** Parsers load their libraries once, so they are kept from document to document. */
function parserFor({ document, options }: ParseRequest): Parser | undefined {
  const key = JSON.stringify(options);
  const parsers = parsersByOptions.get(key) ?? createParsers(options);
  parsersByOptions.set(key, parsers);
  return parsers.get(document.mediaType);
}

async function reply(request: ParseRequest): Promise<ParseReply> {
  try {
    const parser = parserFor(request);
    if (parser === undefined) return { failure: { message: 'no parser' }, isSpent: false };
    const parsed = await parser.parse(request.document);
    return { parsed, isSpent: threadIsSpent() };
  } catch (error) {
    return { failure: sentError(error), isSpent: !RAGError.isInstance(error) || threadIsSpent() };
  }
}

parentPort?.on('message', (request: ParseRequest) => {
  // `reply` never rejects; an answer that cannot be sent ends the thread, which is reported.
  void reply(request).then((answer) => parentPort?.postMessage(answer));
});
parentPort?.postMessage(READY);
