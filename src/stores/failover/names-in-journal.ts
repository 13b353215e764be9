import { MACHINE_FILES } from './journal-files.js';
import { WriteJournal } from './write-journal.js';

/**
 * Names of the stores that the journal of a folder knows, the first one first, then in the order in which they came; none where there is no
 * journal.
 *
 * @throws RAGError `INDEX_DAMAGED` for a journal that cannot be read
 */
export async function namesInJournal(folder: string): Promise<string[]> {
  const journal = new WriteJournal({ folder, maxBytes: 0, files: MACHINE_FILES });
  try {
    return Object.keys((await journal.refresh())?.stores ?? {});
  } finally {
    await journal.close();
  }
}
