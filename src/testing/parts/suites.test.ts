import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CHUNKING_STRATEGIES, type Chunker } from '../../chunking/chunker.js';
import { createChunker } from '../../chunking/create-chunker.js';
import { createStaticEmbedder } from '../../embedding/static/static-embedder.js';
import { loadWordRarity } from '../../embedding/static/word-rarity.js';
import { createParsers } from '../../parsing/create-parsers.js';
import type { Parser } from '../../parsing/parser.js';
import { createBuiltinReranker } from '../../reranking/builtin/builtin-reranker.js';
import { createFilesSource } from '../../sources/files/files-source.js';
import type { Source } from '../../sources/source.js';
import { createHashEmbedder } from '../hash-embedder.js';
import type { TestRunner } from '../vector-store/contract.js';
import { testChunker } from './chunker-suite.js';
import { testEmbedder } from './embedder-suite.js';
import { testParser } from './parser-suite.js';
import { testReranker } from './reranker-suite.js';
import { type SourceFixture, testSourceContract } from './source-suite.js';

const runner: TestRunner = { describe, it };

testEmbedder({ name: 'hash', runner, create: async () => createHashEmbedder() });
testEmbedder({ name: 'built-in', runner, create: () => createStaticEmbedder() });

const builtinReranker = async () => createBuiltinReranker({ rarityOf: await loadWordRarity() });
testReranker({ name: 'built-in', runner, create: builtinReranker });

/** A strategy of Ragstone's own, as a program would bring it. */
const asOwn = (strategy: string): Chunker => ({
  strategy: `own-${strategy}`,
  cut: ({ document, limits }) =>
    createChunker({ ...limits, strategy }, (text) => text.length).chunk(document),
});

for (const strategy of CHUNKING_STRATEGIES)
  testChunker({
    name: strategy,
    runner,
    create: async () => asOwn(strategy),
    exceedsLimits: strategy === 'whole' ? 'it does not cut' : undefined,
  });

const SAMPLES: Readonly<Record<string, readonly [content: string, ...words: string[]]>> = {
  'text/markdown': ['# Lamp\n\nLit at dusk.\n\n```js\nlet x;\n```\n', 'Lamp', 'Lit at dusk.', 'let x;'],
  'text/plain': ['One.\r\n\r\nTwo \udc00 and three.', 'One.', 'three'],
  'text/x-rst': [
    '.. comment\n\nLamp\n====\n\nLit at :ref:`dusk <x>`::\n\n   let x;\n\n=== ===\na   b\n=== ===\n',
    ...['Lamp', 'Lit at dusk:', 'let x;'],
  ],
  'text/asciidoc': [
    '// comment\n= Lamp\n\nLit at <<x,dusk>>:\n\n----\nlet x;\n----\n\n|===\n|a |b\n|===\n',
    ...['Lamp', 'Lit at dusk:', 'let x;'],
  ],
  'text/html': ['<title>T</title><main><h1>Lamp</h1><p>Lit at dusk.</p></main>', 'Lamp', 'Lit at dusk.'],
  'text/csv': ['name,height\nlamp,12\nboat,3\n', 'lamp', 'height'],
  'application/json': ['{"lamp":{"lit":"dusk"}}', 'lamp', 'dusk'],
  'text/x-source.typescript': [
    '/** Lights it. */\nexport function light(): void {}\n',
    'Lights it.',
    'light',
  ],
};

for (const [mediaType, [content, ...words]] of Object.entries(SAMPLES))
  testParser({
    name: mediaType,
    runner,
    create: async () => parserOf(mediaType),
    samples: [{ content, words, mediaType }],
    unreadable: mediaType === 'text/csv' ? [] : [new Uint8Array([0xff, 0xfe, 0x00, 0xd8])],
  });

function parserOf(mediaType: string): Parser {
  const parser = createParsers().get(mediaType);
  if (parser === undefined) throw new Error(`There is no parser of ${mediaType}.`);
  return parser;
}

testSourceContract({ name: 'files', runner, create: async () => files() });

function files(change: (source: Source) => Source = (source) => source): SourceFixture {
  const root = mkdtempSync(join(tmpdir(), 'ragstone-source-'));
  const write = async (name: string, text: string): Promise<string> => {
    writeFileSync(join(root, name), text);
    return name;
  };
  for (const name of ['a.md', 'b.md']) writeFileSync(join(root, name), `# ${name}\n`);
  return {
    open: async () => change(createFilesSource({ name: 'files', root })),
    change: () => write('a.md', '# Another text\n'),
    add: () => write('c.md', '# New\n'),
    remove: async () => {
      rmSync(join(root, 'b.md'));
      return 'b.md';
    },
    cleanup: async () => rmSync(root, { recursive: true }),
  };
}

