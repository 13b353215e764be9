import { parentPort } from 'node:worker_threads';

/** What the parsing thread sends while it does work that has limits of its own. */
export const STILL_AT_WORK = 'still at work';

/** In the parsing thread: the time that the document may take begins anew. */
export const stillAtWork = (): void => parentPort?.postMessage(STILL_AT_WORK);
