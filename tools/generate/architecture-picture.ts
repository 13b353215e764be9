import { readFileSync } from 'node:fs';
import { Graphviz } from '@hpcc-js/wasm-graphviz';

const SOURCE = new URL('../pictures/architecture.dot', import.meta.url);

/** `architecture.dot` drawn by Graphviz. */
export async function architecturePicture(): Promise<string> {
  const graphviz = await Graphviz.load();
  return graphviz.dot(readFileSync(SOURCE, 'utf8'), 'svg');
}
