import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sharedFolder } from '../../../tests/e2e/temporary-folder.js';
import { createEngine, type Engine, tokenCounterFor, tokensOf } from '../../index.js';
import { connectClient, type ToolAnswer } from './test-client.js';

const LONG = Array.from(
  { length: 900 },
  (_, i) => `Step ${i + 1} turns the numbat valve by ${i % 7} degrees.`,
);

let engine: Engine;
let client: Awaited<ReturnType<typeof connectClient>>;

beforeAll(async () => {
  engine = await createEngine({ config: { provider: 'memory' }, cwd: sharedFolder() });
  await engine.push([
    {
      id: 'guides/logs.md',
      title: 'Logs',
      text: '# Logs\n\nAudit logs are kept for 30 days.\n\nSee the quokka dashboard.',
    },
    {
      id: 'guides/alerts.md',
      title: 'Alerts',
      text: '# Alerts\n\nThe quokka alert wakes whoever is on call.',
    },
    { id: 'valves.md', title: 'Valves', text: `# Valves\n\n${LONG.join('\n')}` },
  ]);
  client = await connectClient(engine);
});
afterAll(() => engine.close());

const idOf = async (name: string): Promise<string> => (await engine.get(name))?.id ?? '';

describe('what an assistant is told', () => {
  test('every tool says when to use it and takes nothing that it does not name', async () => {
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      'search',
      'ask',
      'get_document',
      'related_documents',
      'find_conflicts',
      'explain',
      'list_sources',
    ]);
    for (const { description, inputSchema, outputSchema, annotations } of tools) {
      expect(description).toMatch(/\bUse it\b/);
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      expect(outputSchema).toMatchObject({ type: 'object' });
      expect(annotations).toMatchObject({ readOnlyHint: true });
      for (const [name, field] of Object.entries(inputSchema.properties ?? {}))
        expect([name, (field as { description?: string }).description]).not.toContain(undefined);
    }
  });

  test('the instructions fit in what short readers read, as far as they matter', () => {
    const instructions = client.getInstructions() ?? '';
    expect(instructions.slice(0, 512)).toMatch(/search.*get_document.*data/s);
  });
});

