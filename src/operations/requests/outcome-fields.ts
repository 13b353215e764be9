import * as z from 'zod';

// What answers over a route are made of.

export const string = z.string();
export const optionalString = string.optional();
export const int = z.int();
export const optionalInt = int.optional();
export const number = z.number();
export const optionalNumber = number.optional();
export const boolean = z.boolean();

export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** A list of objects. */
export const rowsOf = <Shape extends z.ZodRawShape>(shape: Shape) => listOf(z.object(shape));

export const strings = listOf(string);
/** Where a document is in its source. */
export const sourcePlace = {
  source: string,
  externalId: string.describe('Path or id relative to the source.'),
  title: optionalString,
  url: optionalString,
};
export const range = z.object({ start: int, end: int });
/** Where the next page begins. */
export const nextCursor = optionalString.describe('For the next page; absent at the end.');
