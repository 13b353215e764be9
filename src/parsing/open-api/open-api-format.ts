import * as z from 'zod';
import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { oneLine } from '../../core/one-line.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';
import { examplesOf, factsOf } from './schema-facts.js';

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
  additionalProperties: z.unknown().optional(),
});
type Schema = z.output<typeof schema>;
const described = z.looseObject({
  $ref: words,
  name: words,
  in: words,
  description: words,
  required: flag,
  schema: z.unknown().optional(),
  content: recordOf(
    z.looseObject({
      schema: z.unknown().optional(),
      example: z.unknown().optional(),
      examples: recordOf(z.looseObject({ value: z.unknown() })),
    }),
  ),
  headers: recordOf(z.looseObject({ $ref: words, description: words, schema: z.unknown().optional() })),
  // Of a parameter, or of a response of version 2.
  example: z.unknown().optional(),
  examples: recordOf(z.unknown()),
});
/** Names of schemes with the scopes that each demands; one of them is enough. */
const security = listOf(recordOf(listOf(z.string())));
const operation = z.looseObject({
  operationId: words,
  summary: words,
  description: words,
  deprecated: flag,
  tags: listOf(z.string()),
  parameters: listOf(described),
  requestBody: described.optional().catch(undefined),
  responses: recordOf(described),
  security: z.array(z.unknown()).optional().catch(undefined),
});
const pathItem = z.looseObject({ summary: words, description: words, parameters: listOf(described) });
const flowOf = {
  authorizationUrl: words,
  tokenUrl: words,
  refreshUrl: words,
  scopes: recordOf(words),
};
const securityScheme = z.looseObject({
  ...flowOf,
  flow: words,
  flows: recordOf(z.looseObject(flowOf)),
  bearerFormat: words,
  openIdConnectUrl: words,
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
  security: z.array(z.unknown()).optional().catch(undefined),
});
type Api = z.output<typeof api>;

async function readOpenApi({ content, externalId }: RawDocument): Promise<ConvertedDocument> {
  const { text, warnings } = decodeText(content, externalId);
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { logLevel: 'silent', prettyErrors: false });
  if (document.errors.length > 0) {
    throw new RAGError(
      'DOCUMENT_INVALID',
      `"${externalId}" is neither JSON nor YAML that can be read. Correct the file, or exclude it.`,
      { cause: document.errors[0] },
    );
  }
  const { success, data } = api.safeParse(document.toJS({ maxAliasCount: 1_000 }));
  if (!success || (data.openapi === undefined && data.swagger === undefined))
    return { markdown: `\`\`\`\`yaml\n${text.trimEnd()}\n\`\`\`\``, warnings };
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
      securityText(data.security),
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
          ...[securityText(data.security)].filter((line) => line !== ''),
        ].join('\n'),
        [...item.parameters, ...parameters].map((one) => `- ${parameterText(one)}`).join('\n'),
        requestBody === undefined ? '' : `Request: ${partText(requestBody)}`,
        requestBody === undefined ? '' : withinPart(requestBody, 0).join('\n'),
        responses
          .flatMap(([status, one]) => [`- ${status}: ${partText(one)}`, ...withinPart(one, 1)])
          .join('\n'),
      ].filter((part) => part !== '');
    }),
  );
}

/** What operations refer to by name, but for schemas. */
function partsOf({ components: shared, parameters, responses, securityDefinitions }: Api): string[] {
  const section = (title: string, lines: readonly string[]): string[] =>
    lines.length === 0 ? [] : [`## ${title}`, lines.join('\n')];
  return [
    ...section(
      'Parameters',
      [...(shared?.parameters ?? []), ...parameters].map(([name, one]) => `- ${name}: ${parameterText(one)}`),
    ),
    ...section(
      'Requests',
      (shared?.requestBodies ?? []).flatMap(([name, one]) => [
        `- ${name}: ${partText(one)}`,
        ...withinPart(one, 1),
      ]),
    ),
    ...section(
      'Responses',
      [...(shared?.responses ?? []), ...responses].flatMap(([name, one]) => [
        `- ${name}: ${partText(one)}`,
        ...withinPart(one, 1),
      ]),
    ),
    ...section(
      'Security',
      [...(shared?.securitySchemes ?? []), ...securityDefinitions].flatMap(([name, one]) => [
        `- ${name} (${schemeFacts(one).join(', ')})${saying(one.description)}`,
        ...[...one.flows, [one.flow ?? '', one] as const].flatMap(([flow, of]) => flowLines(flow, of)),
      ]),
    ),
  ];
}

const schemeFacts = (one: z.output<typeof securityScheme>): string[] =>
  [one.type, one.scheme, one.bearerFormat, one.in, one.name, one.openIdConnectUrl].filter(
    (fact) => fact !== undefined,
  );