describe('search', () => {
  test('finds passages, and says in both forms where they are', async () => {
    const { text, structured } = await client.tool('search', { query: 'how long are audit logs kept?' });
    expect(structured.results[0]).toMatchObject({
      n: 1,
      document_id: await idOf('guides/logs.md'),
      title: 'Logs',
      source: 'guides/logs.md',
      match: expect.stringMatching(/strong|possible/),
    });
    expect(structured.results[0].text).toContain('kept for 30 days');
    expect(text).toContain(structured.results[0].text);
    expect(text).toContain(`guides/logs.md:3 | ${structured.results[0].match}`);
  });

  test('filters narrow it', async () => {
    const sources = async (args: object) => {
      const { structured } = await client.tool('search', { query: 'quokka', ...args });
      return new Set(structured.results.map(({ source }: { source: string }) => source));
    };
    expect(await sources({ path_prefix: 'guides/a' })).toEqual(new Set(['guides/alerts.md']));
    expect(await sources({ source: ['nowhere'] })).toEqual(new Set());
    expect(await sources({ updated_before: '2001-01-01' })).toEqual(new Set());
    expect(await sources({ source: ['push:documents'] })).toContain('guides/logs.md');
  });

  test('mode graph says by which way it came to a passage', async () => {
    const own = await createEngine({ config: { provider: 'memory' }, cwd: sharedFolder() });
    await own.push([
      {
        id: 'lantern.md',
        text: 'The lantern burns at dusk: lantern, dusk, dawn. See [the store](store.md#oil).',
      },
      { id: 'store.md', text: '# Store\n\nShelves.\n\n## Oil\n\nBarrels stand behind the shed.' },
      ...Array.from({ length: 12 }, (_, i) => ({
        id: `other-${i}.md`,
        text: `Lantern number ${i} is in room ${i}.`,
      })),
    ]);
    const { tool } = await connectClient(own);
    const query = 'lantern at dusk and dawn';
    const { text, structured } = await tool('search', {
      query,
      mode: 'graph',
      hops: 1,
      top_k: 20,
    });
    const ways = structured.results.flatMap(({ way }: { way?: string }) => (way === undefined ? [] : [way]));
    expect(new Set(ways)).toEqual(new Set(['lantern.md -link-> store.md#oil']));
    expect(text).toContain('| lantern.md -link-> store.md#oil');
    expect((await tool('search', { query, hops: 1 })).text).toContain('the mode "graph" alone');
    expect((await tool('explain', { query, mode: 'graph' })).text).toContain('graph: ran');
    await own.close();
  });

  test('what is left out for its score is counted, in both forms', async () => {
    const query = 'zebra crossing paint';
    const { results } = await engine.search({ text: query });
    expect(results[0]?.score).toBeLessThan(0.1);
    const { text, structured } = await client.tool('search', { query });
    expect(structured.results).toEqual([]);
    const said = structured.notices.find((notice: string) => notice.includes('left out'));
    expect(said).toMatch(
      new RegExp(`^${results.length} results? (is|are) left out, .* the best of them scores 0\\.`),
    );
    expect(text).toContain(said);
  });

  test('what has nothing to do with the query is left out', async () => {
    const { structured, text } = await client.tool('search', { query: 'zanzibar cosmology' });
    expect(structured).toMatchObject({ results: [], not_shown: 0 });
    expect(text).toMatch(/Nothing that matches/);
  });

  test('what is below the threshold of the configuration is not said to be missing', async () => {
    const config = { provider: 'memory', retrieval: { minSimilarity: 0.99 } } as const;
    const strict = await createEngine({ config, cwd: sharedFolder() });
    try {
      await strict.push([{ id: 'a', text: 'Audit logs are kept for 30 days.' }]);
      const { tool } = await connectClient(strict);
      const { text, structured } = await tool('search', { query: 'audit logs' });
      expect(structured.results).toEqual([]);
      expect(text).toContain('1 passage is left out');
      expect(text).toContain('rag.retrieval.minSimilarity');
      expect(text).not.toMatch(/Nothing that matches|--min-similarity/);
    } finally {
      await strict.close();
    }
  });

  test('nothing found says what to do', async () => {
    const { text, isError } = await client.tool('search', { query: 'quokka', tags: ['none'] });
    expect(isError).toBe(false);
    expect(text).toMatch(/Nothing that matches was found.*list_sources/s);
  });
});

describe('get_document', () => {
  test('reads a part by lines, by id and by path', async () => {
    for (const name of [await idOf('valves.md'), 'valves.md', 'src/valves.md']) {
      const { structured } = await client.tool('get_document', {
        document_id: name,
        start_line: 10,
        max_lines: 2,
      });
      expect(structured).toMatchObject({
        lines: { start: 10, end: 11 },
        total_lines: 902,
        source: 'valves.md',
      });
      expect(structured.text).toContain('Step 8 turns');
      expect(structured.text).not.toMatch(/Step 7 |Step 10 /);
    }
  });

  test('what is cut says so, and reading on gives every line once', async () => {
    const seen: string[] = [];
    let cursor: string | undefined;
    let parts = 0;
    do {
      const { structured, text } = await client.tool('get_document', { document_id: 'valves.md', cursor });
      seen.push(...(structured.text.match(/^Step \d+ /gm) ?? []));
      expect(text.includes('goes on')).toBe(structured.next_cursor !== undefined);
      cursor = structured.next_cursor;
      parts += 1;
    } while (cursor !== undefined);
    expect(parts).toBeGreaterThan(1);
    expect(seen).toEqual(LONG.map((_, i) => `Step ${i + 1} `));
  });

  test('a line behind the end is an error that says how many there are', async () => {
    const { isError, text } = await client.tool('get_document', {
      document_id: 'valves.md',
      start_line: 5_000,
    });
    expect({ isError, text }).toMatchObject({ isError: true, text: expect.stringContaining('902 lines') });
  });
});

