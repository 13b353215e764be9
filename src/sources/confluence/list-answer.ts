import * as z from 'zod';

/** An answer with a part of a list, and where the next part is. */
export const listAnswer = <T>(item: z.ZodType<T>) =>
  z.object({
    results: z.array(item),
    _links: z.object({ next: z.string().nullish() }).nullish(),
  });
