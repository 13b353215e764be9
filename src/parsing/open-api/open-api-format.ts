import * as z from 'zod';
import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { oneLine } from '../../core/one-line.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';

/**
 * Descriptions of HTTP interfaces (OpenAPI 2 and 3, JSON or YAML): each operation under its method and path, with what it takes and answers, then the schemas.
 * References stay names. What is no such description is kept as it is written.
 */
export const OPEN_API_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.openApi, convert: readOpenApi };

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
/** Text, as it is written where it is a number or a truth value to YAML. */
const words = z.union([z.string(), z.number(), z.boolean()]).transform(String).optional().catch(undefined);
const flag = z.boolean().optional().catch(undefined);

/** The items of a list that are of a kind: one that is odd takes none of the others along. */
const listOf = <Item>(item: z.ZodType<Item>) =>
  z
    .array(z.unknown())
    .transform((all) =>
      all.flatMap((value): Item[] => {
        const { success, data } = item.safeParse(value);
        return success ? [data] : [];
      }),
    )
    .catch([]);
/** The same for what has a name. */
const recordOf = <Item>(item: z.ZodType<Item>) =>
  z
    .record(z.string(), z.unknown())
    .transform((all) =>
      Object.entries(all).flatMap(([name, value]): [string, Item][] => {
        const { success, data } = item.safeParse(value);
        return success ? [[name, data]] : [];
      }),
    )
    .catch([]);

const schema = z.looseObject({
  $ref: words,
  type: z.unknown().optional(),
  format: words,
  description: words,
  required: listOf(z.string()),
  properties: recordOf(z.unknown()),
  enum: z.array(z.unknown()).optional().catch(undefined),
  items: z.unknown().optional(),
  oneOf: listOf(z.unknown()),
  anyOf: listOf(z.unknown()),
  allOf: listOf(z.unknown()),
});
type Schema = z.output<typeof schema>;
const described = z.looseObject({
  $ref: words,
  name: words,
  in: words,
  description: words,
  required: flag,
  schema: z.unknown().optional(),
  content: recordOf(z.looseObject({ schema: z.unknown().optional() })),
});
const operation = z.looseObject({
  operationId: words,
  summary: words,
  description: words,
  deprecated: flag,
  tags: listOf(z.string()),
  parameters: listOf(described),
  requestBody: described.optional().catch(undefined),
  responses: recordOf(described),
});
const pathItem = z.looseObject({ summary: words, description: words, parameters: listOf(described) });
const securityScheme = z.looseObject({
  type: words,
  scheme: words,
  in: words,
  name: words,
  description: words,
});
const components = z.looseObject({
  schemas: recordOf(z.unknown()),
  parameters: recordOf(described),
  requestBodies: recordOf(described),
  responses: recordOf(described),
  securitySchemes: recordOf(securityScheme),
});
const api = z.looseObject({
  openapi: z.unknown().optional(),
  swagger: z.unknown().optional(),
  info: z.looseObject({ title: words, version: words, description: words }).optional().catch(undefined),
  servers: listOf(z.looseObject({ url: words })),
  paths: recordOf(pathItem),
  webhooks: recordOf(pathItem),
  components: components.optional().catch(undefined),
  // Version 2 has them at its top.
  definitions: recordOf(z.unknown()),
  parameters: recordOf(described),
  responses: recordOf(described),
  securityDefinitions: recordOf(securityScheme),
});
type Api = z.output<typeof api>;

async function readOpenApi({ content, externalId }: RawDocument): Promise<ConvertedDocument> {
  const { text, warnings } = decodeText(content, externalId);
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { logLevel: 'silent' });
  if (document.errors.length > 0) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${externalId}" is neither JSON nor YAML that can be read. Correct the file, or exclude it.`,
      { cause: document.errors[0] },
    );
  }
  const { success, data } = api.safeParse(document.toJS({ maxAliasCount: 1_000 }));
  if (!success || (data.openapi === undefined && data.swagger === undefined))
    return { markdown: fenced(text), warnings };
  const { title, version, description } = data.info ?? {};
  return {
    markdown: [
      `# ${oneLine(title ?? externalId)}`,
      version === undefined ? '' : `Version ${version}`,
      description ?? '',
      data.servers
        .flatMap(({ url }) => url ?? [])
        .map((url) => `Server: ${url}`)
        .join('\n'),
      ...operationsOf(data.paths, ''),
      ...operationsOf(data.webhooks, 'webhook '),
      ...partsOf(data),
      ...schemasOf([...(data.components?.schemas ?? []), ...data.definitions]),
    ]
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join('\n\n'),
    title: title === undefined ? undefined : oneLine(title),
    warnings,
  };
}

const fenced = (text: string): string => `\`\`\`\`yaml\n${text.trimEnd()}\n\`\`\`\``;

