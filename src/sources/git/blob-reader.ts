import { RAGError } from '../../core/errors.js';
import { runtime } from '../../core/runtime.js';
import { type GitContext, spawnGit } from './git-process.js';

interface Waiting {
  readonly blob: string;
  resolve(content: Uint8Array): void;
  reject(error: unknown): void;
}

/** How long the process stays when nobody asks, in milliseconds. */
const IDLE_MS = 2_000;
const NEWLINE = 0x0a;

/** Contents of objects by one process for all of them (`git cat-file --batch`), in the order they are asked for. */
export class BlobReader {
  readonly #context: GitContext;
  #child: ReturnType<typeof spawnGit> | undefined;
  #waiting: Waiting[] = [];
  #pieces: Buffer[] = [];
  #length = 0;
  /** Bytes of the answer that is being received, with the line break after it; undefined while its head is awaited. */
  #expected: number | undefined;
  #cancelEnd: (() => void) | undefined;

  constructor(context: GitContext) {
    this.#context = context;
  }

  /** @throws RAGError `DOCUMENT_VANISHED` where the object is not in the repository, `DOCUMENT_UNREADABLE` where Git fails. */
  read(blob: string): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      this.#cancelEnd?.();
      this.#waiting.push({ blob, resolve, reject });
      const child = this.#running();
      keepAlive(child, true);
      child.stdin.write(`${blob}\n`);
    });
  }

  #running(): ReturnType<typeof spawnGit> {
    if (this.#child !== undefined) return this.#child;
    const child = spawnGit(this.#context, ['cat-file', '--batch']);
    this.#child = child;
    child.stdout.on('data', (piece: Buffer) => {
      if (this.#child !== child) return;
      this.#pieces.push(piece);
      this.#length += piece.length;
      this.#answer();
    });
    child.stderr.resume();
    child.stdin.on('error', () => undefined);
    const fail = (cause: unknown): void => this.#end(child, cause);
    child.once('error', fail);
    child.once('close', fail);
    return child;
  }

  /** Hands out what has come completely. */
  #answer(): void {
    for (;;) {
      if (this.#expected === undefined && !this.#readHead()) break;
      const size = this.#expected ?? 0;
      if (this.#length < size) break;
      const content = this.#take(size).subarray(0, -1);
      this.#expected = undefined;
      this.#waiting.shift()?.resolve(content);
    }
    if (this.#waiting.length === 0) this.#rest();
  }

  /** `<object> <type> <size>` or `<object> missing`, see git-cat-file(1). False where no whole line is there, or none is left. */
  #readHead(): boolean {
    for (;;) {
      const end = this.#joined().indexOf(NEWLINE);
      if (end < 0) return false;
      const [, , size] = this.#take(end + 1)
        .toString('utf8')
        .trim()
        .split(' ');
      if (size !== undefined) {
        this.#expected = Number(size) + 1;
        return true;
      }
      const waiting = this.#waiting.shift();
      waiting?.reject(
        new RAGError('DOCUMENT_VANISHED', `The object ${waiting.blob} is not in the repository any more.`),
      );
    }
  }

  #joined(): Buffer {
    const all = this.#pieces.length === 1 ? this.#pieces[0] : Buffer.concat(this.#pieces);
    const buffer = all ?? Buffer.alloc(0);
    this.#pieces = [buffer];
    return buffer;
  }

  #take(bytes: number): Buffer {
    const all = this.#joined();
    this.#pieces = [all.subarray(bytes)];
    this.#length -= bytes;
    return all.subarray(0, bytes);
  }

  /** A process that nobody waits for must not keep ours alive; it ends with its input. */
  #rest(): void {
    const child = this.#child;
    if (child === undefined) return;
    keepAlive(child, false);
    const end = (): void => {
      if (this.#waiting.length > 0 || this.#child !== child) return;
      // A question while it ends is answered by another one.
      this.#child = undefined;
      child.stdin.end();
    };
    this.#cancelEnd?.();
    this.#cancelEnd = runtime().setTimer(end, IDLE_MS, { isBackground: true });
  }

  #end(child: ReturnType<typeof spawnGit>, cause: unknown): void {
    if (this.#child !== child) return;
    this.#child = undefined;
    this.#pieces = [];
    this.#length = 0;
    this.#expected = undefined;
    const left = this.#waiting;
    this.#waiting = [];
    for (const { blob, reject } of left)
      reject(new RAGError('DOCUMENT_UNREADABLE', `Git could not read the object ${blob}.`, { cause }));
  }
}

/** Whether a process and its pipes keep ours running. */
function keepAlive(child: ReturnType<typeof spawnGit>, isNeeded: boolean): void {
  for (const handle of [child, child.stdin, child.stdout, child.stderr]) {
    // Pipes are sockets, which their types do not say.
    const name = isNeeded ? 'ref' : 'unref';
    const method: unknown = Reflect.get(handle, name);
    if (typeof method === 'function') Reflect.apply(method, handle, []);
  }
}
