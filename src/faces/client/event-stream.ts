import { tooLong } from './service-error.js';

/** One event of a stream. */
export interface StreamEvent {
  readonly name: string;
  readonly data: string;
}

/** Characters of one event, its lines together; an answer with its sources has a small part of it. */
const MOST_CHARACTERS = 16_777_216;

/**
 * Reads server-sent events (HTML Standard, 9.2.6). A stream that is left before its end is cancelled.
 *
 * @throws ServiceError for an event without an end
 */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<StreamEvent> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  let name = '';
  let data: string[] = [];
  let held = 0;
  let endsInReturn = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const piece = done ? decoder.decode() : decoder.decode(value, { stream: true });
      const isInLine = !done && !endsInReturn && !/[\r\n]/.test(piece);
      if (piece !== '') endsInReturn = piece.endsWith('\r');
      rest += piece;
      if (rest.length + held > MOST_CHARACTERS) throw tooLong(MOST_CHARACTERS);
      // Without this a long line would be read again from its beginning with each piece.
      if (isInLine) continue;
      const lines = rest.split(LINE_END);
      // The last one may go on in the next piece. At the end, what is not followed by an empty line is no event.
      rest = lines.pop() ?? '';
      for (const line of lines) {
        if (line === '') {
          if (data.length > 0) yield { name: name === '' ? 'message' : name, data: data.join('\n') };
          name = '';
          data = [];
          held = 0;
          continue;
        }
        const [field, text] = fieldOf(line);
        held += line.length;
        if (field === 'event') name = text;
        else if (field === 'data') data.push(text);
      }
      if (done) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/** A carriage return at the end of a piece may be the first half of a line's end. */
const LINE_END = /\r\n|\n|\r(?!$)/;

function fieldOf(line: string): readonly [field: string, text: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(colon + 1).replace(/^ /, '')];
}
