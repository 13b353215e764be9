import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEngine } from '../engine/create-engine.js';
import { readHeld } from './carry-over.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rebuilt-'));
});
afterEach(() => rm(folder, { recursive: true }));

const rows = (row: (i: number) => string, count = 120): string =>
  Array.from({ length: count }, (_, i) => row(i)).join('\n');

const DOCUMENTS: Readonly<Record<string, string>> = {
  'table.md': `# Codes\n\nBefore.\n\n| code   | meaning |\n|--------|---------|\n${rows((i) => `| E${i} | The part ${i} has failed and was replaced. |`)}\n\n## Next\n\nAfter it.\n`,
  'fence.md': `# Code\n\n\`\`\`ts title="a.ts"\n${rows((i) => `export const value${i} = compute(${i}, 'of the kind');`)}\n\`\`\`\n\nText.\n\n\`\`\`sh\n${rows((i) => `echo "step ${i} of the work is done"`)}\n\`\`\`\n`,
  'same.md': `# Twice\n\nThe same.\n\n# Twice\n\nThe same.\n\n${rows(() => 'The very same line again and again.', 60)}\n`,
  'data.csv': `name,colour,size\n${rows((i) => `thing ${i},red and blue,${i}`, 300)}\n`,
  'code.ts': `export class Engine {\n${rows((i) => `  /** Does the part ${i}. */\n  part${i}(input: string): string {\n    return input.repeat(${i}).trim();\n  }\n`, 60)}\n}\n`,
  'page.rst': `Title\n=====\n\n.. code-block:: python\n\n${rows((i) => `   value_${i} = compute(${i}, "of the kind")`)}\n\nText.\n`,
  'guide.adoc': `= Guide\n\n[source,java]\n----\n${rows((i) => `int value${i} = compute(${i}, "of the kind");`)}\n----\n`,
  'empty.md': '',
  'title.md': '---\ntitle: Only a title\n---\n',
};

describe.each(['adaptive', 'semantic', 'recursive'] as const)('rebuildChunks, strategy %s', (strategy) => {
  test('finds the text that was embedded and the words that were written, for every chunk', async () => {
    for (const [name, text] of Object.entries(DOCUMENTS)) await writeFile(join(folder, name), text);
    const { engine, resources } = await openEngine({
      config: { provider: 'libsql', chunking: { strategy } },
      dataDir: join(folder, '.data'),
      cwd: folder,
    });
    try {
      await engine.index({ paths: Object.keys(DOCUMENTS) });
      const { facts, reader, collection } = await resources.stores.collection();
      const inexact: string[] = [];
      let repeated = 0;
      for (const document of await reader.documents(undefined, 100)) {
        const held = await readHeld(document, { facts, reader, collection }, { signal: undefined });
        held?.rebuilt.forEach(({ indexedText, isTextExact, areWordsExact }, i) => {
          if (!isTextExact || !areWordsExact) inexact.push(`${document.externalId} ${i}`);
          if (indexedText.includes('| code | meaning |')) repeated += 1;
        });
      }
      expect(inexact).toEqual([]);
      expect(repeated).toBeGreaterThan(1);
    } finally {
      await engine.close();
    }
  });
});
