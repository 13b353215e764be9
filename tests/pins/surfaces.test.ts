import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { ERROR_TABLE } from '../../src/core/errors.js';
import { CliContext } from '../../src/faces/cli/context.js';
import { buildProgram } from '../../src/faces/cli/program.js';
import { connectClient } from '../../src/faces/mcp/test-client.js';
import { schemaLines } from '../../src/faces/service/openapi/schema-lines.js';
import { testService } from '../../src/faces/service/test-service.js';
import { METRICS } from '../../src/fleet/monitoring/metrics/metric-definitions.js';
import { createEngine } from '../../src/index.js';
import { temporaryFolder } from '../e2e/temporary-folder.js';

/**
 * What others build upon, as literals beside this file, without the words that explain it. Where a change is meant,
 * `npx vitest run tests/pins -u` writes them anew, and the changelog names it.
 */
const isPinned = (text: string, file: string): Promise<void> =>
  expect(`${text}\n`).toMatchFileSnapshot(`./${file}`);

/** A JSON document without what explains it to people. */
function wordless(document: unknown): unknown {
  if (Array.isArray(document)) return document.map(wordless);
  if (typeof document !== 'object' || document === null) return document;
  const entries = Object.entries(document).filter(
    ([key, value]) =>
      !(['description', 'title', 'summary', 'example'].includes(key) && typeof value === 'string'),
  );
  return Object.fromEntries(entries.map(([key, value]) => [key, wordless(value)]));
}

const linesOf = (schema: unknown, name: string): string => schemaLines(wordless(schema) as object, name);

test('commands: arguments, options, choices and defaults', async () => {
  const program = buildProgram(new CliContext([], new AbortController().signal));
  await isPinned(commandLines(program, 'ragstone').join('\n'), 'commands.txt');
});

function commandLines(command: Command, name: string): string[] {
  const args = command.registeredArguments.map((argument) => {
    const inner = `${argument.name()}${argument.variadic ? '...' : ''}`;
    return argument.required ? `<${inner}>` : `[${inner}]`;
  });
  const options = command.options.map(({ flags, argChoices, mandatory, hidden }) =>
    [`  ${flags}`, argChoices?.join('|') ?? '', mandatory ? 'mandatory' : '', hidden ? 'hidden' : '']
      .filter((part) => part !== '')
      .join('  '),
  );
  const aliases = command.aliases().map((alias) => `  alias ${alias}`);
  return [
    [name, ...args].join(' '),
    ...aliases,
    ...options,
    ...command.commands.flatMap((child) => commandLines(child, `${name} ${child.name()}`)),
  ];
}

test('routes: requests and answers', async () => {
  const { app } = await testService();
  const { paths, components } = (await app.inject({ method: 'GET', url: '/openapi.json' })).json<OpenApi>();
  const routes = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, route]) => routeLines(`${method.toUpperCase()} ${path}`, route)),
  );
  const schemas = Object.entries(components.schemas).map(([name, schema]) => linesOf(schema, `#${name}`));
  await isPinned([...routes, ...schemas].join('\n\n'), 'routes.txt');
});

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Route>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
}
interface Route {
  readonly parameters?: readonly {
    readonly in: string;
    readonly name: string;
    readonly required?: boolean;
    readonly schema: object;
  }[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Content>>;
}
interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: object }>>;
}

function routeLines(head: string, { parameters = [], requestBody, responses }: Route): string {
  const content = (name: string, { content = {} }: Content): string[] =>
    Object.keys(content).length === 0
      ? [name]
      : Object.entries(content).map(([type, { schema = {} }]) => linesOf(schema, `${name} ${type}`));
  return [
    head,
    ...parameters.map(({ in: place, name, required = false, schema }) =>
      linesOf(schema, `${place} ${name}${required ? '*' : ''}`),
    ),
    ...(requestBody === undefined ? [] : content('body', requestBody)),
    ...Object.entries(responses).flatMap(([status, answer]) => content(status, answer)),
  ].join('\n');
}

test('MCP: tools with what they take and answer, and resources', async () => {
  const engine = await createEngine({ config: { provider: 'memory' }, cwd: temporaryFolder() });
  await engine.push([{ id: 'logs.md', title: 'Logs', text: 'Audit logs are kept for thirty days.' }]);
  const client = await connectClient(engine);
  const { tools } = await client.listTools();
  const { resourceTemplates } = await client.listResourceTemplates();
  const { resources } = await client.listResources();
  const text = [
    Object.keys(client.getServerCapabilities() ?? {}).join(' '),
    ...tools.map(({ name, inputSchema, outputSchema = {} }) =>
      [`tool ${name}`, linesOf(inputSchema, 'takes'), linesOf(outputSchema, 'answers')].join('\n'),
    ),
    ...resourceTemplates.map(
      ({ uriTemplate, name, mimeType }) => `template ${uriTemplate} ${name} ${mimeType}`,
    ),
    ...resources.map((resource) => `resource ${Object.keys(resource).sort().join(' ')}`),
  ];
  await client.close();
  await engine.close();
  await isPinned(text.join('\n\n'), 'mcp.txt');
});

test('reasons of errors, with their code and what a caller may do', async () => {
  const lines = Object.entries(ERROR_TABLE).map(([reason, { code, category, retryable, recoverable }]) =>
    [reason, code, category, retryable ? 'retryable' : '', recoverable ? 'recoverable' : '']
      .join(' ')
      .trimEnd(),
  );
  await isPinned(lines.sort().join('\n'), 'error-reasons.txt');
});

test('metrics, with their kind, labels and buckets', async () => {
  const lines = Object.entries(METRICS).map(([name, { kind, labels, ...rest }]) => {
    const buckets = 'buckets' in rest ? ` ${rest.buckets.join(',')}` : '';
    return `${name}{${labels.join(',')}} ${kind}${buckets}`;
  });
  await isPinned(lines.sort().join('\n'), 'metrics.txt');
});

test('settings, with what they may be and their defaults', async () => {
  const schema: unknown = JSON.parse(
    readFileSync(new URL('../../config.schema.json', import.meta.url), 'utf8'),
  );
  await isPinned(linesOf(schema, 'ragstone.yaml'), 'settings.txt');
});