describe('the other tools', () => {
  test('ask answers with its source, or says that nothing tells of it', async () => {
    const known = await client.tool('ask', { question: 'How long are audit logs kept?' });
    expect(known.structured).toMatchObject({
      outcome: 'answer',
      answered_by: 'quotation',
    });
    expect(known.structured.sources[0]).toMatchObject({ n: 1, source: 'guides/logs.md' });
    expect(known.text).toContain('30 days');
    const steps = await client.tool('ask', { question: 'How long are audit logs kept?', mode: 'agentic' });
    expect(steps.structured.searched).toMatchObject({
      steps: [expect.stringContaining('search How long are audit logs kept?')],
    });
    expect(steps.text).toContain('Searched in steps: search How long');
    expect(known.structured).not.toHaveProperty('searched');
    const unknown = await client.tool('ask', { question: 'Who wrote the Wombat protocol of Zanzibar?' });
    expect(unknown.structured.outcome).not.toBe('answer');
    expect(unknown.structured).not.toHaveProperty('confidence');
    expect(unknown.structured.sources).not.toContainEqual(expect.objectContaining({ is_cited: true }));
  });

  test('related_documents leaves the document itself out', async () => {
    const { structured } = await client.tool('related_documents', {
      document_id: 'guides/logs.md',
      top_k: 2,
    });
    expect(structured.related.map(({ source }: { source: string }) => source)).toEqual(
      expect.not.arrayContaining(['guides/logs.md']),
    );
    expect(structured.related[0].source).toBe('guides/alerts.md');
  });

  test('related_documents by references says how documents are connected', async () => {
    await engine.push([
      { id: 'guides/pages.md', title: 'Pages', text: '# Pages\n\nRead [the logs](logs.md) first.' },
    ]);
    const ask = { document_id: 'guides/logs.md', by: 'references' };
    const { structured, text } = await client.tool('related_documents', ask);
    expect(structured.related).toMatchObject([
      {
        source: 'guides/pages.md',
        way: '<-link- guides/pages.md',
        document_id: await idOf('guides/pages.md'),
      },
    ]);
    expect(text).toMatch(/^1\. Pages: guides\/pages\.md \| <-link- guides\/pages\.md \| document_id /);
    await engine.delete(['guides/pages.md']);
    const none = await client.tool('related_documents', ask);
    expect(none.structured).toEqual({ related: [] });
    expect(none.text).toBe('Nothing that may be read here is connected with it.');
  });

  test('explain says what a score is made of, and where a document was lost', async () => {
    const { structured } = await client.tool('explain', { query: 'quokka alert' });
    const [first] = structured.results;
    const sum = first.parts.reduce((total: number, { value }: { value: number }) => total + value, 0);
    expect(Math.abs(sum - first.score)).toBeLessThan(0.05);
    const missed = await client.tool('explain', {
      query: 'quokka alert',
      document_id: 'valves.md',
      top_k: 1,
    });
    expect(missed.structured).toMatchObject({ found: false, lost_at: expect.any(String) });
    const met = await client.tool('explain', { query: 'quokka alert', document_id: 'guides/alerts.md' });
    expect(met.structured).toMatchObject({ found: true, rank: 1 });
  });

  test('list_sources counts what may be read', async () => {
    const { structured } = await client.tool('list_sources');
    expect(structured).toMatchObject({
      documents: 3,
      is_complete: true,
      sources: [{ name: 'push:documents', documents: 3 }],
    });
  });
});

describe('resources', () => {
  test('documents are listed in pages and read by their address', async () => {
    const pushed = Array.from({ length: 120 }, (_, i) => ({ id: `many/${i}.md`, text: `Note ${i}.` }));
    const many = await createEngine({ config: { provider: 'memory' }, cwd: sharedFolder() });
    await many.push(pushed);
    const own = await connectClient(many);
    const first = await own.listResources();
    const second = await own.listResources({ cursor: first.nextCursor });
    expect([first.resources.length, second.resources.length, second.nextCursor]).toEqual([
      100,
      20,
      undefined,
    ]);
    const names = [...first.resources, ...second.resources].map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(pushed.map(({ id }) => id)));
    const { contents } = await own.readResource({ uri: first.resources[0]?.uri ?? '' });
    expect(contents[0]).toMatchObject({ text: expect.stringMatching(/<passage.*Note \d+\./s) });
    await many.close();
  });

  test('an address of nothing is a protocol error that says what one looks like', async () => {
    await expect(client.readResource({ uri: 'file:///etc/passwd' })).rejects.toThrow(
      /ragstone:\/\/document\//,
    );
    await expect(client.readResource({ uri: 'ragstone://document/unknown' })).rejects.toThrow(
      'DOCUMENT_NOT_FOUND',
    );
    expect((await client.listResourceTemplates()).resourceTemplates).toMatchObject([
      { uriTemplate: 'ragstone://document/{id}' },
    ]);
  });
});