type Register = (runner: TestRunner) => void;

/** Parts with one fault each, and the test that has to find it. */
const FAULTS: readonly (readonly [fault: string, test: RegExp, register: Register])[] = [
  ['vectors are not of unit length', /unit length/, embedderThat((vector) => vector.map((x) => x * 2))],
  ['vectors are one too short', /unit length/, embedderThat((vector) => vector.slice(1))],
  [
    'vectors come in another order',
    /alone and in any batch/,
    embedderThat((_, index, all) => all[all.length - 1 - index] ?? (all[0] as Float32Array)),
  ],
  ['all texts are alike', /near texts/, embedderThat((vector) => vector.map((_, i) => (i === 0 ? 1 : 0)))],
  ['scores are above 1', /a probability/, rerankerThat((score) => score + 1)],
  ['scores are random', /same answer/, rerankerThat(() => Math.random())],
  ['text is left out', /in a chunk/, chunkerThat((ranges) => ranges.slice(1))],
  ['chunks come in another order', /in its order/, chunkerThat((ranges) => ranges.toReversed())],
  [
    'chunks are too long',
    /longer than the limit/,
    chunkerThat((ranges) => [{ start: 0, end: ranges.at(-1)?.end ?? 0 }]),
  ],
  [
    'a block is missing',
    /blocks hold all/,
    parserThat((parsed) => ({ ...parsed, blocks: parsed.blocks.slice(1) })),
  ],
  [
    'text is lost',
    /what the document says/,
    parserThat((parsed) => ({ ...parsed, text: parsed.text.replace('dusk', '') })),
  ],
  ['versions never change', /another version/, sourceThat({ version: () => '1' })],
  ['versions change by themselves', /has not changed/, sourceThat({ version: () => String(Math.random()) })],
];

it.each(FAULTS)('a part of which %s is found out by "%s"', async (_fault, title, register) => {
  const tests: { readonly title: string; readonly run: () => Promise<void> }[] = [];
  register({
    describe: (_name, define) => define(),
    it: (name, run) => tests.push({ title: name, run }),
  });
  const test = tests.find(({ title: name }) => title.test(name));
  expect(test).toBeDefined();
  await expect(test?.run()).rejects.toThrow();
});

function embedderThat(
  change: (vector: Float32Array, index: number, all: readonly Float32Array[]) => Float32Array,
): Register {
  const create = async () => {
    const embedder = createHashEmbedder();
    const doEmbed: typeof embedder.doEmbed = async (...call) => (await embedder.doEmbed(...call)).map(change);
    return { ...embedder, doEmbed };
  };
  return (recorder) => testEmbedder({ name: 'broken', runner: recorder, create });
}

function rerankerThat(change: (score: number) => number): Register {
  const create = async () => {
    const reranker = await builtinReranker();
    const doRerank: typeof reranker.doRerank = async (...call) =>
      (await reranker.doRerank(...call)).map(({ index, score }) => ({ index, score: change(score) }));
    return { name: 'broken', maxCandidates: reranker.maxCandidates, doRerank, close: () => reranker.close() };
  };
  return (recorder) => testReranker({ name: 'broken', runner: recorder, create });
}

function chunkerThat(change: (ranges: ReturnType<Chunker['cut']>) => ReturnType<Chunker['cut']>): Register {
  const chunker = asOwn('recursive');
  const create = async (): Promise<Chunker> => ({
    ...chunker,
    cut: (request) => change(chunker.cut(request)),
  });
  return (recorder) => testChunker({ name: 'broken', runner: recorder, create });
}

function parserThat(
  change: (parsed: Awaited<ReturnType<Parser['parse']>>) => ReturnType<Parser['parse']>,
): Register {
  const parser = parserOf('text/markdown');
  const [content, ...words] = SAMPLES['text/markdown'] ?? [''];
  const create = async (): Promise<Parser> => ({
    mediaTypes: parser.mediaTypes,
    parse: async (document) => change(await parser.parse(document)),
  });
  return (recorder) =>
    testParser({
      name: 'broken',
      runner: recorder,
      create,
      samples: [{ content, words: [...words, 'dusk'] }],
    });
}

function sourceThat({ version }: { readonly version: () => string }): Register {
  const broken = (source: Source): Source => ({
    ...source,
    async *list(options) {
      for await (const item of source.list(options))
        yield 'version' in item ? { ...item, version: version() } : item;
    },
  });
  return (recorder) =>
    testSourceContract({ name: 'broken', runner: recorder, create: async () => files(broken) });
}
