/** A time as ISO-8601 has it; undefined for what is none. */
export function isoTime(text = ''): string | undefined {
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

/** A text of a service inside of elements. */
export const escapeText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
