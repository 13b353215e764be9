import type * as z from 'zod';

/** What an answer holds, or what is wrong with it, in our words. */
export type Reply<Value> = { readonly value: Value } | { readonly problem: string };

/** Reads the JSON object of an answer; what stands around it, such as a Markdown fence or a polite sentence, is passed over. */
export function readReply<Value>(
  text: string,
  schema: z.ZodType<Value>,
  { isCut }: { readonly isCut: boolean },
): Reply<Value> {
  if (text.trim() === '') return { problem: 'it was empty' };
  const value = objectIn(text);
  if (value === undefined)
    return { problem: isCut ? 'it was too long and cut before its end' : 'it was no JSON' };
  const checked = schema.safeParse(value);
  if (checked.success) return { value: checked.data };
  const places = checked.error.issues
    .slice(0, 3)
    .map(({ path }) => (path.length === 0 ? 'the whole' : path.join('.')));
  return { problem: `it had another shape than the one asked for, at ${places.join(', ')}` };
}

function objectIn(text: string): unknown {
  const start = text.indexOf('{');
  const end = text.lastIndexOf('}');
  if (start === -1 || end < start) return undefined;
  try {
    return JSON.parse(text.slice(start, end + 1));
  } catch {
    return undefined;
  }
}
