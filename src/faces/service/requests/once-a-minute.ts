import { SYSTEM_RUNTIME } from '../../../index.js';

const MINUTE_MS = 60_000;
/** Texts that are remembered. */
const MOST_TEXTS = 256;

/** True for a text that was not asked about in the last minute: what every search would say is logged once. */
export function onceAMinute(): (text: string) => boolean {
  const said = new Map<string, number>();
  return (text) => {
    const now = SYSTEM_RUNTIME.elapsed();
    const last = said.get(text);
    if (last !== undefined && now - last < MINUTE_MS) return false;
    if (said.size >= MOST_TEXTS) said.clear();
    said.set(text, now);
    return true;
  };
}
