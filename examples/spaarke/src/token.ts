/** `npm run --silent token -- TENANT [PERMISSION...]`: a token for `curl`, valid for an hour. */
import { isPermission, type Permission, tokenFor } from './issuer.js';

const [tenantId, ...words] = process.argv.slice(2);
if (tenantId === undefined || !words.every(isPermission)) {
  console.error('Usage: npm run --silent token -- TENANT [read] [write] [maintain] [admin] [monitor]');
  process.exit(2);
}
const permissions: readonly Permission[] = words.filter(isPermission);
console.log(await tokenFor({ tenantId, ...(permissions.length > 0 ? { permissions } : {}) }));
