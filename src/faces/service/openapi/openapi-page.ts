import type { OpenAPIV3_1 } from 'openapi-types';
import { schemaLines } from './schema-lines.js';

/** The document of the routes for people: one page without scripts. */
export function openApiPage({ info, paths = {}, components }: OpenAPIV3_1.Document): string {
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods ?? {}).map(([method, operation]) =>
      section(`${method.toUpperCase()} ${path}`, operation as OpenAPIV3_1.OperationObject),
    ),
  );
  const schemas = Object.entries(components?.schemas ?? {}).map(
    ([name, schema]) =>
      `<details id="${escaped(name)}"><summary>${escaped(name)}</summary>${lines(schema)}</details>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(info.title)}: HTTP</title><link rel="icon" href="data:,"><style>${STYLE}</style></head>
<body><h1>${escaped(info.title)}</h1><p>${escaped(info.description ?? '')}</p>
<p>The same for programs: <a href="openapi.json">openapi.json</a>. A * marks what must be stated.</p>
${operations.join('\n')}
<h2>Schemas</h2>
${schemas.join('\n')}
</body></html>
`;
}

const STYLE =
  'body{font:16px/1.5 system-ui;max-width:60rem;margin:2rem auto;padding:0 1rem}pre{overflow:auto;padding:1rem;background:#f4f4f4}summary{cursor:pointer}h2{font:600 1rem ui-monospace,monospace;margin-top:2rem}@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}pre{background:#222}a{color:#8bf}}';

function section(title: string, operation: OpenAPIV3_1.OperationObject): string {
  const { summary = '', requestBody, parameters = [], responses = {} } = operation;
  const answers = Object.entries(responses).map(
    ([status, response]) =>
      `<details><summary>${escaped(status)}: ${escaped(describedBy(response))}</summary>${contents(response)}</details>`,
  );
  const stated = parameters.filter((one) => 'name' in one);
  const parts = [
    stated.length === 0 ? '' : part('Parameters', `<pre>${stated.map(parameterLines).join('\n')}</pre>`),
    requestBody === undefined ? '' : part('Body', contents(requestBody)),
  ];
  return `<section><h2>${escaped(title)}</h2><p>${escaped(summary)}</p>
${parts.join('')}${answers.join('\n')}</section>`;
}

const part = (title: string, html: string): string =>
  `<details><summary>${title}</summary>${html}</details>\n`;

const parameterLines = ({
  name,
  in: place,
  required = false,
  ...rest
}: OpenAPIV3_1.ParameterObject): string =>
  linked(
    schemaLines(
      { description: rest.description, ...rest.schema },
      `${name}${required ? '*' : ''} (${place})`,
    ),
  );

const describedBy = (response: object): string =>
  'description' in response ? String(response.description) : '';

function contents(of: object): string {
  const { content = {} } = of as Pick<OpenAPIV3_1.ResponseObject, 'content'>;
  return Object.entries(content)
    .map(([type, { schema = {} }]) => lines(schema, type))
    .join('\n');
}

const lines = (schema: object, name?: string): string => `<pre>${linked(schemaLines(schema, name))}</pre>`;

/** Names of schemas lead to them. */
const linked = (text: string): string => escaped(text).replace(/#(\w+)/g, '<a href="#$1">$1</a>');

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escaped = (text: string): string => text.replace(/[&<>"]/g, (mark) => ESCAPES[mark] ?? mark);