/** Where a flow of OAuth gets its tokens, and the scopes that it knows. */
function flowLines(
  flow: string,
  { authorizationUrl, tokenUrl, refreshUrl, scopes }: z.output<z.ZodObject<typeof flowOf>>,
): string[] {
  const places = Object.entries({ authorizationUrl, tokenUrl, refreshUrl }).flatMap(([name, url]) =>
    url === undefined ? [] : [`${name} ${url}`],
  );
  const known = scopes.map(([scope, text]) => `  - scope \`${scope}\`${saying(text)}`);
  if (places.length === 0 && known.length === 0) return [];
  return [`  - ${[flow, ...places].filter((part) => part !== '').join(', ')}`, ...known];
}

/** Which schemes are demanded, with their scopes: `Security: oauth (items.read) or key`. */
function securityText(demanded: readonly unknown[] | undefined): string {
  if (demanded === undefined) return '';
  const ways = security
    .parse(demanded)
    .map((way) =>
      way
        .map(([name, scopes]) => `${name}${scopes.length === 0 ? '' : ` (${scopes.join(', ')})`}`)
        .join(' and '),
    )
    .map((way) => (way === '' ? 'none' : way));
  return `Security: ${ways.length === 0 ? 'none' : ways.join(' or ')}`;
}

type Described = z.output<typeof described>;

function parameterText(one: Described): string {
  const type = one.$ref === undefined ? typeText(one.schema ?? one) : '';
  const of = { ...(typeof one.schema === 'object' ? one.schema : one), ...exampleOf(one) };
  const facts = [
    ...[one.in, type, one.required === true ? 'required' : undefined],
    ...(one.deprecated === true ? ['deprecated'] : []),
    ...factsOf(one.schema === undefined ? { ...of, deprecated: false } : of),
  ].filter((fact) => fact !== undefined && fact !== '');
  const name = one.name ?? nameOf(one.$ref);
  return `\`${name}\`${facts.length === 0 ? '' : ` (${facts.join(', ')})`}${saying(one.description)}`;
}

const exampleOf = ({ example, examples }: Described): { readonly example?: unknown } => {
  const [first] = examples.map(([, value]) => (value as { readonly value?: unknown } | null)?.value);
  return example === undefined && first === undefined ? {} : { example: example ?? first };
};

/** Headers of a request or response, members of the schemas that stand in it, and its examples. */
function withinPart({ content, headers, schema: own, examples }: Described, depth: number): string[] {
  const indent = '  '.repeat(depth);
  const bodies: unknown[] = [...content.map(([, body]) => body.schema), own];
  const shown = [
    ...content.flatMap(([, body]) =>
      examplesOf(
        body.example,
        body.examples.map(([name, { value }]) => [name, value] as const),
      ),
    ),
    ...examplesOf(undefined, examples),
  ];
  return [
    ...headers.map(([name, header]) => {
      const facts = [typeText(header.schema ?? header), ...factsOf(header.schema ?? header)];
      const text = facts.filter((fact) => fact !== '').join(', ');
      return `${indent}- header \`${name}\`${text === '' ? '' : ` (${text})`}${saying(header.description)}`;
    }),
    ...bodies.flatMap((given) => within(given, depth)),
    ...shown.map((text) => `${indent}- ${text}`),
  ];
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
    const facts = members.length > 0 ? [] : factsOf(given);
    return [
      `## Schema ${name}`,
      read.data.description ?? '',
      own,
      facts.join(', '),
      members.join('\n'),
    ].filter((part) => part !== '');
  });
}

/** Members within members are listed as deep as this. */
const MAX_MEMBER_DEPTH = 8;

/** Members of a schema, of what it holds in place of a reference, and of the items of its lists. */
function membersOf(
  { properties, required, items, oneOf, anyOf, allOf, additionalProperties }: Schema,
  depth = 0,
): string[] {
  if (depth >= MAX_MEMBER_DEPTH) return [];
  return [
    ...properties.flatMap(([key, value]) => {
      const facts = [
        typeText(value),
        required.includes(key) ? 'required' : '',
        ...(isReference(value) ? [] : factsOf(value)),
      ].filter((fact) => fact !== '');
      const shown = `\`${key}\`${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
      return [
        `${'  '.repeat(depth)}- ${shown}${saying(schema.safeParse(value).data?.description)}`,
        ...within(value, depth + 1),
      ];
    }),
    ...(typeof additionalProperties === 'object'
      ? [`${'  '.repeat(depth)}- other members (${typeText(additionalProperties)})`]
      : []),
    ...[items, ...oneOf, ...anyOf, ...allOf].flatMap((part) => within(part, depth)),
  ];
}

const isReference = (given: unknown): boolean => schema.safeParse(given).data?.$ref !== undefined;

/** Members of what stands in the place of a reference. */
function within(given: unknown, depth: number): string[] {
  const { success, data } = schema.safeParse(given);
  return success && data.$ref === undefined ? membersOf(data, depth) : [];
}
