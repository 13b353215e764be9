import { createHash } from 'node:crypto';

/** A text of somebody else that is to stand in a prompt. */
export interface DataBlock {
  /** Made inert before (`neutralise`). */
  readonly body: string;
  /** What an answer cites it by. */
  readonly n?: number | undefined;
  /** Words for the opening mark, ours alone: texts of documents belong into the body. */
  readonly attributes?: Readonly<Record<string, string | undefined>> | undefined;
}

const KEY_LENGTH = 12;

/**
 * Each text between marks that carry a key made of the hash of all of them: a text that closes its own block would have to
 * hold its own hash. The same texts always give the same blocks, so that caches of prompts work.
 */
export function dataBlocks(blocks: readonly DataBlock[]): string[] {
  const key = keyFor(blocks.map(({ body }) => body));
  return blocks.map(({ body, n, attributes = {} }) => {
    const stated = Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [` ${name}="${value}"`],
    );
    const number = n === undefined ? '' : ` n="${n}"`;
    return `<passage${number} key="${key}"${stated.join('')}>\n${body}\n\n</passage key="${key}">`;
  });
}

function keyFor(bodies: readonly string[]): string {
  const all = bodies.join('\0');
  for (let attempt = 0; ; attempt++) {
    const key = createHash('sha256').update(`${attempt}\0${all}`).digest('hex').slice(0, KEY_LENGTH);
    if (!all.includes(key)) return key;
  }
}
