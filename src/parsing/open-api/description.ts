import * as z from 'zod';

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

export const schema = z.looseObject({
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
export type Schema = z.output<typeof schema>;
export const described = z.looseObject({
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
export const security = listOf(recordOf(listOf(z.string())));
export const operation = z.looseObject({
  operationId: words,
  summary: words,
  description: words,
  deprecated: flag,
  tags: listOf(z.string()),
  parameters: listOf(described),
  requestBody: described.optional().catch(undefined),
  responses: recordOf(described),
  callbacks: recordOf(z.unknown()),
  security: z.array(z.unknown()).optional().catch(undefined),
});
const pathItem = z.looseObject({ summary: words, description: words, parameters: listOf(described) });
/** Operations that the other side is asked for, by the expression that names its address. */
export const callback = recordOf(pathItem);
export const flowOf = {
  authorizationUrl: words,
  tokenUrl: words,
  refreshUrl: words,
  scopes: recordOf(words),
};
export const securityScheme = z.looseObject({
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
  callbacks: recordOf(z.unknown()),
  pathItems: recordOf(pathItem),
});
/** Whom to ask, or what a licence is called. */
const party = z
  .looseObject({ name: words, identifier: words, email: words, url: words })
  .optional()
  .catch(undefined);
export const api = z.looseObject({
  openapi: z.unknown().optional(),
  swagger: z.unknown().optional(),
  info: z
    .looseObject({ title: words, version: words, description: words, contact: party, license: party })
    .optional()
    .catch(undefined),
  servers: listOf(z.looseObject({ url: words })),
  paths: recordOf(pathItem),
  webhooks: recordOf(pathItem),
  // As descriptions of version 3.0 have them.
  'x-webhooks': recordOf(pathItem),
  components: components.optional().catch(undefined),
  // Version 2 has them at its top.
  definitions: recordOf(z.unknown()),
  parameters: recordOf(described),
  responses: recordOf(described),
  securityDefinitions: recordOf(securityScheme),
  security: z.array(z.unknown()).optional().catch(undefined),
});
export type Api = z.output<typeof api>;
