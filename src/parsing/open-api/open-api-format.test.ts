import { describe, expect, it } from 'vitest';
import { linesAs, parseAs } from '../test-converted.js';
import { OPEN_API_FORMAT } from './open-api-format.js';

const yaml = (paths: string, rest = ''): string =>
  `openapi: 3.0.3\ninfo: { title: Ferry API, version: 1.2.0 }\npaths:\n${paths}${rest}`;
const CANCEL = `  /crossings/{id}/cancel:
    parameters:
      - { name: id, in: path, required: true, schema: { type: string, format: uuid } }
    post:
      operationId: cancelCrossing
      summary: Cancels a crossing
      tags: [crossings]
      requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Reason' } } } }
      responses:
        "204": { description: It is cancelled }
        "409": { description: The gate has closed }
`;

describe('descriptions of interfaces', () => {
  it('have an operation under its method and path, with what it takes and answers', async () => {
    const parsed = await parseAs(OPEN_API_FORMAT, yaml(CANCEL));
    expect(parsed.title).toBe('Ferry API');
    expect(parsed.text.split('\n').filter((line) => line !== '')).toEqual([
      '# Ferry API',
      'Version 1.2.0',
      '## POST /crossings/{id}/cancel',
      'Cancels a crossing',
      'Operation: cancelCrossing',
      'Tags: crossings',
      '- `id` (path, string uuid, required)',
      'Request: application/json Reason',
      '- 204: It is cancelled',
      '- 409: The gate has closed',
    ]);
  });

  it('say whom to ask and under which licence they stand', async () => {
    const { text } = await parseAs(
      OPEN_API_FORMAT,
      'openapi: 3.1.0\ninfo:\n  title: Ferry API\n  contact: { name: Harbour office, email: desk@ferry.example }\n  license: { name: Apache 2.0, identifier: Apache-2.0 }\npaths: {}\n',
    );
    expect(text).toContain('Contact: Harbour office, desk@ferry.example\n\nLicense: Apache 2.0, Apache-2.0');
  });

  it.each<[string, string, string[]]>([
    [
      'schemas',
      yaml(
        '  {}\n',
        'components:\n  schemas:\n    Reason:\n      description: Why.\n      required: [code]\n      properties:\n        code: { type: string, enum: [storm, fog] }\n        notes: { type: array, items: { $ref: "#/components/schemas/Note" } }\n',
      ),
      [
        '## Schema Reason',
        'Why.',
        '- `code` (string one of storm, fog, required)',
        '- `notes` (list of Note)',
      ],
    ],
    [
      'version 2',
      'swagger: "2.0"\ninfo: { title: Old, version: "1" }\npaths:\n  /a:\n    get:\n      responses: { "200": { description: Fine, schema: { $ref: "#/definitions/A" } } }\ndefinitions:\n  A: { properties: { x: { type: integer } } }\n',
      ['## GET /a', '- 200: Fine A', '## Schema A', '- `x` (integer)'],
    ],
    [
      'JSON',
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'J', version: '1' },
        paths: { '/b': { delete: { summary: 'Removes it', deprecated: true } } },
      }),
      ['## DELETE /b', 'Removes it', 'Deprecated.'],
    ],
    [
      'operations beside odd items',
      yaml(
        '  x-groups: [a]\n  /null:\n  /a:\n    get:\n      tags: [crossings, null]\n      parameters: [null, { name: page, in: query }]\n      responses: { x-note: none, "200": { description: Fine } }\n',
      ),
      ['## GET /a', 'Tags: crossings', '- `page` (query)', '- 200: Fine'],
    ],
    [
      'callbacks',
      yaml(
        "  /tows:\n    post:\n      summary: Orders a tow\n      callbacks:\n        moored:\n          '{$request.body#/reply}':\n            post: { summary: The ship is moored, requestBody: { content: { application/json: { schema: { $ref: '#/components/schemas/Berth' } } } } }\n        lost: { $ref: '#/components/callbacks/Lost' }\n",
        "components:\n  callbacks:\n    Lost: { '{$request.body#/alarm}': { put: { summary: The line broke } } }\n",
      ),
      [
        'Callback lost: Lost',
        '## POST callback moored {$request.body#/reply}',
        'The ship is moored',
        'Request: application/json Berth',
        '## PUT callback Lost {$request.body#/alarm}',
        'The line broke',
      ],
    ],
    [
      'webhooks of version 3.0, path items',
      yaml(
        '  {}\n',
        'x-webhooks:\n  late:\n    post: { summary: It is late }\ncomponents:\n  pathItems:\n    Tide: { get: { summary: Tells the tide } }\n',
      ),
      ['## POST webhook late', 'It is late', '## GET path item Tide', 'Tells the tide'],
    ],
    [
      'webhooks',
      yaml('  {}\n', 'webhooks:\n  delayed:\n    post: { summary: A crossing is late }\n'),
      ['## POST webhook delayed', 'A crossing is late'],
    ],
    [
      'parts that operations share',
      yaml(
        '  {}\n',
        'components:\n  parameters: { Page: { name: page, in: query, description: From 1. } }\n  responses: { Gone: { description: It was removed } }\n  requestBodies: { Move: { description: Where to } }\n  securitySchemes: { key: { type: apiKey, in: header, name: X-Key, description: Of the port. } }\n',
      ),
      [
        '## Parameters',
        '- Page: `page` (query): From 1.',
        '## Requests',
        '- Move: Where to',
        '## Responses',
        '- Gone: It was removed',
        '## Security',
        '- key (apiKey, header, X-Key): Of the port.',
      ],
    ],
    [
      'members within members, and schemas of several',
      yaml(
        '  {}\n',
        'components:\n  schemas:\n    Berth:\n      allOf:\n        - { $ref: "#/components/schemas/Place" }\n        - properties: { size: { type: object, properties: { depth: { type: number, description: In metres. } } } }\n    Any: { oneOf: [{ $ref: "#/x/Cat" }, { $ref: "#/x/Dog" }] }\n',
      ),
      [
        '## Schema Berth',
        'Place',
        '- `size` (object)',
        '  - `depth` (number): In metres.',
        '## Schema Any',
        'Cat or Dog',
      ],
    ],
    [
      'servers',
      yaml('  /a: { get: { summary: x } }\n', 'servers: [{ url: https://api.example.org }]\n'),
      ['Server: https://api.example.org'],
    ],
    [
      'parts that are named elsewhere',
      yaml(
        '  /a:\n    get:\n      parameters: [{ $ref: "#/components/parameters/Page" }]\n      responses: { "404": { $ref: "#/components/responses/Gone" } }\n',
      ),
      ['- `Page`', '- 404: Gone'],
    ],
    [
      'what is demanded of values',
      yaml(
        '  /a:\n    get:\n      parameters:\n        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 250, default: 50 } }\n        - { name: sort, in: query, deprecated: true, schema: { enum: [asc, desc] }, example: desc }\n',
        'components:\n  schemas:\n    Item: { properties: { id: { type: string, pattern: "^I-[0-9]+$", maxLength: 12, example: I-1 }, secret: { type: string, writeOnly: true, deprecated: true }, tags: { type: array, items: { type: string, maxLength: 5 } } }, additionalProperties: { type: string } }\n    Age: { type: integer, minimum: 18 }\n',
      ),
      [
        '- `limit` (query, integer, default 50, minimum 1, maximum 250)',
        '- `sort` (query, one of asc, desc, deprecated, example desc)',
        '- `id` (string, maxLength 12, pattern ^I-[0-9]+$, example I-1)',
        '- `secret` (string, write only, deprecated)',
        '- `tags` (list of string, items: maxLength 5)',
        '- other members (string)',
        'minimum 18',
      ],
    ],
    [
      'headers, members and examples of responses',
      yaml(
        '  /a:\n    post:\n      requestBody: { content: { application/json: { schema: { properties: { of: { type: integer } } } } } }\n      responses: { "200": { description: ok, headers: { X-Next: { description: cursor, schema: { type: string } } }, content: { application/json: { schema: { type: object, properties: { id: { type: string } } }, example: { id: I-1 } } } } }\n',
      ),
      [
        '- `of` (integer)',
        '- 200: ok application/json object',
        '  - header `X-Next` (string): cursor',
        '  - `id` (string)',
        '  - Example: {"id":"I-1"}',
      ],
    ],
    [
      'security',
      yaml(
        '  /a: { get: { security: [{ oauth: [items.read, items.write] }, { key: [] }] } }\n  /b: { get: { security: [] } }\n',
        'security: [{ key: [] }]\ncomponents:\n  securitySchemes: { oauth: { type: oauth2, flows: { clientCredentials: { tokenUrl: https://id.example/token, scopes: { items.read: Read items } } } } }\n',
      ),
      [
        'Security: key',
        'Security: oauth (items.read, items.write) or key',
        'Security: none',
        '- oauth (oauth2)',
        '  - clientCredentials, tokenUrl https://id.example/token',
        '  - scope `items.read`: Read items',
      ],
    ],
    [
      'types that are several',
      yaml(
        '  /a:\n    get:\n      parameters: [{ name: q, in: query, schema: { type: [string, "null"] }, description: What is looked for }]\n',
      ),
      ['- `q` (query, string or null): What is looked for'],
    ],
    [
      'an operation that is none',
      yaml('  /a: { get: 7, put: { summary: Sets it } }\n'),
      ['## PUT /a', 'Sets it'],
    ],
  ])('are read: %s', async (_, source, expected) => {
    expect(await linesAs(OPEN_API_FORMAT, source)).toEqual(expect.arrayContaining(expected));
  });

  it('that are none are kept as they are written', async () => {
    expect((await parseAs(OPEN_API_FORMAT, 'services:\n  a: 1\n')).text).toContain('services:\n  a: 1');
  });

  it('that are no YAML are refused', async () => {
    await expect(parseAs(OPEN_API_FORMAT, 'openapi: [')).rejects.toMatchObject({
      reason: 'DOCUMENT_INVALID',
    });
  });

  it('that refer to themselves end', async () => {
    await parseAs(
      OPEN_API_FORMAT,
      yaml('  {}\n', 'components: &c\n  schemas: { A: { properties: { self: *c } } }\n'),
    ).catch((error: unknown) => expect(error).toMatchObject({ code: 'E003' }));
  });

  it('may be called by a number', async () => {
    const parsed = await parseAs(
      OPEN_API_FORMAT,
      'openapi: 3.0.3\ninfo: { title: 2024, version: 3 }\npaths: {}\n',
    );
    expect(parsed.title).toBe('2024');
  });
});
