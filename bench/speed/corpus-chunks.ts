import { createChunker } from '../../src/chunking/create-chunker.js';
import { resolveChunking } from '../../src/config/resolve-chunking.js';
import { indexedTextOf } from '../../src/core/analysis/indexed-text.js';
import { OPEN_ACCESS } from '../../src/core/scope.js';
import { loadBuiltinTokenizer } from '../../src/embedding/static/static-embedder.js';
import { createMarkdownParser } from '../../src/parsing/markdown/markdown-parser.js';
import { readMarkdownFiles } from './bare-stages.js';

/** What is embedded of each distinct chunk of the Markdown files of these folders, with the default chunking. */
export async function chunkTexts(folders: readonly string[]): Promise<string[]> {
  const parser = createMarkdownParser();
  const tokenizer = await loadBuiltinTokenizer();
  const chunker = createChunker(resolveChunking(), (text) => tokenizer.countTokens(text));
  const texts = new Set<string>();
  for (const { path, bytes } of await readMarkdownFiles(folders)) {
    const document = parser.parse({
      externalId: path,
      mediaType: 'text/markdown',
      content: bytes,
      metadata: {},
      access: OPEN_ACCESS,
    });
    const { title } = document;
    for (const span of chunker.chunk(document)) texts.add(indexedTextOf({ ...span, title }));
  }
  return [...texts];
}
