import * as z from 'zod';
import type { RawDocument } from '../../core/document.js';
import { RAGError } from '../../core/errors.js';
import { MEDIA_TYPES } from '../../core/media-types.js';
import type { ConvertedDocument, ConvertedFormat } from '../converted-parser.js';
import { decodeText } from '../decode-text.js';

/**
 * Descriptions of HTTP interfaces (OpenAPI 2 and 3, JSON or YAML): each operation under its method and path, with what it takes and answers, then the schemas.
 * References stay names. What is no such description is kept as it is written.
 */
export const OPEN_API_FORMAT: ConvertedFormat = { mediaType: MEDIA_TYPES.openApi, convert: readOpenApi };

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
const words = z.string().optional().catch(undefined);
const schema = z.looseObject({
  $ref: words,
  type: z.unknown().optional(),
  format: words,
  description: words,
  required: z.array(z.string()).optional().catch(undefined),
  properties: z.record(z.string(), z.unknown()).optional().catch(undefined),
  enum: z.array(z.unknown()).optional().catch(undefined),
  items: z.unknown().optional(),
});
const described = z.looseObject({
  $ref: words,
  name: words,
  in: words,
  description: words,
  required: z.boolean().optional().catch(undefined),
  schema: z.unknown().optional(),
  content: z
    .record(z.string(), z.looseObject({ schema: z.unknown().optional() }))
    .optional()
    .catch(undefined),
});
const operation = z.looseObject({
  operationId: words,
  summary: words,
  description: words,
  deprecated: z.boolean().optional().catch(undefined),
  tags: z.array(z.string()).optional().catch(undefined),
  parameters: z.array(described).optional().catch(undefined),
  requestBody: described.optional().catch(undefined),
  responses: z.record(z.string(), described).optional().catch(undefined),
});
const api = z.looseObject({
  openapi: z.unknown().optional(),
  swagger: z.unknown().optional(),
  info: z
    .looseObject({ title: words, version: z.coerce.string().optional().catch(undefined), description: words })
    .optional()
    .catch(undefined),
  servers: z
    .array(z.looseObject({ url: words }))
    .optional()
    .catch(undefined),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())).optional().catch(undefined),
  components: z
    .looseObject({ schemas: z.record(z.string(), z.unknown()).optional().catch(undefined) })
    .optional()
    .catch(undefined),
  definitions: z.record(z.string(), z.unknown()).optional().catch(undefined),
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
      (data.servers ?? [])
        .flatMap(({ url }) => url ?? [])
        .map((url) => `Server: ${url}`)
        .join('\n'),
      ...operationsOf(data),
      ...schemasOf({ ...data.components?.schemas, ...data.definitions }),
    ]
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join('\n\n'),
    title: title === undefined ? undefined : oneLine(title),
    warnings,
  };
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const fenced = (text: string): string => `\`\`\`\`yaml\n${text.trimEnd()}\n\`\`\`\``;

function operationsOf({ paths = {} }: Api): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const read = operation.safeParse(item[method]);
      if (item[method] === undefined || !read.success) return [];
      const {
        operationId,
        summary,
        description,
        deprecated,
        tags = [],
        parameters = [],
        requestBody,
        responses = {},
      } = read.data;
      const shared = z.array(described).safeParse(item.parameters).data ?? [];
      return [
        `## ${method.toUpperCase()} ${path}`,
        [summary, description].filter((part) => part !== undefined).join('\n\n'),
        [
          ...(operationId === undefined ? [] : [`Operation: ${operationId}`]),
          ...(tags.length === 0 ? [] : [`Tags: ${tags.join(', ')}`]),
          ...(deprecated === true ? ['Deprecated.'] : []),
        ].join('\n'),
        [...shared, ...parameters].map((one) => `- ${parameterText(one)}`).join('\n'),
        requestBody === undefined ? '' : `Request: ${partText(requestBody)}`,
        Object.entries(responses)
          .map(([status, one]) => `- ${status}: ${partText(one)}`)
          .join('\n'),
      ].filter((part) => part !== '');
    }),
  );
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
  const types = Object.entries(one.content ?? {}).map(([type, { schema: of }]) =>
    `${type} ${typeText(of)}`.trim(),
  );
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
  const { $ref, type, format, items, enum: values } = read.data;
  if ($ref !== undefined) return nameOf($ref);
  if (type === 'array') return `list of ${typeText(items)}`.trim();
  const name = Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : '';
  return [name, format, values === undefined ? undefined : `one of ${values.map(String).join(', ')}`]
    .filter((part) => part !== undefined && part !== '')
    .join(' ');
}

function schemasOf(schemas: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(schemas).flatMap(([name, given]) => {
    const read = schema.safeParse(given);
    if (!read.success) return [];
    const { description, properties = {}, required = [] } = read.data;
    const members = Object.entries(properties).map(([key, value]) => {
      const type = typeText(value);
      const facts = [type, required.includes(key) ? 'required' : ''].filter((fact) => fact !== '');
      return `- \`${key}\`${facts.length === 0 ? '' : ` (${facts.join(', ')})`}${saying(schema.safeParse(value).data?.description)}`;
    });
    const own = members.length === 0 ? typeText(given) : '';
    return [`## Schema ${name}`, description ?? '', own, members.join('\n')].filter((part) => part !== '');
  });
}
