import { RAGError } from '../core/errors.js';

/** Refuses a switch of somebody who does not know what is live by now. */
export function assertStillLive(
  live: number | undefined,
  { from, to }: { readonly from: number; readonly to: number },
): void {
  if (live === from || live === to) return;
  throw new RAGError(
    'INDEX_LEASE_LOST',
    `Generation ${to} was to take the place of generation ${from}, and another process has put ${live === undefined ? 'none' : `generation ${live}`} in use since. Searches go on with that one; nothing is lost.`,
  );
}

/** Of a writer whose generation another one has dropped. */
export const generationLost = (generation: number): RAGError =>
  new RAGError(
    'INDEX_LEASE_LOST',
    `Generation ${generation} was dropped while it was being written. Run the command again.`,
  );

export const unknownGeneration = (generation: number): RAGError =>
  new RAGError('USAGE', `There is no generation ${generation}: \`ragstone generations\` lists them.`);