function operationsOf(paths: Api['paths'], prefix: string): string[] {
  return paths.flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const { success, data } = operation.safeParse(item[method]);
      if (!success) return [];
      const { operationId, summary, description, deprecated, tags, parameters, requestBody, responses } =
        data;
      return [
        `## ${method.toUpperCase()} ${prefix}${path}`,
        [item.summary, item.description, summary, description]
          .filter((part) => part !== undefined)
          .join('\n\n'),
        [
          ...(operationId === undefined ? [] : [`Operation: ${operationId}`]),
          ...(tags.length === 0 ? [] : [`Tags: ${tags.join(', ')}`]),
          ...(deprecated === true ? ['Deprecated.'] : []),
        ].join('\n'),
        [...item.parameters, ...parameters].map((one) => `- ${parameterText(one)}`).join('\n'),
        requestBody === undefined ? '' : `Request: ${partText(requestBody)}`,
        responses.map(([status, one]) => `- ${status}: ${partText(one)}`).join('\n'),
      ].filter((part) => part !== '');
    }),
  );
}

/** What operations refer to by name, but for schemas. */
function partsOf({ components: shared, parameters, responses, securityDefinitions }: Api): string[] {
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`## ${title}`, lines.map((line) => `- ${line}`).join('\n')];
  return [
    ...section(
      'Parameters',
      [...(shared?.parameters ?? []), ...parameters].map(([name, one]) => `${name}: ${parameterText(one)}`),
    ),
    ...section(
      'Requests',
      (shared?.requestBodies ?? []).map(([name, one]) => `${name}: ${partText(one)}`),
    ),
    ...section(
      'Responses',
      [...(shared?.responses ?? []), ...responses].map(([name, one]) => `${name}: ${partText(one)}`),
    ),
    ...section(
      'Security',
      [...(shared?.securitySchemes ?? []), ...securityDefinitions].map(([name, one]) => {
        const facts = [one.type, one.scheme, one.in, one.name].filter((fact) => fact !== undefined);
        return `${name} (${facts.join(', ')})${saying(one.description)}`;
      }),
    ),
  ];
}

type Described = z.output<typeof described>;

function parameterText(one: Described): string {
  const type = one.$ref === undefined ? typeText(one.schema ?? one) : '';
  const facts = [one.in, type, one.required === true ? 'required' : undefined].filter(
    (fact) => fact !== undefined && fact !== '',
  );
  const name = one.name ?? nameOf(one.$ref);
  return `\`${name}\`${facts.length === 0 ? '' : ` (${facts.join(', ')})`}${saying(one.description)}`;
}

function partText(one: Described): string {
  const types = one.content.map(([type, { schema: of }]) => `${type} ${typeText(of)}`.trim());
  const own = one.schema === undefined ? [] : [typeText(one.schema)];
  return [oneLine(one.description ?? nameOf(one.$ref)), [...types, ...own].join(', ')]
    .filter((part) => part !== '')
    .join(' ');
}

const saying = (text: string | undefined): string => (text === undefined ? '' : `: ${oneLine(text)}`);
const nameOf = (reference: string | undefined): string =>
  reference?.slice(reference.lastIndexOf('/') + 1) ?? '';

function typeText(given: unknown): string {
  const read = schema.safeParse(given);
  if (!read.success) return '';
  const { $ref, type, format, items, enum: values, oneOf, anyOf, allOf } = read.data;
  if ($ref !== undefined) return nameOf($ref);
  if (type === 'array') return `list of ${typeText(items)}`.trim();
  const name = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : '';
  return [
    name,
    format,
    values === undefined ? undefined : `one of ${values.map(String).join(', ')}`,
    namesOf([...oneOf, ...anyOf], ' or '),
    namesOf(allOf, ' and '),
  ]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

const namesOf = (schemas: readonly unknown[], between: string): string =>
  schemas
    .map(typeText)
    .filter((name) => name !== '')
    .join(between);

function schemasOf(schemas: Api['definitions']): string[] {
  return schemas.flatMap(([name, given]) => {
    const read = schema.safeParse(given);
    if (!read.success) return [];
    const members = membersOf(read.data);
    const isPlain =
      members.length === 0 || [...read.data.oneOf, ...read.data.anyOf, ...read.data.allOf].length > 0;
    const own = isPlain ? typeText(given) : '';
    return [`## Schema ${name}`, read.data.description ?? '', own, members.join('\n')].filter(
      (part) => part !== '',
    );
  });
}

/** Members within members are listed as deep as this. */
const MAX_MEMBER_DEPTH = 8;

/** Members of a schema, of what it holds in place of a reference, and of the items of its lists. */
function membersOf({ properties, required, items, oneOf, anyOf, allOf }: Schema, depth = 0): string[] {
  if (depth >= MAX_MEMBER_DEPTH) return [];
  const within = (given: unknown, below: number): string[] => {
    const { success, data } = schema.safeParse(given);
    return success && data.$ref === undefined ? membersOf(data, below) : [];
  };
  return [
    ...properties.flatMap(([key, value]) => {
      const facts = [typeText(value), required.includes(key) ? 'required' : ''].filter((fact) => fact !== '');
      const shown = `\`${key}\`${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
      return [
        `${'  '.repeat(depth)}- ${shown}${saying(schema.safeParse(value).data?.description)}`,
        ...within(value, depth + 1),
      ];
    }),
    ...[items, ...oneOf, ...anyOf, ...allOf].flatMap((part) => within(part, depth)),
  ];
}
