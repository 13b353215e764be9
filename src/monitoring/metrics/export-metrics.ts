import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { repeat } from '../../core/runtime.js';
import type { MetricRegistry } from './metric-registry.js';

export interface MetricFiles {
  /** Folder of the files; made where it is missing. */
  readonly folder: string;
  /** Name of this process's file, without `.prom`: nobody else writes it. */
  readonly name: string;
  /** Milliseconds between two exports. */
  readonly intervalMs: number;
  /** The file goes when the process ends, because its name will not come again. */
  readonly isTemporary: boolean;
  /** Told of what cannot be written, once until it can be again. */
  readonly onProblem: (problem: string) => void;
}

/** Writes the metrics to a file now and then, each time whole: whoever reads it never sees half of it. */
export class MetricExport {
  readonly #registry: MetricRegistry;
  readonly #files: MetricFiles;
  readonly #path: string;
  readonly #stop: () => void;
  #writing: Promise<void> = Promise.resolve();
  #hasProblem = false;

  constructor(registry: MetricRegistry, files: MetricFiles) {
    this.#registry = registry;
    this.#files = files;
    this.#path = join(files.folder, `${files.name}.prom`);
    this.#write();
    this.#stop = repeat(() => this.#write(), files.intervalMs, { isBackground: true });
  }

  #write(): void {
    this.#writing = this.#writing.then(() => this.#writeOnce());
  }

  async #writeOnce(): Promise<void> {
    const unfinished = `${this.#path}.new`;
    try {
      await mkdir(this.#files.folder, { recursive: true });
      await writeFile(unfinished, await this.#registry.text());
      await rename(unfinished, this.#path);
      this.#hasProblem = false;
    } catch (error) {
      if (!this.#hasProblem)
        this.#files.onProblem(
          `Metrics cannot be written to ${this.#path} (${error instanceof Error ? error.message : String(error)}). Check rag.monitoring.metrics.exportPath.`,
        );
      this.#hasProblem = true;
    }
  }

  /** Writes once more, or removes the file. */
  async stop(): Promise<void> {
    this.#stop();
    if (!this.#files.isTemporary) this.#write();
    await this.#writing;
    if (this.#files.isTemporary) await rm(this.#path, { force: true });
  }
}
