import * as z from 'zod';
import { RAGError } from '../core/errors.js';
import { stringList } from '../core/setting-values.js';

/** Settings of sources that are services. */
export const serviceFields = {
  completeListingHours: z
    .number()
    .min(0)
    .default(24)
    .describe(
      'Hours after which everything is listed again, for what the service does not tell: deletions, moves, restrictions.',
    ),
  accessGroups: stringList()
    .default(['*'])
    .describe('Groups that find what the service does not restrict. `*` is everyone in the tenant.'),
  allowPrivateNetwork: z
    .boolean()
    .default(false)
    .describe(
      'The configured address may lie in a private network. No other private address is ever opened.',
    ),
};

type ServiceSettings<Groups> = Omit<z.output<z.ZodObject<typeof serviceFields>>, 'accessGroups'> & {
  readonly accessGroups: Groups;
};

export const serviceOptions = <Groups>({
  completeListingHours,
  accessGroups,
  allowPrivateNetwork,
}: ServiceSettings<Groups>) => ({
  completeListingHours,
  openGroups: accessGroups,
  allowPrivateNetwork,
});

/** A setting that must be there. Throws `CONFIG_INVALID` naming it. */
export function needed(value: string | undefined, key: string, what: string): string {
  if (value !== undefined && value !== '') return value;
  throw new RAGError('CONFIG_INVALID', `${key} is missing: ${what}.`, { details: { key } });
}
