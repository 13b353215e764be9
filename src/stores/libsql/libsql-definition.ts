import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { defineStore, type StoreContext, type StoreOwner } from '../store-definition.js';

export const libsqlDefinition = defineStore({
  name: 'libsql',
  open: async ({ path, isPathStated, owner, notice }) => {
    const { createLibsqlStore } = await import('./libsql-store.js');
    const ownFile = join(path, 'store.db');
    if (owner === undefined || isPathStated) return createLibsqlStore({ path: ownFile });
    await adoptOwnFile(ownFile, owner, notice);
    return createLibsqlStore({ path: owner.ledgerPath, isShared: true });
  },
});

/** Version 0.1.0 kept the store in a file of its own. */
async function adoptOwnFile(
  from: string,
  { ledgerPath, recorded }: StoreOwner,
  notice: StoreContext['notice'],
): Promise<void> {
  if (recorded?.provider !== 'libsql' || !existsSync(from)) return;
  const { adoptCollection } = await import('./adopt-collection.js');
  if (adoptCollection({ from, into: ledgerPath, collection: recorded.collection }))
    notice(`The chunks of this index, which an earlier version kept in ${from}, are now in ${ledgerPath}.`);
}
