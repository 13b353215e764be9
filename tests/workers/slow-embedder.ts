import { setTimeout as sleep } from 'node:timers/promises';
import type { Embedder } from '../../src/embedding/embedder.js';
import { createHashEmbedder } from '../../src/testing/hash-embedder.js';

/** A text with this word ends the process that embeds it, where it is told so. */
export const DEADLY = 'nightshade';

/** As the hash embedder, and so slow that a process is likely to be killed while it embeds. */
export function slowEmbedder({
  delayMs,
  isMortal = false,
}: {
  readonly delayMs: number;
  readonly isMortal?: boolean | undefined;
}): Embedder {
  const inner = createHashEmbedder();
  return {
    ...inner,
    doEmbed: async (texts, kind, signal) => {
      if (isMortal && texts.some((text) => text.includes(DEADLY))) process.kill(process.pid, 'SIGKILL');
      await sleep(delayMs, undefined, { signal });
      return inner.doEmbed(texts, kind, signal);
    },
  };
}
