import type * as z from 'zod';

/** What is wrong with a body, unknown fields included where the schema is strict. */
export function bodyViolations(body: unknown, schema: z.ZodType): string[] {
  const checked = schema.safeParse(body);
  if (checked.success) return [];
  return checked.error.issues.map(({ path, message }) => `${path.join('.') || 'the body'}: ${message}`);
}
