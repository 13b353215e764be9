import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../../../core/errors.js';
import { repeat } from '../../../core/runtime.js';
import { type LockFile, tryLockFile } from '../../../ledger/lock-file.js';
import type { MetricRegistry } from './metric-registry.js';

export interface MetricFiles {
  /** Folder of the files; made where it is missing. */
  readonly folder: string;
  /** Name of this process's file, without `.prom`; where another process has it, one with the number of this process is written. */
  readonly name: string;
  /** Milliseconds between two exports. */
  readonly intervalMs: number;
  /** The file goes when the process ends, because its name will not come again. */
  readonly isTemporary: boolean;
  /** Told of what cannot be written, once until it can be again. */
  readonly onProblem: (problem: string) => void;
}

/** Writes the metrics to a file now and then, each time whole: readers never see half of it. */
export class MetricExport {
  readonly #registry: MetricRegistry;
  readonly #files: MetricFiles;
  /** A file of its own where another process writes the one of the name. */
  #path: string;
  #lock: LockFile | undefined;
  #isTemporary: boolean;
  #isNamed = false;
  readonly #stop: () => void;
  #writing: Promise<void> = Promise.resolve();
  #hasProblem = false;

  constructor(registry: MetricRegistry, files: MetricFiles) {
    this.#registry = registry;
    this.#files = files;
    this.#path = join(files.folder, `${files.name}.prom`);
    this.#isTemporary = files.isTemporary;
    this.#write();
    this.#stop = repeat(() => this.#write(), files.intervalMs, { isBackground: true });
  }

  #write(): void {
    this.#writing = this.#writing.then(() => this.#writeOnce());
  }

  async #writeOnce(): Promise<void> {
    try {
      await mkdir(this.#files.folder, { recursive: true });
      this.#takeName();
      const unfinished = `${this.#path}.new`;
      await writeFile(unfinished, await this.#registry.text());
      await rename(unfinished, this.#path);
      this.#hasProblem = false;
    } catch (error) {
      if (!this.#hasProblem)
        this.#files.onProblem(
          `Metrics cannot be written to ${this.#path} (${messageOf(error)}). Check rag.monitoring.metrics.exportPath.`,
        );
      this.#hasProblem = true;
    }
  }

  /** Two processes of one name (two services on one folder) would write their numbers over each other. */
  #takeName(): void {
    if (this.#isNamed) return;
    const { folder, name, onProblem } = this.#files;
    // Of a name that is a process's own there is nothing to settle.
    if (!this.#isTemporary) {
      this.#lock = tryLockFile(join(folder, `.${name}.lock`));
      if (this.#lock === undefined) {
        this.#path = join(folder, `${name}-${process.pid}.prom`);
        this.#isTemporary = true;
        onProblem(
          `Another process writes its metrics to ${join(folder, `${name}.prom`)}; those of this one are in ${this.#path}, which goes when it ends.`,
        );
      }
    }
    this.#isNamed = true;
  }

  /** Writes once more, or removes the file. */
  async stop(): Promise<void> {
    this.#stop();
    if (!this.#isTemporary) this.#write();
    await this.#writing;
    if (this.#isTemporary) await rm(this.#path, { force: true });
    this.#lock?.release();
  }
}
