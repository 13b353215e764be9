import { Transform, type TransformCallback } from 'node:stream';
import type { FastifyInstance } from 'fastify';
import { RAGError } from '../../../index.js';
import { MOST_BYTES } from './body-limits.js';
import { giveToTenant, hasBody } from './limit-load.js';
import type { SharedPlaces } from './shared-places.js';

/** Bytes that are handed on at once. */
const BLOCK_BYTES = 65_536;
/** Pieces of any size that a body may come in; of more, each has to have some bytes on average, for it costs what a kilobyte does. */
const FREE_PIECES = 10_000;
const LEAST_BYTES = 32;

/**
 * Bodies are read in blocks, which hold places of their bytes until they are answered: kept one by one, the pieces of a chunked body take a hundred times their bytes. One in too many small pieces is refused, and its connection closed.
 */
export function joinPieces(app: FastifyInstance, bytes: SharedPlaces): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request)) {
      done(null, payload);
      return;
    }
    const held = bytes.take(0);
    giveToTenant(request, held);
    const joined = new JoinedPieces({
      onTooSmall: () => void reply.header('connection', 'close'),
      onBytes: (all, before) => held.grow(Math.max(0, all - MOST_BYTES) - Math.max(0, before - MOST_BYTES)),
    });
    // The reader may have stopped listening.
    joined.on('error', () => undefined);
    payload
      .on('error', (error) => joined.destroy(error))
      .on('close', () => {
        if (!payload.readableEnded) joined.destroy(new RAGError('ABORTED', 'The caller went away.'));
      });
    reply.raw.once('close', () => {
      held.leave();
      // What was answered before its body had come is read on, so that the caller can send it to the end and hear the answer.
      payload.unpipe(joined).resume();
    });
    done(null, payload.pipe(joined));
  });
}

interface Watch {
  /** It is refused for its pieces. */
  readonly onTooSmall: () => void;
  /** So many bytes came; what this throws refuses the body. */
  readonly onBytes: (all: number, before: number) => void;
}

class JoinedPieces extends Transform {
  readonly #watch: Watch;
  #block: Buffer = Buffer.alloc(0);
  #filled = 0;
  #pieces = 0;
  #bytes = 0;

  constructor(watch: Watch) {
    super();
    this.#watch = watch;
  }

  override _transform(piece: Buffer, _: BufferEncoding, done: TransformCallback): void {
    this.#pieces += 1;
    this.#bytes += piece.length;
    if (this.#pieces > FREE_PIECES && this.#bytes < LEAST_BYTES * this.#pieces) {
      this.#watch.onTooSmall();
      done(
        new RAGError(
          'REQUEST_INVALID',
          `The body comes in more than ${FREE_PIECES} pieces of less than ${LEAST_BYTES} bytes on average. Send it in larger ones.`,
        ),
      );
      return;
    }
    try {
      this.#watch.onBytes(this.#bytes, this.#bytes - piece.length);
    } catch (error) {
      done(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    // Most bodies come in one.
    if (this.#pieces === 1) {
      this.#block = piece;
      this.#filled = piece.length;
    } else this.#append(piece);
    done();
  }

  override _flush(done: TransformCallback): void {
    this.#handOn();
    done();
  }

  #append(piece: Buffer): void {
    if (this.#filled + piece.length > this.#block.length) {
      this.#handOn();
      this.#block = Buffer.allocUnsafe(Math.max(BLOCK_BYTES, piece.length));
    }
    piece.copy(this.#block, this.#filled);
    this.#filled += piece.length;
  }

  #handOn(): void {
    if (this.#filled > 0) this.push(this.#block.subarray(0, this.#filled));
    this.#filled = 0;
  }
}
