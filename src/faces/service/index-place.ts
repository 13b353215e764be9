import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DATA_FILES } from '../../config/find-project.js';
import { RAGError } from '../../index.js';

/**
 * The data folder of an index that is kept in it. A folder that is gone, or another one in its place without an index (the disk is not
 * mounted any more), takes no writes: they would go into an index begun anew, be acknowledged, and be gone when the disk is back.
 */
export class IndexPlace {
  readonly #dataDir: string;
  /** The folder in which an index was last seen. */
  #seen: string | undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.isThere();
  }

  isThere(): boolean {
    const folder = identityOf(this.#dataDir);
    if (folder !== undefined && identityOf(join(this.#dataDir, DATA_FILES.ledger)) !== undefined)
      this.#seen = folder;
    // One that was cleared is still the same folder.
    return this.#seen === undefined || folder === this.#seen;
  }

  /** @throws RAGError `INDEX_UNAVAILABLE` */
  assertThere(): void {
    if (this.isThere()) return;
    throw new RAGError(
      'INDEX_UNAVAILABLE',
      `The data folder ${this.#dataDir} was removed, or another folder without an index is in its place, since the service began. Nothing is written: put it back, or start the service again to begin a new index.`,
    );
  }
}

function identityOf(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && `${stats.dev} ${stats.ino}`;
}
