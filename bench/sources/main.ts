import { createParsers } from '../../src/parsing/create-parsers.js';
import { AzureDevOpsSource } from '../../src/sources/azure-devops/azure-devops-source.js';
import { ConfluenceSource } from '../../src/sources/confluence/confluence-source.js';
import type { Source } from '../../src/sources/source.js';
import { startAzureDevOps, WorkItemState } from '../../tests/fakes/services/azure-devops.js';
import { startConfluenceCloud } from '../../tests/fakes/services/confluence-cloud.js';
import { ConfluenceState } from '../../tests/fakes/services/confluence-state.js';
import type { FakeApi } from '../../tests/fakes/services/fake-api.js';
import { SourceMirror } from '../../tests/fakes/services/source-mirror.js';

/**
 * Time of a source's first run over a local server (listing, reading, parsing) as a ratio to the bare work: the same requests by
 * `fetch`, as many at once, and the same parsing. Prints one line a source; median of the rounds.
 */
const ROUNDS = 5;
const AUTHORIZATION = `Basic ${Buffer.from(':token').toString('base64')}`;

async function measure(
  name: string,
  { api, source, concurrency }: { api: FakeApi; source: () => Source; concurrency: number },
): Promise<void> {
  const parsers = createParsers();
  const ours: number[] = [];
  const bare: number[] = [];
  let documents = 0;
  let requests = 0;
  for (let round = 0; round <= ROUNDS; round++) {
    api.requests.length = 0;
    const mirror = new SourceMirror();
    const start = performance.now();
    await mirror.sync(source());
    const read = performance.now() - start;
    const asked = [...api.requests];
    const parsing = performance.now();
    for (const document of mirror.documents.values()) await parsers.get(document.mediaType)?.parse(document);
    const parsed = performance.now() - parsing;
    const again = performance.now();
    const waiting = asked.values();
    const work = async (): Promise<void> => {
      for (const { method, path, query, body } of waiting) {
        const url = `${api.url}${encodeURI(path)}?${new URLSearchParams(query)}`;
        const answer = await fetch(url, {
          method,
          headers: {
            authorization: AUTHORIZATION,
            accept: 'application/json',
            'content-type': 'application/json',
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        await answer.json();
      }
    };
    await Promise.all(Array.from({ length: concurrency }, work));
    // The first round warms up.
    if (round > 0) {
      ours.push(read + parsed);
      bare.push(performance.now() - again + parsed);
    }
    documents = mirror.documents.size;
    requests = asked.length;
  }
  const [mine, plain] = [median(ours), median(bare)];
  console.log(
    `${name}: ${documents} documents, ${requests} requests, ${mine.toFixed(0)} ms, bare ${plain.toFixed(0)} ms, ratio ${(mine / plain).toFixed(2)}`,
  );
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

const wiki = new ConfluenceState();
for (let i = 0; i < 500; i++)
  wiki.addPage({ body: `<h2>Topic ${i}</h2>${'<p>Some words of a page.</p>'.repeat(30)}` });
const cloud = await startConfluenceCloud(wiki, AUTHORIZATION);
const common = { name: 'bench', allowPrivateNetwork: true } as const;
await measure('confluence', {
  api: cloud,
  concurrency: 8,
  source: () =>
    new ConfluenceSource({
      ...common,
      baseUrl: cloud.url,
      deployment: 'cloud',
      authorization: AUTHORIZATION,
    }),
});
await cloud.stop();

const items = new WorkItemState();
for (let i = 0; i < 2000; i++)
  items.add({ 'System.Description': '<p>Some words of an item.</p>'.repeat(30) });
const devOps = await startAzureDevOps(items, AUTHORIZATION);
await measure('azure-devops', {
  api: devOps,
  concurrency: 4,
  source: () =>
    new AzureDevOpsSource({
      ...common,
      baseUrl: devOps.url,
      organization: 'org',
      project: 'Shop',
      pat: 'token',
    }),
});
await devOps.stop();