describe('limits and failures', () => {
  test.each([500, 1_500])('no output takes more than %i tokens, in either form', async (maxTokens) => {
    const small = await connectClient(engine, { maxTokens });
    const counter = await tokenCounterFor();
    const answers: ToolAnswer[] = [
      await small.tool('search', { query: 'numbat valve quokka', top_k: 20 }),
      await small.tool('ask', { question: 'By how many degrees does step 12 turn the numbat valve?' }),
      await small.tool('get_document', { document_id: 'valves.md' }),
      await small.tool('explain', { query: 'numbat valve', top_k: 20 }),
      await small.tool('related_documents', { document_id: 'valves.md', top_k: 20 }),
    ];
    for (const { text, structured } of answers) {
      expect(tokensOf(counter, text)).toBeLessThanOrEqual(maxTokens);
      expect(tokensOf(counter, JSON.stringify(structured))).toBeLessThanOrEqual(maxTokens);
    }
    expect(answers[0]?.structured.not_shown).toBeGreaterThan(0);
    expect(answers[0]?.text).toMatch(/found no room/);
  });

  test('wrong arguments are an answer that names what fits', async () => {
    const { isError, text } = await client.tool('search', { query: 'x', topK: 3 });
    expect(isError).toBe(true);
    expect(text).toMatch(/topK.*It takes: query, top_k/s);
    expect((await client.tool('delete_everything')).text).toMatch(/There are: search, ask/);
  });

  test('before anything is indexed every tool says which command does it', async () => {
    const empty = await createEngine({ config: { provider: 'memory' }, cwd: sharedFolder() });
    const own = await connectClient(empty, {
      own: (text) => text.replaceAll('ragstone index', 'npx ragstone index'),
    });
    for (const [name, args] of [
      ['search', { query: 'x' }],
      ['ask', { question: 'x' }],
      ['get_document', { document_id: 'x' }],
      ['related_documents', { document_id: 'x' }],
      ['explain', { query: 'x' }],
      ['list_sources', {}],
    ] as const) {
      const answer = await own.tool(name, args);
      expect([name, answer]).toMatchObject([
        name,
        { isError: true, text: expect.stringMatching(/INDEX_EMPTY.*`npx ragstone index FOLDER`/s) },
      ]);
    }
    await empty.push([{ id: 'new', text: 'now there is a quokka' }]);
    expect((await own.tool('search', { query: 'quokka' })).structured.results).toHaveLength(1);
    await empty.close();
  });

  test('a failure of ours tells no secret to the model and all of it to the log', async () => {
    const logged: unknown[] = [];
    const broken = { ...engine, search: () => Promise.reject(new Error('password hunter2')) };
    const own = await connectClient(broken, { onError: (error) => logged.push(error) });
    const { isError, text } = await own.tool('search', { query: 'x' });
    expect(isError).toBe(true);
    expect(text).not.toContain('hunter2');
    expect(String(logged)).toContain('hunter2');
  });

  test('a cancelled call stops the search', async () => {
    let state = 'waiting';
    const waiting = {
      ...engine,
      search: ({ signal }: { signal: AbortSignal }) =>
        new Promise((_, reject) => {
          state = 'searching';
          signal.addEventListener('abort', () => {
            state = 'aborted';
            reject(new Error('aborted'));
          });
        }),
    };
    const own = await connectClient(waiting as never);
    const call = new AbortController();
    const result = own.callTool({ name: 'search', arguments: { query: 'x' } }, undefined, {
      signal: call.signal,
    });
    await expect.poll(() => state).toBe('searching');
    call.abort('enough');
    await expect(result).rejects.toThrow(/enough/);
    await expect.poll(() => state).toBe('aborted');
  });
});
