import type { Contender } from './contender.js';

/** Each is loaded only in its own process, so that memory is its own. */
const CONTENDERS: Readonly<Record<string, () => Promise<Contender>>> = {
  'ragstone-lancedb': async () => (await import('./ragstone.js')).ragstone('lancedb'),
  'ragstone-libsql': async () => (await import('./ragstone.js')).ragstone('libsql'),
  langchain: async () => (await import('./langchain.js')).langchain,
  orama: async () => (await import('./orama.js')).orama,
};

export const CONTENDER_NAMES: readonly string[] = Object.keys(CONTENDERS);

/** Throws a RangeError for a name that is none of `CONTENDER_NAMES`. */
export async function contenderNamed(name: string): Promise<Contender> {
  const load = CONTENDERS[name];
  if (load === undefined) throw new RangeError(`There is no contender "${name}".`);
  return load();
}
