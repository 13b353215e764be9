import { parseDocument } from 'yaml';
import type * as z from 'zod';
import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import { oneLine } from '../../core/one-line.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';
import {
  type Api,
  api,
  callback,
  described,
  type flowOf,
  operation,
  type Schema,
  schema,
  security,
  type securityScheme,
} from './description.js';
import { examplesOf, factsOf } from './schema-facts.js';

/**
 * Descriptions of HTTP interfaces (OpenAPI 2 and 3, JSON or YAML): each operation under its method and path, with what it takes and answers and the callbacks that it makes, then the schemas.
 * References stay names. What is no such description is kept as it is written.
 */
export const OPEN_API_FORMAT: ConvertedFormat = {
  mediaType: MEDIA_TYPES.openApi,
  version: 3,
  convert: readOpenApi,
};

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

async function readOpenApi({ content, externalId }: RawDocument): Promise<ConvertedDocument> {
  const { text, warnings } = decodeText(content, externalId);
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
  const { title, version, description, contact, license } = data.info ?? {};
  return {
    markdown: [
      `# ${oneLine(title ?? externalId)}`,
      version === undefined ? '' : `Version ${version}`,
      description ?? '',
      partyText('Contact', contact),
      partyText('License', license),
      data.servers
        .flatMap(({ url }) => url ?? [])
        .map((url) => `Server: ${url}`)
        .join('\n'),
      securityText(data.security),
      ...operationsOf(data.paths, ''),
      ...operationsOf([...data.webhooks, ...data['x-webhooks']], 'webhook '),
      ...operationsOf(data.components?.pathItems ?? [], 'path item '),
      ...callbacksOf(data.components?.callbacks ?? [], 0),
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

function partyText(label: string, party: NonNullable<Api['info']>['contact']): string {
  const facts = [party?.name, party?.identifier, party?.email, party?.url].flatMap((fact) => fact ?? []);
  return facts.length === 0 ? '' : `${label}: ${facts.map(oneLine).join(', ')}`;
}

/** Callbacks of callbacks that are read: a description may repeat itself without end. */
const MAX_CALLBACKS = 3;

function callbacksOf(callbacks: readonly (readonly [string, unknown])[], depth: number): string[] {
  if (depth >= MAX_CALLBACKS) return [];
  return callbacks.flatMap(([name, given]) =>
    operationsOf(callback.parse(given), `callback ${name} `, depth + 1),
  );
}

function operationsOf(paths: Api['paths'], prefix: string, depth = 0): string[] {
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
          ...data.callbacks.flatMap(([name, given]) => {
            const reference = described.safeParse(given).data?.$ref;
            return reference === undefined ? [] : [`Callback ${name}: ${nameOf(reference)}`];
          }),
        ].join('\n'),
        [...item.parameters, ...parameters].map((one) => `- ${parameterText(one)}`).join('\n'),
        requestBody === undefined ? '' : `Request: ${partText(requestBody)}`,
        requestBody === undefined ? '' : withinPart(requestBody, 0).join('\n'),
        responses
          .flatMap(([status, one]) => [`- ${status}: ${partText(one)}`, ...withinPart(one, 1)])
          .join('\n'),
        ...callbacksOf(data.callbacks, depth),
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
